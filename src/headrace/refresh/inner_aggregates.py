"""Aggregates inside a query, whose groups can be kept in tables of their own.

What is above an aggregate (HAVING, another aggregate, a join) needs its old and its new rows. Where its
groups are kept and followed by arithmetic, these are the rows of that table that change:

    d f(aggregate(X), Y) = d f(T, Y)     T: the table of the groups of X, which is refreshed first

So a query becomes a chain of aggregates at the top, none of which reads the rows of a group again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, replace

from sqlglot import exp

from headrace.algebra.expressions import Expr
from headrace.algebra.inner_aggregates import innermost_aggregates, over_tables
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.scan import Scan
from headrace.algebra.predicate_pushdown import with_predicates_pushed_down
from headrace.algebra.relation import Relation
from headrace.algebra.render import render
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import DEFAULT_WORKSPACE, STATE_SCHEMA, TableName
from headrace.refresh.layout import Layout, layout_of_groups
from headrace.sql.queries.dialect import HeadraceSpark


@dataclass(frozen=True)
class StoredGroups:
    """The table of the groups of an aggregate."""

    name: TableName
    aggregate: Aggregate
    layout: Layout


@dataclass(frozen=True)
class Nested:
    """A query and the aggregates inside it whose groups can be kept."""

    layout: Layout
    rows: Relation
    """Of which the aggregates are parts."""
    groups: tuple[StoredGroups, ...]

    @property
    def over_groups(self) -> Layout:
        """The layout of the same table, where the groups are read from their own tables."""
        rows = over_tables(self.rows, {each.aggregate: each.name for each in self.groups})
        by_groups = self.layout.by_groups
        if by_groups is None:
            return replace(self.layout, relation=rows)
        groups = replace(by_groups.groups, aggregate=replace(by_groups.groups.aggregate, child=rows))
        return replace(
            self.layout,
            relation=self.layout.relation.rebuild((groups.kept,)),
            by_groups=replace(by_groups, groups=groups),
        )


def nested_of(
    table: DynamicTable,
    layout: Layout,
    tables: Mapping[TableName, Table],
    known: MutableMapping[str, Nested],
    session: LakeSession,
) -> Nested:
    """``known`` are those that were found before, by the ids of their tables."""
    found = known.get(table.id)
    if found is None or found.layout is not layout:
        found = known[table.id] = find_nested(table, layout, tables, session)
    return found


def find_nested(
    table: DynamicTable, layout: Layout, tables: Mapping[TableName, Table], session: LakeSession
) -> Nested:
    """Runs nothing; asks Spark for the types of what is kept."""
    top = layout.relation if layout.by_groups is None else layout.by_groups.groups.aggregate.child
    rows = with_predicates_pushed_down(top)
    groups = []
    for aggregate in innermost_aggregates(rows):
        kept = layout_of_groups(aggregate, layout.names, tables, session)
        if kept is not None:
            groups.append(StoredGroups(_name(table, aggregate, kept), aggregate, kept))
    return Nested(layout, rows, tuple(groups))


def is_of(name: str, table: DynamicTable) -> bool:
    """Whether a table of groups belongs to the dynamic table, under this definition or another one."""
    return name.startswith(f"{table.id}_")


def owner_of(name: str) -> str:
    """The id of a dynamic table."""
    return name.rpartition("_")[0]


def _name(table: DynamicTable, aggregate: Aggregate, layout: Layout) -> TableName:
    """Another one whenever other rows or columns would be in it."""
    query = render(aggregate, _table_of).sql(dialect=HeadraceSpark)
    said = repr((table.definition.fingerprint, query, layout.columns, layout.mark))
    digest = hashlib.sha256(said.encode()).hexdigest()[:16]
    return TableName(DEFAULT_WORKSPACE, STATE_SCHEMA, f"{table.id}_{digest}")


def _table_of(scan: Scan) -> Expr:
    return exp.to_table(scan.table.sql, dialect=HeadraceSpark)
