"""MySQL and MariaDB as a source of changes.

The log is read as a replica reads it. The server keeps nothing for a sync: it deletes its log when it is old.

A chunk of rows is read in a transaction whose snapshot is that of a known place in the log: MariaDB says
which place that is. Where the server does not, the table is locked against writes for the moment in which the
transaction begins. Changes before that place are in the chunk, and those after it are not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from pymysql.connections import Connection
from pymysql.cursors import SSCursor

from headrace.errors import DataError, OperationalError, Refused
from headrace.ingest.cdc.changes import Key, SourceTable, Transaction
from headrace.ingest.cdc.copy_file import write_rows
from headrace.ingest.cdc.mysql.binlog import BinlogReader
from headrace.ingest.cdc.mysql.binlog_position import FIRST_OFFSET, BinlogPosition
from headrace.ingest.cdc.mysql.catalog import MysqlCatalog
from headrace.ingest.cdc.mysql.connect import MysqlServer
from headrace.ingest.cdc.mysql.errors import mysql_errors
from headrace.ingest.cdc.mysql.quoting import quote_name, quote_table
from headrace.ingest.cdc.mysql.server_settings import expect_settings
from headrace.ingest.cdc.mysql.types import is_ordered, key_literal, select_expression
from headrace.ingest.cdc.source import Chunk, Identity, LogPart
from headrace.ingest.cdc.table_position import OpenChunk, Phase, TablePosition
from headrace.ingest.protocol import Lag

_MOST_CHANGES = 200_000
"""Of one part of the log; a transaction is never split."""
_BEGIN = "START TRANSACTION WITH CONSISTENT SNAPSHOT"
_SNAPSHOT_POSITION = "SHOW STATUS LIKE 'binlog\\_snapshot\\_%'"
_COMPARED_KEYS = 1000


class MysqlSource:
    def __init__(self, server: MysqlServer) -> None:
        self._server = server
        self._connection: Connection = server.connect()

    def check(self) -> str:
        with mysql_errors():
            expect_settings({row[0]: row[1] for row in self._rows("SHOW GLOBAL VARIABLES")})
            self._dated(self._head())
            return f"{'MariaDB' if self._is_mariadb else 'MySQL'} {self._version}"

    def discover(self, patterns: Sequence[str]) -> Sequence[Identity]:
        with mysql_errors():
            return MysqlCatalog(self._connection).tables(patterns)

    def _describe(self, name: str) -> Any:
        return MysqlCatalog(self._connection).described(name)

    def start(self, tables: Sequence[Identity]) -> TablePosition:
        with mysql_errors():
            self._expect_logged(tables)
            return TablePosition(str(self._dated(self._head())), Phase.SNAPSHOT)

    def _dated(self, position: BinlogPosition) -> BinlogPosition:
        """With the time at which its file was created; it proves that the log can be read."""
        with closing(self._server.stream(position, [], [])) as stream:
            reader = BinlogReader(stream, position, (), self._describe)
            reader.open()
            return reader.start

    def place(self, position: str) -> TablePosition:
        try:
            at = BinlogPosition.parse(position)
        except ValueError:
            hint = "file and offset are meant, as in 'binlog.000002:748'"
            raise Refused(f"{position!r} is not a position of the log", hint=hint) from None
        with mysql_errors():
            files = {file: int(size) for file, size, *_ in self._rows("SHOW BINARY LOGS")}
            if not FIRST_OFFSET <= at.offset <= files.get(at.file, 0):
                raise Refused(
                    f"the log of the server does not have the place {position}",
                    hint=f"it begins with {next(iter(files))}; START = LATEST begins at its end",
                )
            self._rows(f"SHOW BINLOG EVENTS IN '{at.file}' FROM {at.offset} LIMIT 1")
            return TablePosition(str(self._dated(at)), is_partial=True)

    def add(self, tables: Sequence[Identity]) -> TablePosition:
        return self.start(tables)

    def _expect_logged(self, tables: Sequence[Identity]) -> None:
        """A server can be set up to leave databases out of its log."""
        _, _, only, ignored, *_ = self._master_status()
        for table in (each.table for each in tables):
            if table.schema in ignored.split(",") or (only and table.schema not in only.split(",")):
                raise OperationalError(
                    f"the server leaves changes of {table.schema} out of its log",
                    hint="change binlog_do_db or binlog_ignore_db of the server",
                )

    def remove(self, tables: Sequence[str]) -> None:
        """The server keeps nothing for a table."""

    def end(self) -> None:
        """The server keeps nothing for a sync."""

    def head(self) -> str:
        with mysql_errors():
            return str(self._head())

    def _head(self) -> BinlogPosition:
        """Up to where a query sees the log, or a little further where the server cannot say it."""
        with self._transaction():
            return self._snapshot_position() or self._written()

    def _snapshot_position(self) -> BinlogPosition | None:
        """Of the transaction that has begun; None: the server does not say it."""
        found = {name.lower(): value for name, value in self._rows(_SNAPSHOT_POSITION)}
        if not found.get("binlog_snapshot_file"):
            return None
        return BinlogPosition.of(found["binlog_snapshot_file"], int(found["binlog_snapshot_position"]))

    def _written(self) -> BinlogPosition:
        file, offset, *_ = self._master_status()
        return BinlogPosition.of(file, int(offset))

    def _master_status(self) -> tuple[str, ...]:
        """MySQL 8.4 has another name for it."""
        is_renamed = not self._is_mariadb and tuple(map(int, self._version.split("."))) >= (8, 4)
        found = self._rows("SHOW BINARY LOG STATUS" if is_renamed else "SHOW MASTER STATUS")
        if not found:
            raise OperationalError("the server has no binary log", hint="start it with log_bin")
        return found[0]

    @property
    def _is_mariadb(self) -> bool:
        return "MariaDB" in self._connection.get_server_info()

    @property
    def _version(self) -> str:
        """MariaDB writes another version before its own, for programs that are older than it."""
        return str(self._connection.get_server_info()).removeprefix("5.5.5-").partition("-")[0]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._connection.cursor() as cursor:
            cursor.execute(_BEGIN)
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")

    def chunk(self, table: SourceTable, position: TablePosition, rows: int, into: Path) -> Chunk | None:
        with mysql_errors(), self._snapshot(table) as at:
            if any(each > at.id for each in position.pending):
                return None
            self._rows(f"SELECT 1 FROM {quote_table(table)} LIMIT 0")
            if self._describe(table.full_name).table != table:
                return None
            opened = OpenChunk(position.upto, str(at), str(at))
            is_chunked = bool(table.key) and all(is_ordered(each) for each in _key_columns(table))
            query = self._query(table, position.upto, rows if is_chunked else None)
            with self._connection.cursor(SSCursor) as cursor:
                cursor.execute(query)
                count, last = write_rows(iter(cursor), table, into)
            return Chunk(opened, _expect_key(table, last) if is_chunked and count == rows else None, count)

    @contextmanager
    def _snapshot(self, table: SourceTable) -> Iterator[BinlogPosition]:
        """A transaction, and the place of the log that it sees the table at."""
        with self._transaction():
            at = self._snapshot_position()
            if at is not None:
                yield at
                return
        with closing(self._server.connect()) as other, other.cursor() as lock:
            lock.execute(f"LOCK TABLES {quote_table(table)} READ")
            with self._transaction():
                at = self._written()
                lock.execute("UNLOCK TABLES")
                yield at

    def _query(self, table: SourceTable, after: Key | None, most: int | None) -> str:
        columns = ", ".join(select_expression(column) for column in table.columns)
        where = "" if after is None else f" WHERE {_after(table, after)}"
        order = ", ".join(map(quote_name, table.key))
        limit = "" if most is None else f" ORDER BY {order} LIMIT {most}"
        return f"SELECT {columns} FROM {quote_table(table)}{where}{limit}"

    def changes(self, since: str, tables: Collection[str]) -> LogPart:
        with mysql_errors():
            start = BinlogPosition.parse(since)
            names = [name.partition(".") for name in tables]
            schemas, own = sorted({name[0] for name in names}), sorted({name[2] for name in names})
            stream = self._server.stream(start, schemas, own)
            reader = BinlogReader(stream, start, tables, self._describe)
            with closing(stream):
                transactions = list(reader.transactions(_MOST_CHANGES))
            seen = self._head()
            unseen = tuple(each.id for each in transactions if each.id > seen.id)
            changed = {change.table for each in transactions for change in each.changes}
            now = {name: self._describe(name) for name in changed | reader.altered}
            return LogPart(
                transactions,
                str(reader.end),
                unseen,
                {name: reader.table(name) for name in changed},
                {name: found.table for name, found in now.items() if found is not None},
            )

    def sees(self, chunk: OpenChunk, transaction: Transaction) -> bool:
        return transaction.id <= BinlogPosition.parse(chunk.snapshot).id

    def beyond(self, table: SourceTable, keys: Sequence[Key], boundary: Key) -> Sequence[bool]:
        """In the order of the database, which no other program knows as well."""
        columns = [self._compared(table, name) for name in table.key]
        limit = ", ".join(form.format(literal) for form, literal in _literals(table, columns, boundary))
        found: list[bool] = []
        remaining = iter(keys)
        with mysql_errors():
            while part := list(islice(remaining, _COMPARED_KEYS)):
                compared = (
                    ", ".join(form.format(literal) for form, literal in _literals(table, columns, key))
                    for key in part
                )
                selected = ", ".join(f"({each}) > ({limit})" for each in compared)
                found += [value == "1" for value in self._rows(f"SELECT {selected}")[0]]
        return found

    def _compared(self, table: SourceTable, name: str) -> str:
        """The form of a literal that compares as the column does."""
        columns = MysqlCatalog(self._connection).columns(table.full_name)[table.schema, table.name]
        column = next(each for each in columns if each.name == name)
        if column.collation is None:
            return "{}"
        return f"CONVERT({{}} USING {column.charset}) COLLATE {column.collation}"

    def is_before(self, position: str, other: str) -> bool:
        return BinlogPosition.parse(position) < BinlogPosition.parse(other)

    def oldest(self) -> str | None:
        with mysql_errors():
            return str(BinlogPosition.of(self._rows("SHOW BINARY LOGS")[0][0], FIRST_OFFSET))

    def acknowledge(self, position: str) -> None:
        """The server deletes its log when it is old, whoever reads it."""

    def lag(self, position: str) -> Lag:
        at = BinlogPosition.parse(position)
        with mysql_errors():
            files = [
                (BinlogPosition.of(file, FIRST_OFFSET), int(size))
                for file, size, *_ in self._rows("SHOW BINARY LOGS")
            ]
        later = sum(size for file, size in files if file.number >= at.number)
        return Lag(None, max(0, later - at.offset))

    def held_bytes(self) -> int | None:
        """The server does not keep log for a sync."""
        return None

    def close(self) -> None:
        self._connection.close()

    def _rows(self, query: str) -> Sequence[tuple[str, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())


def _key_columns(table: SourceTable) -> list[Any]:
    by_name = {column.name: column for column in table.columns}
    return [by_name[name] for name in table.key]


def _literals(table: SourceTable, forms: Sequence[str], key: Key) -> Iterator[tuple[str, str]]:
    for form, column, value in zip(forms, _key_columns(table), _expect_known(table, key), strict=True):
        yield form, key_literal(column, value)


def _after(table: SourceTable, key: Key) -> str:
    """Rows beyond a key: as alternatives, which the index of the key serves, unlike ``(a, b) > (1, 2)``."""
    pairs = [
        (quote_name(column.name), key_literal(column, value))
        for column, value in zip(_key_columns(table), _expect_known(table, key), strict=True)
    ]
    first, value = pairs[0]
    alternatives = [
        " AND ".join([*(f"{name} = {same}" for name, same in pairs[:place]), f"{column} > {limit}"])
        for place, (column, limit) in enumerate(pairs)
    ]
    return f"{first} >= {value} AND ({' OR '.join(alternatives)})"


def _expect_key(table: SourceTable, row: Sequence[str | None]) -> Key:
    places = {column.name: place for place, column in enumerate(table.columns)}
    return tuple(_expect_known(table, tuple(row[places[name]] for name in table.key)))


def _expect_known(table: SourceTable, key: Key) -> list[str]:
    known = [value for value in key if value is not None]
    if len(known) < len(key):
        raise DataError(f"a row of {table.full_name} has a zero date in its key, which is NULL in the lake")
    return known
