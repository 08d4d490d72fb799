"""INCREMENTAL refresh: what the changes of the sources change in the table.

Where sources have insertions alone and the query turns insertions into insertions, the rows of the delta are
appended; otherwise they are merged. What has no rule is recomputed, and the reason says why. ``build_stages``
says how an increment is carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from headrace.algebra.names import Names
from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.algebra.relation import Relation
from headrace.algebra.walk import scans_of
from headrace.delta.change import Change
from headrace.delta.differentiate import differentiate
from headrace.delta.key_lookups import KeyedRelation, KeyFilter, with_key_lookups
from headrace.delta.monotone import obstacle
from headrace.lake.change_scan.changes import SMALL, ChangeEstimate, Changes, NoChangeScan, find_changes
from headrace.lake.lookup.key_lookup import IndexUse, index_needs, rows_without_index
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.counted import counted
from headrace.model.dynamic_table import DynamicTable
from headrace.model.estimate import Estimate
from headrace.model.history import Refresh
from headrace.model.key_index import IndexNeeds
from headrace.model.names import STATE_SCHEMA, TableName
from headrace.model.version import TableVersion
from headrace.refresh.column_meaning import changed_meaning
from headrace.refresh.cost import KnownIndexes, Sizes, corrected, estimate
from headrace.refresh.full import SMALL_ENOUGH_TO_COMPARE
from headrace.refresh.layout import CANNOT_COMPARE, Layout
from headrace.refresh.lost_groups import extremes_of_lost_groups
from headrace.refresh.observe import Observation
from headrace.refresh.record import RefreshRecord
from headrace.refresh.row_keys import key_columns
from headrace.refresh.row_positions import has_row_positions

MOST_KEYS = 20_000
"""By which rows are found; by more, reading the table in full takes no longer."""
MOST_FOUND = 200_000
"""Rows of a source that are found by key and kept in memory."""
STATE_PROPERTY = "state"
"""Of a table, by PROPERTIES: whether indexes and groups are stored that its refreshes use."""
STATES = tuple(IndexUse)
SMALL_TABLE = 1_000
"""Rows of a source that is kept in memory as a whole, where all its rows are needed."""
NeedsOf = Callable[[Table, tuple[str, ...]], IndexNeeds | None]
"""Which indexes a look-up by these columns needs; None: it uses none."""
LARGE = 0
"""Rows up to which a table is read in full for a few of its rows: finding them is cheaper even then."""


@dataclass(frozen=True)
class NoIncrement:
    """The table must be recomputed, for the reason given."""

    reason: str


@dataclass(frozen=True)
class Untouched:
    """What changed is named by the query, but no row of its result comes from it."""

    changes: Mapping[TableName, Changes]

    @property
    def reason(self) -> str:
        return "; ".join([*_describe_changes(self.changes), "the changed rows do not affect the result"])


@dataclass(frozen=True)
class Increment:
    table: DynamicTable
    layout: Layout
    observed: Observation
    record: RefreshRecord
    today: date
    change: Change
    """Of the layout's relation; of the rows below, for groups by arithmetic."""
    changes: Mapping[TableName, Changes]
    """By source that changed."""
    keyed: KeyedRelation
    """The change, with the scans of large sources that can be looked up by key; none if it is not small."""
    adds_only: bool
    by_sizes: Estimate
    cost: Estimate
    """Corrected by past refreshes."""

    @property
    def reason(self) -> str:
        return "; ".join([*_describe_changes(self.changes), str(self.cost)])

    @property
    def limit(self) -> int:
        """Rows that are kept in memory."""
        return SMALL

    @property
    def key_limit(self) -> int:
        """Keys by which rows are found."""
        return MOST_KEYS

    @property
    def found_limit(self) -> int:
        """Rows of a source that are kept in memory."""
        return MOST_FOUND

    def is_small_table(self, name: TableName) -> bool:
        table = self.observed.sources[name]
        return table.snapshot is not None and _rows(table) <= SMALL_TABLE

    @property
    def indexes(self) -> IndexUse:
        return index_use(self.table.properties)

    @property
    def is_applied_by_driver(self) -> bool:
        return _is_applied_by_driver(self.observed, self.changes)

    @property
    def may_lose_extremes(self) -> bool:
        return _may_lose_extremes(self.layout, self.changes)

    def looked_up(self, relation: Relation, names: Names) -> KeyedRelation:
        """``relation`` with the scans that can be looked up by key."""
        return _looked_up(relation, names, self.observed)

    @property
    def is_into_large_table(self) -> bool:
        return _rows(self.observed.target) > LARGE

    @property
    def reads_changes_alone(self) -> bool:
        """Whether the delta reads each change once and no whole table."""
        scans = scans_of(self.change.relation)
        tables = [scan.table for scan in scans]
        return all(scan.version is SourceVersion.CHANGE for scan in scans) and len(set(tables)) == len(tables)


def index_use(properties: Mapping[str, str]) -> IndexUse:
    """A table of an earlier version may have a property of that name that means something else."""
    asked = properties.get(STATE_PROPERTY)
    return IndexUse(asked) if asked in STATES else IndexUse.AUTO


def find_increment(
    table: DynamicTable,
    layout: Layout,
    observed: Observation,
    today: date,
    session: LakeSession,
    past: Sequence[Refresh],
    recomputed: Relation | None = None,
) -> Increment | Untouched | NoIncrement:
    """Reads no data; ``past`` are refreshes of the table, newest first, that tell how long they take.

    ``recomputed`` is what FULL computes, where that is not what the layout follows.
    """
    record = observed.record
    if record is None:
        raise ValueError("the first refresh has nothing to start from")
    if record.layout != layout.mark:
        return NoIncrement("the last refresh stored its rows in another layout")
    reassigned = changed_meaning(table.definition, record.versions, observed.sources)
    if reassigned is not None:
        return NoIncrement(reassigned)
    found = _changes(observed, record.versions, session)
    if isinstance(found, NoIncrement):
        return found
    if _may_lose_extremes(layout, found) and not _is_applied_by_driver(observed, found):
        layout = layout.by_keys
    needs = partial(index_needs, session, use=index_use(table.properties))
    return _followed(table, layout, observed, record, today, found, past, needs, recomputed)


def computed_by_keys(increment: Increment) -> Increment:
    """The same change of the same table, whose groups are computed again from all of their rows."""
    found = _followed(
        increment.table,
        increment.layout.by_keys,
        increment.observed,
        increment.record,
        increment.today,
        increment.changes,
        past=(),
    )
    if not isinstance(found, Increment):
        raise ValueError("what can be added up can be computed again")
    return found


def _followed(
    table: DynamicTable,
    layout: Layout,
    observed: Observation,
    record: RefreshRecord,
    today: date,
    found: Mapping[TableName, Changes],
    past: Sequence[Refresh],
    needs_of: NeedsOf = lambda _table, _keys: None,
    recomputed: Relation | None = None,
) -> Increment | Untouched | NoIncrement:
    relation, adds_up = layout.followed, layout.by_groups is not None
    names = layout.names.fork()
    change = differentiate(relation, frozenset(found), names)
    if change is None:
        return Untouched(found)
    adds_only = not adds_up and _inserts_only(found) and obstacle(relation) is None
    if not adds_only and not layout.follows_deletions:
        return NoIncrement(CANNOT_COMPARE)
    keyed = KeyedRelation(change.relation, {})
    if _is_applied_by_driver(observed, found):
        keyed = _looked_up(change.relation, names, observed)
    sizes = Sizes(
        {name: _rows(source) for name, source in observed.sources.items()},
        {name: changes.estimate.rows for name, changes in found.items()},
        _rows(observed.target),
    )
    finds_by_key = layout.keys is not None and sum(sizes.changes.values()) <= SMALL
    by_sizes = estimate(
        scans_of(recomputed or relation),
        scans_of(keyed.relation),
        sizes,
        adds_only=adds_only,
        adds_up=adds_up,
        finds_by_key=finds_by_key,
        writes_difference=sizes.result <= SMALL_ENOUGH_TO_COMPARE,
        looked_up=keyed.lookups,
        indexes=_known_indexes(
            [*keyed.lookups.items(), *_lookups_of_lost(table, layout, observed, found)],
            observed,
            layout,
            needs_of,
            of_result=finds_by_key and not adds_only,
        ),
    )
    cost = corrected(by_sizes, past)
    return Increment(table, layout, observed, record, today, change, found, keyed, adds_only, by_sizes, cost)


def _lookups_of_lost(
    table: DynamicTable, layout: Layout, observed: Observation, found: Mapping[TableName, Changes]
) -> list[tuple[Scan, KeyFilter]]:
    """Of groups that may lose an extreme, and are then computed again from their rows."""
    if not _may_lose_extremes(layout, found):
        return []
    if max(map(_rows, observed.sources.values())) <= rows_without_index(index_use(table.properties)):
        return []
    keyed = extremes_of_lost_groups(
        table.name, layout, lambda relation, names: _looked_up(relation, names, observed)
    )
    return list(keyed.lookups.items())


def _known_indexes(
    lookups: Sequence[tuple[Scan, KeyFilter]],
    observed: Observation,
    layout: Layout,
    needs_of: NeedsOf,
    *,
    of_result: bool,
) -> KnownIndexes:
    needs: dict[tuple[TableName, tuple[str, ...]], IndexNeeds | None] = {}
    sources = []
    for scan, needed in lookups:
        table = observed.sources[scan.table]
        keys = tuple(column for _, column in key_columns(scan, needed, table))
        if (scan.table, keys) not in needs:
            needs[scan.table, keys] = needs_of(table, keys)
        found = needs[scan.table, keys]
        sources += [scan] if found is not None and found.uses_index else []
    target = needs_of(observed.target, layout.findable_keys) if of_result else None
    to_index = sum(each.missing_rows for each in (*needs.values(), target) if each is not None)
    return KnownIndexes(frozenset(sources), target is not None and target.uses_index, to_index)


def _changes(
    observed: Observation, before: Mapping[TableName, TableVersion], session: LakeSession
) -> dict[TableName, Changes] | NoIncrement:
    found = {}
    for name in (name for name, state in observed.states.items() if state.changed):
        changes = find_changes(session, observed.sources[name], before[name])
        if isinstance(changes, NoChangeScan):
            return NoIncrement(changes.reason)
        found[name] = changes
    return found


def _looked_up(relation: Relation, names: Names, observed: Observation) -> KeyedRelation:
    return with_key_lookups(relation, names, lambda scan: _rows(observed.sources[scan.table]) <= LARGE)


def _rows(table: Table) -> int:
    return 0 if table.snapshot is None else table.snapshot.rows


def _may_lose_extremes(layout: Layout, changes: Mapping[TableName, Changes]) -> bool:
    """Rows may go from a group although none go from a source, as by NOT EXISTS."""
    if layout.by_groups is None or not layout.has_extremes:
        return False
    return not _inserts_only(changes) or obstacle(layout.by_groups.groups.aggregate.child) is not None


def _inserts_only(changes: Mapping[TableName, Changes]) -> bool:
    return all(each.estimate.insert_only for each in changes.values())


def _is_applied_by_driver(observed: Observation, changes: Mapping[TableName, Changes]) -> bool:
    return _is_small(changes) and has_row_positions(observed.target)


def _is_small(changes: Mapping[TableName, Changes]) -> bool:
    return sum(each.estimate.rows for each in changes.values()) <= SMALL


def _describe_changes(changes: Mapping[TableName, Changes]) -> list[str]:
    return [_describe_change(name, change.estimate) for name, change in changes.items()]


def _describe_change(name: TableName, estimate: ChangeEstimate) -> str:
    inserted, size = f"{counted(estimate.rows_added, 'row')} inserted", counted(estimate.bytes, "byte")
    shown = "stored groups" if name.schema == STATE_SCHEMA else name
    if estimate.insert_only:
        return f"{inserted} into {shown} ({size})"
    return f"{inserted} and {estimate.rows_removed} deleted in {shown} ({size})"
