"""What a number of changes come to: of each row, where it was before and what it is after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from headrace.errors import DataError
from headrace.ingest.cdc.changes import UNCHANGED, Change, Key, Operation, Row, SourceTable


@dataclass(frozen=True, slots=True)
class NetRow:
    operation: Operation
    key: Key | None
    """Of the row in the table that is changed; of an insert, of a row that must not be there."""
    row: Row
    """After the changes; of a delete, of no meaning."""


class NetChanges(Protocol):
    is_truncated: bool
    """Whether all rows that were in the table before are gone."""

    def add(self, change: Change) -> None: ...

    def rows(self) -> Iterator[NetRow]: ...


@dataclass(slots=True)
class _Entry:
    origin: Key | None
    """Where the row is in the table; None: nowhere yet."""
    row: Row


class KeyedChanges:
    """Of a table whose rows have keys."""

    def __init__(self, table: SourceTable) -> None:
        self._table = table
        self._current: dict[Key, _Entry] = {}
        """Rows that there are now, by the keys that they have now."""
        self._deleted: set[Key] = set()
        """Keys in the table whose rows are gone."""
        self.is_truncated = False

    def add(self, change: Change) -> None:
        match change.operation:
            case Operation.INSERT if change.new is not None:
                self._insert(change.new)
            case Operation.UPDATE if change.new is not None:
                self._update(change.old, change.new)
            case Operation.DELETE if change.old is not None:
                self._delete(self._table.key_of(change.old))
            case Operation.TRUNCATE:
                self._current, self._deleted, self.is_truncated = {}, set(), True

    def _insert(self, row: Row) -> None:
        if UNCHANGED in row.values():
            raise DataError(
                f"a row of {self._table.full_name} got another key while the table was first read,"
                " and the log does not have all of its values",
            )
        key = self._key_of(row)
        origin = key if key in self._deleted else None
        self._deleted.discard(key)
        self._current[key] = _Entry(origin, row)

    def _update(self, old: Row | None, new: Row) -> None:
        key = self._key_of(new)
        before = key if old is None else self._table.key_of({**new, **old})
        entry = self._current.pop(before, None) or _Entry(None if self.is_truncated else before, {})
        row = {
            name: entry.row.get(name, value) if value is UNCHANGED else value for name, value in new.items()
        }
        self._current[key] = _Entry(entry.origin, row)

    def _key_of(self, row: Row) -> Key:
        key = self._table.key_of(row)
        if None in key:
            raise DataError(
                f"a row of {self._table.full_name} has a zero date in its key, which is NULL in the lake"
            )
        return key

    def _delete(self, key: Key) -> None:
        entry = self._current.pop(key, None)
        origin = key if entry is None else entry.origin
        if origin is not None and not self.is_truncated:
            self._deleted.add(origin)

    def rows(self) -> Iterator[NetRow]:
        for key in self._deleted:
            yield NetRow(Operation.DELETE, key, {})
        moved = {entry.origin for key, entry in self._current.items() if entry.origin != key}
        for key, entry in self._current.items():
            if entry.origin is None:
                yield NetRow(Operation.INSERT, None if key in moved else key, entry.row)
            else:
                yield NetRow(Operation.UPDATE, entry.origin, entry.row)


class WholeRowChanges:
    """Of a table without a key: equal rows are counted."""

    def __init__(self, table: SourceTable) -> None:
        self._columns = [column.name for column in table.columns]
        self._counts: Counter[Key] = Counter()
        self.is_truncated = False

    def add(self, change: Change) -> None:
        if change.operation is Operation.TRUNCATE:
            self._counts, self.is_truncated = Counter(), True
        if change.old is not None:
            self._counts[self._whole(change.old)] -= 1
        if change.new is not None:
            self._counts[self._whole(change.new)] += 1

    def _whole(self, row: Row) -> Key:
        return tuple(value if isinstance(value := row.get(name), str) else None for name in self._columns)

    def rows(self) -> Iterator[NetRow]:
        for values, count in self._counts.items():
            operation = Operation.INSERT if count > 0 else Operation.DELETE
            row = dict(zip(self._columns, values, strict=True))
            for _ in range(abs(count)):
                yield NetRow(operation, None, row)


def net_changes_of(table: SourceTable) -> NetChanges:
    return KeyedChanges(table) if table.key else WholeRowChanges(table)
