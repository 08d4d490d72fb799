"""The position indexes of a lake: which there are, of which tables, and which are of no use any more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from headrace.lake.file_systems import NotReadHere, exists
from headrace.lake.lookup.index_files import directory_usage, remove_unfinished, stored_indexes
from headrace.model.key_index import IndexDescription, IndexUsage, StoredIndex
from headrace.model.names import DEFAULT_WORKSPACE, DROPPED_SCHEMA, TableName
from headrace.model.table_history import TableHistory

Histories = Callable[[], Mapping[TableName, TableHistory | None]]
"""Of all tables of the lake; None of one whose metadata cannot be read here."""


@dataclass(frozen=True)
class ListedIndex:
    stored: StoredIndex
    table: TableName | None
    """As it is called now; None if the file does not say."""
    columns: tuple[str, ...]
    table_is_gone: bool

    @property
    def is_orphaned(self) -> bool:
        """Whether its data file is gone, so that nothing can use it; asks the file system."""
        of = self.stored.description
        return of is None or self.table_is_gone or _is_gone(of.location)


@dataclass(frozen=True)
class LakeIndexes:
    directory: Path
    histories: Histories

    def all(self) -> list[ListedIndex]:
        """Without Spark. A table that is created meanwhile is known when its indexes are listed."""
        stored = list(stored_indexes(self.directory))
        return _listed(stored, self.histories()) if stored else []

    def usage(self) -> IndexUsage:
        """Reads no file."""
        return directory_usage(self.directory)

    def remove_orphans(self, now: datetime) -> int:
        """And what killed processes have left; the number of files that were deleted."""
        return self._remove(self.all()) + remove_unfinished(self.directory, now)

    def remove_orphans_of(self, table: TableName) -> int:
        return self._remove([index for index in self.all() if index.table == table])

    def _remove(self, indexes: Iterable[ListedIndex]) -> int:
        orphans = [index for index in indexes if index.is_orphaned]
        for index in orphans:
            index.stored.path.unlink(missing_ok=True)
        return len(orphans)


def _listed(
    stored: list[StoredIndex], histories: Mapping[TableName, TableHistory | None]
) -> list[ListedIndex]:
    known = {history.version.uuid: (name, history) for name, history in histories.items() if history}
    knows_all = all(histories.values())
    return [_named(index, known, knows_all) for index in stored]


def _named(
    index: StoredIndex, known: Mapping[str, tuple[TableName, TableHistory]], knows_all: bool
) -> ListedIndex:
    of = index.description
    if of is None:
        return ListedIndex(index, None, (), table_is_gone=True)
    if of.uuid not in known:
        is_gone = knows_all and of.table.workspace == DEFAULT_WORKSPACE
        return ListedIndex(index, of.table, _names(of, {}), is_gone)
    name, history = known[of.uuid]
    shown = of.table if name.schema == DROPPED_SCHEMA else name
    names = {field_id: column for column, field_id in history.columns.items()}
    return ListedIndex(index, shown, _names(of, names), table_is_gone=False)


def _names(of: IndexDescription, now: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(now.get(field_id, name) for field_id, name in of.columns)


def _is_gone(location: str) -> bool:
    """A file of versions that have expired is deleted with them; what cannot be reached may exist."""
    try:
        return not exists(location)
    except NotReadHere:
        return False
