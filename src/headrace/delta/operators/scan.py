"""A table.

    d T = the rows that were inserted (1) and deleted (-1)

Its rows are identified by the row id that Iceberg keeps for each row.
"""

from __future__ import annotations

from dataclasses import replace

from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.delta.change import Change, Context
from headrace.delta.description import Description
from headrace.delta.identity import ROW_ID, Id, Identified, IdentityContext
from headrace.delta.rule import Rule


class ScanRule(Rule[Scan]):
    def change(self, node: Scan, context: Context) -> Change | None:
        if node.table not in context.changed:
            return None
        weight = context.names.new()
        return Change(replace(node, version=SourceVersion.CHANGE, weight=weight), node.columns, weight)

    def identity(self, node: Scan, context: IdentityContext) -> Identified | None:
        if not context.has_row_ids(node.table):
            return None
        column = context.names.new()
        return Identified(replace(node, fields=(*node.fields, (column, ROW_ID))), (Id(column, True),))

    def obstacle(self, node: Scan) -> str | None:
        return None

    def describe(self, node: Scan, description: Description) -> str:
        return description.describe_scan(node)
