"""Which changes of the log a table still needs, while it is first read in chunks and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum

from headrace.errors import DataError
from headrace.ingest.cdc.changes import UNCHANGED, Change, Key, Operation, Row, SourceTable, Transaction
from headrace.ingest.cdc.source import ChangeSource
from headrace.ingest.cdc.table_position import Phase, TablePosition


class SnapshotRestarts(Exception):
    """The rows that have been read so far are of no use: the table is read from its first row again."""


class _Region(IntEnum):
    """Of a key."""

    READ = 0
    IN_CHUNK = 1
    """In the open chunk, which may have the change already."""
    UNREAD = 2
    """A chunk to come has the change."""


def admitted(
    table: SourceTable, position: TablePosition, transactions: Sequence[Transaction], source: ChangeSource
) -> Iterator[tuple[Transaction, Change]]:
    """Changes after the position, as they are to be applied to the rows that the table has."""
    newer = [each for each in transactions if source.is_before(position.at, each.position)]
    pairs = [(each, change) for each in newer for change in each.changes if change.table == table.full_name]
    broken = next((change for _, change in pairs if change.operation is Operation.BREAK), None)
    if broken is not None:
        raise DataError(f"{table.full_name} cannot be followed: {broken.reason}")
    if position.phase is Phase.STREAMING or not pairs:
        yield from pairs
        return
    regions = _regions(table, position, [change for _, change in pairs], source)
    for transaction, change in pairs:
        if change.operation is Operation.TRUNCATE:
            raise SnapshotRestarts
        is_in_chunk = position.chunk is not None and source.sees(position.chunk, transaction)
        needed = frozenset({_Region.READ} if is_in_chunk else {_Region.READ, _Region.IN_CHUNK})
        needs_old, needs_new = (regions[key] in needed for key in _keys(table, change))
        if (applied := _applied(change, needs_old, needs_new, table)) is not None:
            yield transaction, applied


def _applied(change: Change, needs_old: bool, needs_new: bool, table: SourceTable) -> Change | None:
    """A row whose key has changed may leave the part of the table that has been read, or come into it."""
    if change.operation is not Operation.UPDATE or needs_old is needs_new:
        return change if needs_new else None
    if needs_old:
        return Change(change.table, Operation.DELETE, None, change.old)
    if change.new is None or UNCHANGED in change.new.values():
        raise SnapshotRestarts
    return Change(change.table, Operation.INSERT, change.new)


def _keys(table: SourceTable, change: Change) -> tuple[Key, Key]:
    """Before and after; the same where there is one."""
    new, old = change.new, change.old
    after: Row = new if new is not None else old or {}
    before: Row = after if old is None else {**after, **old}
    return table.key_of(before), table.key_of(after)


def _regions(
    table: SourceTable, position: TablePosition, changes: Iterable[Change], source: ChangeSource
) -> dict[Key, _Region]:
    keys = list(
        {key for each in changes if each.operation is not Operation.TRUNCATE for key in _keys(table, each)}
    )
    unread = _beyond(table, keys, position.upto, source, otherwise=not position.is_complete)
    after = position.chunk.after if position.chunk is not None else position.upto
    is_read = position.chunk is None and position.is_complete
    in_chunk = _beyond(table, keys, after, source, otherwise=not is_read)
    return {
        key: _Region.UNREAD if is_unread else _Region.IN_CHUNK if is_in_chunk else _Region.READ
        for key, is_unread, is_in_chunk in zip(keys, unread, in_chunk, strict=True)
    }


def _beyond(
    table: SourceTable, keys: Sequence[Key], boundary: Key | None, source: ChangeSource, *, otherwise: bool
) -> Sequence[bool]:
    return [otherwise] * len(keys) if boundary is None else source.beyond(table, keys, boundary)
