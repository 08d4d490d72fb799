"""The extremes of groups that may have lost theirs, as a query of the rows of these groups."""

from __future__ import annotations

from collections.abc import Callable

from headrace.algebra.expressions import column_of
from headrace.algebra.names import Names
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.algebra.predicate_pushdown import with_predicates_pushed_down
from headrace.algebra.relation import Relation
from headrace.delta.key_lookups import KeyedRelation
from headrace.model.names import TableName
from headrace.refresh.layout import Layout

WithLookups = Callable[[Relation, Names], KeyedRelation]
"""A relation, with the scans that can be looked up by key."""


def extremes_of_lost_groups(table: TableName, layout: Layout, looked_up: WithLookups) -> KeyedRelation:
    """Reads the groups as changed rows of the table itself: the planner of look-ups takes those for few."""
    if layout.by_groups is None:
        raise ValueError("only groups by arithmetic keep extremes")
    names, keys = layout.names.fork(), layout.keys or ()
    lost = _lost_keys(table, keys, names.new(), [names.new() for _ in keys]) if keys else None
    groups = with_predicates_pushed_down(layout.by_groups.groups.recomputed(lost, names))
    return looked_up(groups, names)


def _lost_keys(table: TableName, keys: tuple[str, ...], weight: str, columns: list[str]) -> Relation:
    scan = Scan(table, tuple(zip(columns, keys, strict=True)), SourceVersion.CHANGE, weight)
    return Project(scan, tuple((f"{column}_lost", column_of(column)) for column in columns))
