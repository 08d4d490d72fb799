"""Transactions of the binary log, as the replication library reads its events."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from pymysqlreplication import BinLogStreamReader
from pymysqlreplication.constants import BINLOG
from pymysqlreplication.event import (
    FormatDescriptionEvent,
    GtidEvent,
    MariadbGtidEvent,
    NotImplementedEvent,
    QueryEvent,
    XAPrepareEvent,
    XidEvent,
)
from pymysqlreplication.row_event import (
    DeleteRowsEvent,
    PartialUpdateRowsEvent,
    RowsEvent,
    TableMapEvent,
    UpdateRowsEvent,
    WriteRowsEvent,
)

from headrace.errors import DataError, OperationalError
from headrace.ingest.cdc.changes import Change, Operation, SourceColumn, SourceTable, Transaction
from headrace.ingest.cdc.mysql.binlog_position import BinlogPosition
from headrace.ingest.cdc.mysql.catalog import DescribedTable
from headrace.ingest.cdc.mysql.row_image import Reader, read_rows, reader_of, type_of
from headrace.ingest.cdc.mysql.statements import altered, effects

EVENTS = (
    FormatDescriptionEvent,
    QueryEvent,
    XidEvent,
    XAPrepareEvent,
    GtidEvent,
    MariadbGtidEvent,
    TableMapEvent,
    WriteRowsEvent,
    UpdateRowsEvent,
    DeleteRowsEvent,
    PartialUpdateRowsEvent,
    NotImplementedEvent,
)
_STANDALONE = 1
"""A flag of MariaDB's GTID: the event after it is the whole group."""
_UNREADABLE = {
    26: "an incident: changes were lost",
    39: "parts of JSON values; set binlog_row_value_options = ''",
    40: "compressed transactions; set binlog_transaction_compression = OFF",
    **dict.fromkeys(range(165, 172), "compressed events; set log_bin_compress = OFF"),
}
"""Types of events that have changes which cannot be read."""
Describe = Callable[[str], DescribedTable | None]


def _skip_session_variables(event: QueryEvent, first: int) -> None:
    """The library fails at variables that it does not know, and servers add new ones; none is used."""
    event.packet.advance(event.status_vars_length - 1)


QueryEvent._read_status_vars_value_for_key = _skip_session_variables


@dataclass(frozen=True)
class _Image:
    """How the rows of a table are written in the log."""

    columns: tuple[Any, ...]
    """As the library has them."""
    readers: tuple[Reader, ...]


class BinlogReader:
    """One reading of the log."""

    def __init__(
        self, stream: BinLogStreamReader, since: BinlogPosition, tables: Collection[str], describe: Describe
    ) -> None:
        self._stream = stream
        self._tables = frozenset(tables)
        self._describe = describe
        self._described: dict[str, DescribedTable | None] = {}
        self._images: dict[tuple[Any, ...], _Image] = {}
        self._seen: dict[str, _Image] = {}
        self._pending: list[Change] = []
        self.altered: set[str] = set()
        """Tables whose columns may have changed."""
        self._is_open = False
        """Whether events have been read of a group that has not ended."""
        self._has_begun = False
        """Whether that group is a transaction of several events."""
        self._created = 0
        self.start = since
        """Where it begins; from the first event on, with the time at which the file was created."""
        self.end = since
        """After the last transaction that was read."""

    def open(self) -> None:
        """Reads the description of the file, which comes first."""
        while not self._created and (event := self._stream.fetchone()) is not None:
            self._ended_by(event)

    def transactions(self, most_changes: int) -> Iterator[Transaction]:
        """Up to the end of the log, or of the transaction that has so many changes with those before it."""
        self.open()
        count = 0
        while (event := self._stream.fetchone()) is not None:
            changes = self._ended_by(event)
            if changes is None:
                continue
            self._is_open, self._has_begun, self._pending, self.end = False, False, [], self._here()
            if changes:
                moment = datetime.fromtimestamp(event.timestamp, UTC)
                position = str(replace(self.end, created=0))
                yield Transaction(self.end.id, position, moment, changes)
            count += len(changes)
            if count >= most_changes:
                return
        if not self._is_open:
            self.end = self._here()

    def _here(self) -> BinlogPosition:
        here = BinlogPosition.of(self._stream.log_file, self._stream.log_pos)
        return replace(here, created=self._created)

    def _ended_by(self, event: Any) -> list[Change] | None:
        """The changes of the transaction that the event ends; None: it does not end one."""
        match event:
            case RowsEvent():
                self._pending += self._changes(event)
            case XidEvent():
                return self._pending
            case QueryEvent():
                return self._query(event)
            case XAPrepareEvent():
                return self._pending if event.one_phase else self._broken("XA transactions are not supported")
            case FormatDescriptionEvent():
                self._describe_file(event.timestamp)
            case GtidEvent():
                self._is_open = True
            case MariadbGtidEvent():
                self._is_open, self._has_begun = True, not event.flags & _STANDALONE
            case NotImplementedEvent():
                self._is_open = self._is_open or event.event_type == BINLOG.ANONYMOUS_GTID_LOG_EVENT
                if event.event_type in _UNREADABLE:
                    raise OperationalError(f"the binary log has {_UNREADABLE[event.event_type]}")
        return None

    def _describe_file(self, created: int) -> None:
        """A file comes with its description, also when it is read from a place inside of it."""
        if not self._created and self.start.created not in (0, created):
            raise OperationalError(
                f"the binary log has begun again since {self.start.file} was read, so changes may be missing",
                hint="ALTER SYNC name RESYNC reads all tables again",
            )
        if not self._created:
            self.start = replace(self.start, created=created)
        self._created = created

    def _query(self, event: QueryEvent) -> list[Change] | None:
        words = event.query.upper().split(maxsplit=2)
        match words:
            case ["BEGIN", *_] | ["SAVEPOINT", *_] | ["XA", "START" | "END", *_]:
                self._is_open = self._has_begun = True
                return None
            case ["COMMIT", *_]:
                return self._pending
            case ["ROLLBACK", "TO", *_] if self._pending:
                self._pending = self._broken("the log has rows that were rolled back to a savepoint")
                return None
            case ["ROLLBACK", *_]:
                return []
        schema = event.schema.decode() if isinstance(event.schema, bytes) else event.schema
        self._pending += effects(event.query, schema, self._tables)
        self.altered |= altered(event.query, schema, self._tables)
        return None if self._has_begun else self._pending

    def _broken(self, reason: str) -> list[Change]:
        return [
            Change(table, Operation.BREAK, reason=reason) for table in {each.table for each in self._pending}
        ]

    def _changes(self, event: RowsEvent) -> Iterator[Change]:
        name = f"{event.schema}.{event.table}"
        if name not in self._tables:
            return
        described = self._described_table(name)
        if described is None:
            yield Change(name, Operation.BREAK, reason="it does not exist any more")
            return
        try:
            image = self._image(event)
            self._seen[name] = image
            yield from _rows(event, name, image, described.table.key)
        except DataError as error:
            yield Change(name, Operation.BREAK, reason=error.message)

    def _described_table(self, name: str) -> DescribedTable | None:
        if name not in self._described:
            self._described[name] = self._describe(name)
        return self._described[name]

    def _image(self, event: RowsEvent) -> _Image:
        columns = tuple(event.columns)
        if any(column.name is None for column in columns):
            raise OperationalError(
                "the binary log does not have the names of columns",
                hint="SET GLOBAL binlog_row_metadata = 'FULL', then ALTER SYNC name RESYNC",
            )
        signature = tuple(tuple(map(str, vars(column).values())) for column in columns)
        if signature not in self._images:
            self._images[signature] = _Image(columns, tuple(map(reader_of, columns)))
        return self._images[signature]

    def table(self, name: str) -> SourceTable:
        """One that was changed, with the columns that it had last."""
        described, image = self._described_table(name), self._seen.get(name)
        if described is None:
            schema, _, own = name.partition(".")
            return SourceTable(schema, own, (), ())
        return described.table if image is None else _source_table(described, image)


def _rows(event: RowsEvent, name: str, image: _Image, key: tuple[str, ...]) -> Iterator[Change]:
    bitmaps = [event.columns_present_bitmap, getattr(event, "columns_present_bitmap2", None)]
    count = len(image.columns)
    if any(int.from_bytes(each, "little").bit_count() < count for each in bitmaps if each is not None):
        raise DataError("the log has rows without all columns; binlog_row_image must be FULL in all sessions")
    if not set(key) <= {column.name for column in image.columns}:
        raise DataError("its key has changed")
    data = event.packet.read(event.event_size - event.packet.read_bytes)
    rows = read_rows(data, image.columns, image.readers)
    match event:
        case UpdateRowsEvent():
            for before, after in zip(rows, rows, strict=True):
                yield Change(name, Operation.UPDATE, after, _old(before, after, key))
        case WriteRowsEvent():
            yield from (Change(name, Operation.INSERT, row) for row in rows)
        case DeleteRowsEvent():
            yield from (Change(name, Operation.DELETE, None, row) for row in rows)


def _old(
    before: dict[str, str | None], after: dict[str, str | None], key: tuple[str, ...]
) -> dict[str, str | None] | None:
    """What says which row was updated: its key, if that has changed; without a key, the whole row."""
    if not key:
        return before
    old = {column: before[column] for column in key}
    return None if all(after[column] == value for column, value in old.items()) else old


def _source_table(described: DescribedTable, image: _Image) -> SourceTable:
    known = {column.name: column for column in described.table.columns}
    columns = []
    for each in image.columns:
        if each.name in described.generated:
            continue
        kind = type_of(each)
        spark = kind.spark()
        if spark is None:
            raise DataError(f"column {each.name} has a type that is not supported in the log: {kind.name}")
        has_default = each.name not in known or known[each.name].has_default
        columns.append(SourceColumn(each.name, *spark, kind.shown, has_default))
    table = described.table
    return SourceTable(table.schema, table.name, tuple(columns), table.key)
