"""Rows that depend on no table.

    d C = 0

A single row needs no identity; several, which may be equal, have none.
"""

from __future__ import annotations

from sqlglot import exp

from headrace.algebra.operators.constant import Constant
from headrace.delta.change import Change, Context
from headrace.delta.description import Description
from headrace.delta.identity import Identified, IdentityContext
from headrace.delta.rule import Rule


class ConstantRule(Rule[Constant]):
    def change(self, node: Constant, context: Context) -> Change | None:
        return None

    def identity(self, node: Constant, context: IdentityContext) -> Identified | None:
        rows = node.source.expressions if isinstance(node.source, exp.Values) else ()
        return Identified(node, ()) if len(rows) == 1 else None

    def obstacle(self, node: Constant) -> str | None:
        return None

    def describe(self, node: Constant, description: Description) -> str:
        return "rows that depend on no table"
