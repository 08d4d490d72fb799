"""PostgreSQL as a source of whole tables.

A large table is read over several connections, which share one snapshot, each a range of its pages: so all
rows are there once, as of one moment, whether the table has a key or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import psycopg
from psycopg import sql

from headrace.ingest.batch.source import OpenTable, ReadRows, Since, watermark_column
from headrace.ingest.cdc.changes import SourceTable
from headrace.ingest.cdc.copy_file import write_copy
from headrace.ingest.cdc.postgres.catalog import PostgresCatalog
from headrace.ingest.cdc.postgres.errors import postgres_errors
from headrace.ingest.cdc.source import Identity

Connection: TypeAlias = psycopg.Connection[Any]
_NEEDS = "GRANT SELECT on the tables, and USAGE on their schema, to the role of the connection"
_READ = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_PARTITIONS = 4
_PAGES = 1024
"""Of a table, for which a further connection is worth it."""
_SIZE = """
    SELECT greatest(
      pg_relation_size(c.oid), (SELECT max(pg_relation_size(relid)) FROM pg_partition_tree(c.oid))
    ) / current_setting('block_size')::bigint
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relname = %s
"""


class PostgresReader:
    def __init__(self, connect: Callable[[], Connection]) -> None:
        """Connections that commit by themselves."""
        self._connect = connect
        self._connection = connect()

    def check(self) -> str:
        return f"PostgreSQL {self._connection.info.parameter_status('server_version')}"

    def discover(self, patterns: Sequence[str]) -> Sequence[Identity]:
        with postgres_errors(_NEEDS):
            return PostgresCatalog(self._connection).tables(patterns)

    @contextmanager
    def open(self, name: str) -> Iterator[OpenTable | None]:
        """Locked against changes of its columns, not against writes."""
        found = self.discover([name])
        if not found:
            yield None
            return
        known = sql.Identifier(found[0].table.schema, found[0].table.name)
        with postgres_errors(_NEEDS), self._connection.transaction():
            self._connection.execute(_READ)
            self._connection.execute(sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(known))
            (current,) = PostgresCatalog(self._connection).tables([name])
            yield _OpenTable(current.table, self._connection, self._connect)

    def close(self) -> None:
        self._connection.close()


@dataclass(frozen=True)
class _OpenTable:
    table: SourceTable
    connection: Connection
    """In a transaction whose snapshot the rows are read at."""
    connect: Callable[[], Connection]

    def read(self, since: Since | None, partitions: int | None, into: Path) -> ReadRows:
        watermark = None if since is None else self._largest(since)
        condition = _condition(since)
        count = self._partitions(partitions or _PARTITIONS) if since is None or since.value is None else 1
        ranges = _page_ranges(count, self._pages() if count > 1 else 0)
        files = [into / f"{place}.parquet" for place in range(count)]
        copies = [
            _copy_statement(self.table, [each for each in (condition, pages) if each is not None])
            for pages in ranges
        ]
        if count == 1:
            rows = write_copy(self.connection.cursor().copy(copies[0]), self.table, files[0])
        else:
            rows = self._read_together(copies, files)
        return ReadRows([file for file in files if file.exists()], rows, watermark)

    def _partitions(self, most: int) -> int:
        return max(1, min(most, self._pages() // _PAGES))

    def _pages(self) -> int:
        row = self.connection.execute(_SIZE, [self.table.schema, self.table.name]).fetchone()
        return 0 if row is None else int(row[0])

    def _read_together(self, copies: Sequence[sql.Composed], files: Sequence[Path]) -> int:
        """Each over a connection of its own, all with the snapshot of this one."""
        row = self.connection.execute("SELECT pg_export_snapshot()").fetchone()
        share = sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(row[0] if row else ""))
        with ExitStack() as opened, ThreadPoolExecutor(len(copies)) as threads:
            connections = [opened.enter_context(self.connect()) for _ in copies]
            running = [
                threads.submit(_read_part, connection, share, copy, self.table, file)
                for connection, copy, file in zip(connections, copies, files, strict=True)
            ]
            _, left = wait(running, return_when=FIRST_EXCEPTION)
            if left:
                for connection in connections:
                    connection.cancel()
            return sum(each.result() for each in running)

    def _largest(self, since: Since) -> str | None:
        column = watermark_column(self.table, since)
        condition = _condition(since)
        query = sql.SQL("SELECT max({})::text FROM {}{}").format(
            sql.Identifier(column.name),
            sql.Identifier(self.table.schema, self.table.name),
            sql.SQL("") if condition is None else sql.SQL(" WHERE {}").format(condition),
        )
        row = self.connection.execute(query).fetchone()
        return None if row is None else row[0]


def _read_part(
    connection: Connection, share: sql.Composed, copy: sql.Composed, table: SourceTable, file: Path
) -> int:
    with connection.transaction():
        connection.execute(_READ)
        connection.execute(share)
        return write_copy(connection.cursor().copy(copy), table, file)


def _copy_statement(table: SourceTable, conditions: Sequence[sql.Composable]) -> sql.Composed:
    return sql.SQL("COPY (SELECT {} FROM {}{}{}) TO STDOUT (FORMAT csv)").format(
        sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns),
        sql.Identifier(table.schema, table.name),
        sql.SQL(" WHERE " if conditions else ""),
        sql.SQL(" AND ").join(conditions),
    )


def _condition(since: Since | None) -> sql.Composable | None:
    if since is None or since.value is None:
        return None
    column = sql.Identifier(since.column)
    return sql.SQL("({} >= {} OR {} IS NULL)").format(column, sql.Literal(since.value), column)


def _page_ranges(count: int, pages: int) -> list[sql.Composable | None]:
    """The last one is open: the table may have grown."""
    if count == 1:
        return [None]
    bounds = [pages * place // count for place in range(count)]
    ranges: list[sql.Composable | None] = []
    for start, end in zip(bounds, [*bounds[1:], None], strict=True):
        condition = sql.SQL("ctid >= {}::tid").format(sql.Literal(f"({start},0)"))
        if end is not None:
            condition += sql.SQL(" AND ctid < {}::tid").format(sql.Literal(f"({end},0)"))
        ranges.append(condition)
    return ranges
