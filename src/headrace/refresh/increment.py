"""INCREMENTAL refresh: what the changes of the sources change in the table.

Where sources have insertions alone and the query turns insertions into insertions, the rows of the delta are
appended; otherwise they are merged. A small delta is computed once, before, so that the merge knows which
rows of the table to look at. What has no rule is recomputed, and the reason says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import date

from headrace.algebra.operators.scan import Version
from headrace.algebra.walk import scans_of
from headrace.delta.change import Change
from headrace.delta.differentiate import differentiate
from headrace.delta.monotone import obstacle
from headrace.lake.changes import ChangeEstimate, Changes, NoChangeScan, find_changes
from headrace.lake.measure import Execution
from headrace.lake.session import LakeSession
from headrace.lake.small_result import SmallResult, small_result
from headrace.model.dynamic_table import DynamicTable
from headrace.model.estimate import Estimate
from headrace.model.history import Refresh
from headrace.model.names import TableName
from headrace.model.version import TableVersion
from headrace.refresh.column_meaning import changed_meaning
from headrace.refresh.cost import Sizes, corrected, estimate
from headrace.refresh.delta_sql import DeltaSql, listed
from headrace.refresh.find_rows import among, listable, same_row
from headrace.refresh.full import SMALL_ENOUGH_TO_COMPARE
from headrace.refresh.layout import CANNOT_COMPARE, Layout
from headrace.refresh.look import Look
from headrace.refresh.merge_groups import merge_groups
from headrace.refresh.merge_keys import merge_keys
from headrace.refresh.merge_rows import merge_rows
from headrace.refresh.place import among_stored, can_place, in_order, placed_inserts, stored
from headrace.refresh.record import RefreshRecord
from headrace.refresh.write import Rows, Way, Write

SMALL = 20_000
"""Changed rows up to which a delta is kept in memory and written without Spark."""
LARGE = 100_000
"""Rows of the table from which on a delta is known before its old rows are looked for."""


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
        return "; ".join([*_told_each(self.changes), "the changed rows do not affect the result"])

    def write(self, _target: str, _session: LakeSession, _stack: ExitStack) -> Write:
        return Write(Way.NOTHING, None)


@dataclass(frozen=True)
class Increment:
    table: DynamicTable
    layout: Layout
    seen: Look
    record: RefreshRecord
    today: date
    change: Change
    """Of the layout's relation; of the rows below, for groups by arithmetic."""
    changes: Mapping[TableName, Changes]
    """By source that changed; to be entered before anything is written."""
    adds_only: bool
    by_sizes: Estimate
    cost: Estimate
    """Corrected by past refreshes."""

    @property
    def reason(self) -> str:
        return "; ".join([*_told_each(self.changes), str(self.cost)])

    def write(self, target: str, session: LakeSession, stack: ExitStack) -> Write:
        """What is read stays readable until ``stack`` is closed."""
        staged = {name: stack.enter_context(changes).sql for name, changes in self.changes.items()}
        if not (self.is_small and can_place(self.seen.target)):
            return self.in_one_statement(target, staged)
        collected = _Collected(session, stack)
        with session.without_adaptive_plans():
            if not self._reads_changes_alone:
                staged = {name: collected.small(sql) or sql for name, sql in staged.items()}
            rows = self._placed(staged, collected)
        if rows is None:
            return replace(self.in_one_statement(target, staged), before=collected.executions)
        if rows.count == 0:
            return Write(Way.NOTHING, None, collected.executions)
        way, keys = (Way.APPEND, None) if self.adds_only else (Way.MERGE, self.layout.keys)
        return Write(way, None, collected.executions, Rows(rows, keys))

    def _placed(self, changes: Mapping[TableName, str], collected: _Collected) -> SmallResult | None:
        """The rows to be written; None if they are too many to keep."""
        table = self.seen.target
        columns = [column.name for column in self.layout.columns]
        if self.adds_only:
            return collected.rows(in_order(placed_inserts(self._sql.delta(changes)), table, columns))
        query, kept = self._sql.to_apply(changes), self._stored()
        if self._is_large or self.layout.keys is None:
            found = collected.rows(query)
            if found is None or found.count == 0:
                return found
            query = found.readable
            if self._is_large:
                kept = self._old_rows(found)
        return collected.rows(in_order(self._sql.with_places(query, kept), table, columns))

    def _old_rows(self, changed: SmallResult) -> str:
        """Of a large table those that may be concerned."""
        columns, keys = self.layout.columns, self.layout.keys
        searched = listable(columns, keys or ())
        rows = changed.values([key.asked for key in searched]) if searched else []
        kept = self._stored(among(searched, rows))
        telling = [column.name for column in columns] if keys is None else keys
        return among_stored(kept, changed.readable, same_row(telling, searched, rows))

    def _stored(self, condition: str = "") -> str:
        within = self.seen.within.sql("__hr_old") if self.seen.within else ""
        conditions = " AND ".join(filter(None, (within, condition)))
        return stored(self.seen.target, self._sql.columns_of_old, conditions)

    @property
    def _sql(self) -> DeltaSql:
        return DeltaSql(self.layout, self.change, self.seen.sources, self.record.versions, self.today)

    @property
    def _is_large(self) -> bool:
        snapshot = self.seen.target.snapshot
        return snapshot is not None and snapshot.rows > LARGE

    @property
    def is_small(self) -> bool:
        return sum(_rows(changes.estimate) for changes in self.changes.values()) <= SMALL

    @property
    def _reads_changes_alone(self) -> bool:
        """Whether the delta reads each change once and no whole table."""
        scans = scans_of(self.change.relation)
        tables = [scan.table for scan in scans]
        return all(scan.version is Version.CHANGE for scan in scans) and len(set(tables)) == len(tables)

    def in_one_statement(self, target: str, changes: Mapping[TableName, str]) -> Write:
        """In one statement; ``changes`` are the queries of the changes, or stand for them."""
        if self.adds_only:
            return self._append(target, changes)
        return Write(Way.MERGE, self._merge(target, self._sql.to_apply(changes)))

    def _append(self, target: str, changes: Mapping[TableName, str]) -> Write:
        names = listed([column.name for column in self.layout.columns])
        insert = f"INSERT INTO {target} ({names})\nSELECT {names} FROM (\n{self._sql.delta(changes)}\n)"
        return Write(Way.APPEND, insert)

    def _merge(self, target: str, source: str) -> str:
        layout, within = self.layout, self.seen.within
        if layout.by_groups is not None:
            return merge_groups(target, layout, source, within)
        if layout.keys is not None:
            return merge_keys(target, layout.columns, layout.keys, source, within)
        version = self.seen.target.version.snapshot_id
        if version is None:
            raise ValueError("there is nothing to merge into before the first refresh")
        names = [column.name for column in layout.columns]
        return merge_rows(target, self.table.name, version, names, source, within)


class _Collected:
    """Small results that later queries read, each computed once."""

    def __init__(self, session: LakeSession, stack: ExitStack) -> None:
        self._session = session
        self._stack = stack
        self._found: list[SmallResult | Execution] = []

    def rows(self, query: str) -> SmallResult | None:
        """None if there are too many to keep."""
        found = self._stack.enter_context(small_result(self._session, query, SMALL))
        self._found.append(found)
        return found if isinstance(found, SmallResult) else None

    def small(self, query: str) -> str | None:
        """A query that reads the rows kept; None if there are too many."""
        found = self.rows(query)
        return None if found is None else found.readable

    @property
    def executions(self) -> tuple[Execution, ...]:
        return tuple(f.execution if isinstance(f, SmallResult) else f for f in self._found)


def find_increment(
    table: DynamicTable,
    layout: Layout,
    seen: Look,
    today: date,
    session: LakeSession,
    past: Iterable[Refresh],
) -> Increment | Untouched | NoIncrement:
    """Reads no data; ``past`` are refreshes of the table that tell how long they take."""
    record = seen.record
    if record is None:
        raise ValueError("the first refresh has nothing to start from")
    if record.layout != layout.mark:
        return NoIncrement("the last refresh stored its rows in another layout")
    reassigned = changed_meaning(table.definition, record.versions, seen.sources)
    if reassigned is not None:
        return NoIncrement(reassigned)
    found = _changes(seen, record.versions, session)
    if isinstance(found, NoIncrement):
        return found
    relation, adds_up = layout.followed, layout.by_groups is not None
    change = differentiate(relation, frozenset(found), layout.names)
    if change is None:
        return Untouched(found)
    inserted_only = all(changes.estimate.insert_only for changes in found.values())
    adds_only = not adds_up and inserted_only and obstacle(relation) is None
    if not adds_only and not layout.follows_deletions:
        return NoIncrement(CANNOT_COMPARE)
    target = seen.target.snapshot
    sizes = Sizes(
        {name: source.snapshot.rows if source.snapshot else 0 for name, source in seen.sources.items()},
        {name: _rows(changes.estimate) for name, changes in found.items()},
        target.rows if target else 0,
    )
    by_sizes = estimate(
        scans_of(relation),
        scans_of(change.relation),
        sizes,
        adds_only=adds_only,
        adds_up=adds_up,
        finds_by_key=layout.keys is not None and sum(sizes.changes.values()) <= SMALL,
        writes_difference=sizes.result <= SMALL_ENOUGH_TO_COMPARE,
    )
    cost = corrected(by_sizes, past)
    return Increment(table, layout, seen, record, today, change, found, adds_only, by_sizes, cost)


def _changes(
    seen: Look, before: Mapping[TableName, TableVersion], session: LakeSession
) -> dict[TableName, Changes] | NoIncrement:
    found = {}
    for name in (name for name, state in seen.states.items() if state.changed):
        changes = find_changes(session, seen.sources[name], before[name])
        if isinstance(changes, NoChangeScan):
            return NoIncrement(changes.reason)
        found[name] = changes
    return found


def _rows(estimate: ChangeEstimate) -> int:
    return estimate.rows_added + estimate.rows_removed


def _told_each(changes: Mapping[TableName, Changes]) -> list[str]:
    return [_told(name, change.estimate) for name, change in changes.items()]


def _told(name: TableName, estimate: ChangeEstimate) -> str:
    if estimate.insert_only:
        return f"{estimate.rows_added} rows inserted into {name} ({estimate.bytes} bytes)"
    changed = f"{estimate.rows_added} rows inserted and {estimate.rows_removed} deleted"
    return f"{changed} in {name} ({estimate.bytes} bytes)"
