"""How far a dynamic table is behind: the age of the oldest change upstream that it does not contain. Pure.

A table contains of each source the version that its last refresh recorded. A source that is a dynamic table
contains in turn what was recorded in that version of it, so a table over a stale one is stale, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta

from headrace.errors import LakeDamaged
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName
from headrace.model.table_history import TableHistory
from headrace.model.version import TableVersion
from headrace.refresh.record import RefreshRecord, from_summary

HistoryOf = Callable[[TableName], TableHistory | None]
"""None: there is no such table, or it cannot be read from here."""


class Lags:
    """Of the tables of a lake at one moment."""

    def __init__(self, tables: Mapping[TableName, DynamicTable], history_of: HistoryOf) -> None:
        self._tables = tables
        self._history_of = history_of
        self._known: dict[tuple[TableName, TableVersion | None], datetime | None] = {}

    def lag(self, table: DynamicTable, now: datetime) -> timedelta | None:
        """Zero where nothing is missing; None where none of what it reads can be read from here.

        A table that was never refreshed lags since its creation at the longest.
        """
        own = self._history_of(table.name)
        if own is None:
            return None
        record = record_in(own, own.version)
        oldest = self._oldest_unseen(table, record)
        if oldest is None:
            sources = table.definition.sources
            is_known = not sources or any(self._history_of(source.name) for source in sources)
            return timedelta(0) if is_known else None
        return max(now - (oldest if record else max(oldest, table.created_at)), timedelta(0))

    def _oldest_unseen(self, table: DynamicTable, record: RefreshRecord | None) -> datetime | None:
        return min(self._unseen(table, record), default=None)

    def _unseen(self, table: DynamicTable, record: RefreshRecord | None) -> Iterator[datetime]:
        for source in table.definition.sources:
            seen = record.versions.get(source.name) if record is not None else None
            key = (source.name, seen)
            if key not in self._known:
                self._known[key] = min(self._beyond(source.name, seen), default=None)
            found = self._known[key]
            if found is not None:
                yield found

    def _beyond(self, name: TableName, seen: TableVersion | None) -> Iterator[datetime]:
        """Changes of a source after a version of it, and those of what it reads that this version lacks."""
        history = self._history_of(name)
        if history is None:
            return
        change = history.first_change_after(seen)
        if change is not None:
            yield change
        upstream = self._tables.get(name)
        if upstream is not None:
            yield from self._unseen(upstream, record_in(history, seen))


def record_in(history: TableHistory, seen: TableVersion | None) -> RefreshRecord | None:
    """What a version of a dynamic table contains; of one that is not kept any more, what the newest does."""
    if seen is None or seen.uuid != history.version.uuid or seen.snapshot_id is None:
        return None
    is_kept = any(commit.snapshot_id == seen.snapshot_id for commit in history.commits)
    summary = history.bookkeeping.get(seen.snapshot_id) if is_kept else history.newest_bookkeeping
    try:
        return None if not summary else from_summary(summary)
    except LakeDamaged:
        return None
