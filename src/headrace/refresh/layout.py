"""How the rows of a dynamic table are kept, so that a change can find them again.

- groups that follow their rows by arithmetic: found by their keys, with hidden counts and sums;
- rows with an identity: found by it; what of it the query does not show is kept in hidden columns;
- other rows: found by all their columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from sqlglot import exp

from headrace.algebra.aligned_types import with_aligned_types
from headrace.algebra.build import build
from headrace.algebra.expressions import Expr, Item, column_of
from headrace.algebra.names import Names
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.set_operation import SetOperation
from headrace.algebra.predicate_pushdown import with_predicates_pushed_down
from headrace.algebra.relation import Relation
from headrace.algebra.unsupported import NoRule
from headrace.algebra.walk import parts_of
from headrace.delta.algebraic import groups_of
from headrace.delta.identify import identify
from headrace.delta.identity import Identified
from headrace.errors import NotSupportedError, ProgrammingError
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import Column, Definition, Source
from headrace.model.names import TableName
from headrace.model.stored_types import stored_type
from headrace.refresh.full import comparable
from headrace.refresh.group_values import GroupLayout, GroupValues, hidden_columns
from headrace.refresh.row_keys import is_findable
from headrace.refresh.scans import written
from headrace.sql.queries.dialect import HeadraceSpark
from headrace.sql.queries.hiding import is_hidden, only_columns
from headrace.sql.queries.qualify import UNREADABLE, qualified_tree

CANNOT_COMPARE = "rows with a MAP or VARIANT cannot be compared"
_SOME_DAY = date(2000, 1, 1)
_UNSTORABLE = re.compile(r"\b(interval|void|time\(\d\))")


@dataclass(frozen=True)
class NoLayout:
    """The query cannot be maintained by its changes."""

    reason: str
    rewrite: str | None = None
    """What the user can write instead."""


@dataclass(frozen=True)
class Layout:
    relation: Relation
    """Its columns are those of the table, in order."""
    columns: tuple[Column, ...]
    """Of the table: those of the query, then the hidden ones."""
    keys: tuple[str, ...] | None
    """The table's columns that tell its rows apart; None if only all together do."""
    names: Names
    by_groups: GroupLayout | None = None

    @property
    def hidden(self) -> tuple[Column, ...]:
        return hidden_columns(self.columns)

    @cached_property
    def group_values(self) -> GroupValues:
        return self._group_values(with_lost=False)

    @cached_property
    def group_values_with_lost(self) -> GroupValues:
        """The same, where extremes that may be lost are computed again."""
        return self._group_values(with_lost=True)

    def _group_values(self, *, with_lost: bool) -> GroupValues:
        if self.by_groups is None or self.keys is None:
            raise ValueError("only groups by arithmetic have states")
        return GroupValues(self.by_groups, self.columns, self.keys, with_lost=with_lost)

    @cached_property
    def followed(self) -> Relation:
        """The rows whose change is asked for: those below, where groups add it up."""
        rows = self.relation if self.by_groups is None else self.by_groups.groups.followed.relation
        return with_predicates_pushed_down(rows)

    @property
    def has_extremes(self) -> bool:
        """Whether groups keep least or greatest values, which may be lost when rows go."""
        return self.by_groups is not None and bool(self.by_groups.extremes)

    @cached_property
    def by_keys(self) -> Layout:
        """The same table, whose groups are computed again when a row of them changes."""
        return replace(self, by_groups=None)

    @property
    def sorted_by(self) -> tuple[str, ...]:
        """Columns by which files are sorted, so that rows are found in few pages of them.

        Rows that are made one by one from those of a table come in its order, which is that of their keys.
        """
        if not any(isinstance(part, Aggregate | SetOperation) for part in parts_of(self.relation)):
            return ()
        return self.findable_keys if self.keys else ()

    @property
    def findable_keys(self) -> tuple[str, ...]:
        """Those of its keys, or else of all columns, by which rows are found in a large table."""
        types = {column.name: column.type for column in self.columns}
        return tuple(key for key in (types if self.keys is None else self.keys) if is_findable(types[key]))

    @property
    def follows_deletions(self) -> bool:
        return self.by_groups is not None or comparable(self.columns)

    @property
    def mark(self) -> str:
        """What a refresh records: under another layout the hidden columns say nothing.

        The user's columns can be renamed, and are named by their positions.
        """
        kind = "groups" if self.by_groups else "rows" if self.keys is None else "keys"
        places = {c.name: c.name if is_hidden(c.name) else str(n) for n, c in enumerate(self.columns, 1)}
        keys = ", ".join(places[key] for key in self.keys or ())
        return f"{kind}({keys}; {', '.join(c.name for c in self.hidden)})"

    @property
    def row_identity(self) -> str:
        """How rows are identified, in words."""
        if self.keys is None:
            return "rows have no key: they are identified by all columns"
        keys = ", ".join(self.keys)
        if self.by_groups:
            groups = f"groups by {keys}" if keys else "a single group"
            return f"{groups}, with hidden counts, sums and extremes"
        return f"rows by {keys}" if keys else "a single row"


def plan_layout(
    definition: Definition,
    columns: tuple[Column, ...],
    tables: Mapping[TableName, Table],
    session: LakeSession,
) -> Layout | NoLayout:
    """Runs nothing; asks Spark for the types of what is kept."""
    names = Names()
    schema = {source.name: _present(source, tables[source.name]) for source in definition.sources}
    try:
        built = build(definition.expanded, schema, names)
    except NoRule as missing:
        return NoLayout(str(missing), missing.rewrite)
    grown = {name: columns for name, columns in schema.items() if tables[name].columns != columns}
    if not _read_faithfully(definition, schema, grown, session):
        return NoLayout("Headrace does not interpret the query exactly as Spark does")
    planner = _Planner(columns, names, tables, session)
    try:
        relation = with_aligned_types(built.relation, planner.types_of, names)
        found = planner.groups(relation) or planner.rows(relation)
    except (ProgrammingError, NotSupportedError) as error:
        return NoLayout(f"Spark refuses the query as Headrace writes it: {error.message}")
    return found or NoLayout("the column types differ from those that Spark derives")


def layout_of_groups(
    aggregate: Aggregate, names: Names, tables: Mapping[TableName, Table], session: LakeSession
) -> Layout | None:
    """Of a table of the groups of an aggregate, whose columns have the types that the aggregate gives them.

    None where the groups do not follow by arithmetic, or cannot be stored just as they are.
    """
    planner = _Planner((), names, tables, session)
    try:
        types = planner.types_of(aggregate)
        columns = tuple(Column(column, types[column]) for column in aggregate.columns)
        if any(stored_type(each.type) != each.type or not _can_be_stored(each) for each in columns):
            return None
        return replace(planner, visible=columns).groups(aggregate)
    except (ProgrammingError, NotSupportedError):
        return None


def _present(source: Source, table: Table) -> tuple[str, ...]:
    """The columns that the query knows, without those that were dropped since, which it cannot use."""
    present = {column.lower() for column in table.columns}
    return tuple(column for column in source.columns if column.lower() in present)


def _read_faithfully(
    definition: Definition,
    schema: Mapping[TableName, tuple[str, ...]],
    grown: Mapping[TableName, tuple[str, ...]],
    session: LakeSession,
) -> bool:
    """Whether Spark plans what the algebra starts from just as it plans the user's own text.

    ``grown`` are the sources that have more columns than the query knows.
    """
    try:
        tree = qualified_tree(definition.expanded, schema)
    except UNREADABLE:
        return False
    tree = tree.transform(_without_own_name)
    again = [tree.sql(dialect=HeadraceSpark)]
    crosses = [join for join in tree.find_all(exp.Join) if join.kind == "CROSS"]
    for join in crosses:
        join.set("kind", "INNER")
    if crosses:
        again.append(tree.sql(dialect=HeadraceSpark))
    own = only_columns(definition.expanded, grown).text
    return any(session.same_plan(own, only_columns(text, grown).text) for text in again)


def _without_own_name(node: Expr) -> Expr:
    """``t.c AS c`` as ``t.c``: the same to read, and Spark plans it alike in more places."""
    named = isinstance(node, exp.Alias) and isinstance(node.this, exp.Column)
    return node.this if named and node.alias == node.this.name else node


@dataclass(frozen=True)
class _Planner:
    visible: tuple[Column, ...]
    names: Names
    tables: Mapping[TableName, Table]
    session: LakeSession

    def groups(self, relation: Relation) -> Layout | None:
        plain = groups_of(relation, self.names)
        if plain is None:
            return None
        types = self.types_of(Project(plain.kept, (*plain.outputs, *_as_they_are(plain.kept.columns))))
        groups = plain.guarded(types, self.names)
        types |= {state.column: "bigint" for state in groups.states if state.may_overflow}
        shown = groups.shown(types)
        if shown is None:
            return None
        kept = groups.kept
        outputs = {item.name: n for n, (_, item) in enumerate(groups.outputs) if isinstance(item, exp.Column)}
        names: dict[str, str] = {}
        for number, (key, _) in enumerate(groups.aggregate.keys, 1):
            names[key] = self.visible[outputs[key]].name if key in outputs else f"__hr_key{number}"
        keys = tuple(names.values())
        for number, state in enumerate(groups.states):
            shown_as = outputs.get(groups.measure_of(state) or "")
            own = f"__hr_{state.kind}{number or ''}"
            names[state.column] = own if shown_as is None else self.visible[shown_as].name
        hidden = {column: name for column, name in names.items() if is_hidden(name)}
        relation = Project(kept, (*groups.outputs, *_as_they_are(hidden)))
        added = tuple(Column(name, stored_type(types[column])) for column, name in hidden.items())
        if not all(map(_can_be_stored, added)):
            return None
        layout = Layout(
            relation, (*self.visible, *added), keys, self.names, GroupLayout(groups, shown, names)
        )
        return layout if _fits(layout, types) else None

    def rows(self, relation: Relation) -> Layout | None:
        found = identify(relation, self.names, lambda name: self.tables[name].has_row_ids)
        return self._by_whole_rows(relation) if found is None else self._by_identity(relation, found)

    def _by_whole_rows(self, relation: Relation) -> Layout | None:
        layout = Layout(relation, self.visible, None, self.names)
        return layout if _fits(layout, self.types_of(relation)) else None

    def _by_identity(self, relation: Relation, found: Identified) -> Layout | None:
        shown = {column: place for place, column in enumerate(relation.columns)}
        hidden, keys = [], []
        for i in found.ids:
            if i.column in shown:
                keys.append(self.visible[shown[i.column]].name)
            else:
                hidden.append(i.column)
                keys.append(f"__hr_id{len(hidden)}")
        stored = Project(found.relation, _as_they_are((*relation.columns, *hidden)))
        types = self.types_of(stored)
        added = tuple(
            Column(f"__hr_id{number}", stored_type(types[column])) for number, column in enumerate(hidden, 1)
        )
        if not all(map(_can_be_stored, added)):
            return self._by_whole_rows(relation)
        layout = Layout(stored, (*self.visible, *added), tuple(keys), self.names)
        return layout if _fits(layout, types) else None

    def types_of(self, relation: Relation) -> dict[str, str]:
        query = written(relation, relation.columns, self.tables, _SOME_DAY)
        return {column.name: column.type for column in self.session.analyze(query).columns}


def _fits(layout: Layout, types: Mapping[str, str]) -> bool:
    given = [stored_type(types[column]) for column in layout.relation.columns]
    return given == [stored_type(column.type) for column in layout.columns]


def _can_be_stored(column: Column) -> bool:
    """Keys that the query does not show may be of any type, and Iceberg has no intervals."""
    return _UNSTORABLE.search(column.type) is None


def _as_they_are(columns: Iterable[str]) -> tuple[Item, ...]:
    return tuple((column, column_of(column)) for column in columns)
