"""Aggregates inside a query, and the same query over tables of their groups.

f(aggregate(X), Y) = f(T, Y)     T: a table of the groups of X
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.scan import Scan
from headrace.algebra.relation import Relation
from headrace.algebra.walk import parts_of
from headrace.model.names import TableName


def innermost_aggregates(relation: Relation) -> Iterator[Aggregate]:
    """Those that read no other one."""
    aggregates = (part for part in parts_of(relation) if isinstance(part, Aggregate))
    for each in aggregates:
        if not any(isinstance(below, Aggregate) for below in parts_of(each.child)):
            yield each


def over_tables(relation: Relation, tables: Mapping[Aggregate, TableName]) -> Relation:
    """With a scan in place of each aggregate; what is used in several places stays one object."""
    known: dict[Relation, Relation] = {each: _scan(each, table) for each, table in tables.items()}

    def visit(part: Relation) -> Relation:
        if part not in known:
            children = tuple(map(visit, part.children))
            is_same = all(new is old for new, old in zip(children, part.children, strict=True))
            known[part] = part if is_same else part.rebuild(children)
        return known[part]

    return visit(relation)


def _scan(aggregate: Aggregate, table: TableName) -> Scan:
    """Columns have the same names in the table."""
    return Scan(table, tuple((column, column) for column in aggregate.columns))
