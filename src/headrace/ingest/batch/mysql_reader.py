"""MySQL and MariaDB as a source of whole tables.

A table is read over one connection, in a transaction that sees one moment: several connections have no
snapshot in common without a lock on the table, and the time goes into the decoding of rows here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pymysql.connections import Connection
from pymysql.cursors import SSCursor

from headrace.errors import DataError
from headrace.ingest.batch.source import OpenTable, ReadRows, Since, watermark_column
from headrace.ingest.cdc.changes import SourceColumn, SourceTable
from headrace.ingest.cdc.copy_file import write_rows
from headrace.ingest.cdc.mysql.catalog import MysqlCatalog
from headrace.ingest.cdc.mysql.connect import MysqlServer
from headrace.ingest.cdc.mysql.errors import mysql_errors
from headrace.ingest.cdc.mysql.quoting import quote_name, quote_table
from headrace.ingest.cdc.mysql.types import base_type, is_ordered, key_literal, select_expression
from headrace.ingest.cdc.source import Identity

_NEEDS = "GRANT SELECT on the tables to the user of the connection"


class MysqlReader:
    def __init__(self, server: MysqlServer) -> None:
        self._connection: Connection = server.connect()

    def check(self) -> str:
        return str(self._connection.get_server_info()).removeprefix("5.5.5-")

    def discover(self, patterns: Sequence[str]) -> Sequence[Identity]:
        with mysql_errors(_NEEDS):
            return MysqlCatalog(self._connection).tables(patterns)

    @contextmanager
    def open(self, name: str) -> Iterator[OpenTable | None]:
        """Its columns cannot change once the transaction has used it."""
        found = self.discover([name])
        if not found:
            yield None
            return
        with mysql_errors(_NEEDS), self._connection.cursor() as cursor:
            cursor.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")
            try:
                cursor.execute(f"SELECT 1 FROM {quote_table(found[0].table)} LIMIT 0")
                (current,) = MysqlCatalog(self._connection).tables([name])
                yield _OpenTable(current.table, self._connection)
            finally:
                cursor.execute("ROLLBACK")

    def close(self) -> None:
        self._connection.close()


@dataclass(frozen=True)
class _OpenTable:
    table: SourceTable
    connection: Connection

    def read(self, since: Since | None, partitions: int | None, into: Path) -> ReadRows:
        """The watermark comes first: without transactions, each query sees a moment of its own."""
        column = None if since is None else watermark_column(self.table, since)
        where = "" if since is None or column is None else _where(column, since)
        watermark = None if column is None else self._largest(column, where)
        listed = ", ".join(select_expression(each) for each in self.table.columns)
        file = into / "0.parquet"
        with self.connection.cursor(SSCursor) as cursor:
            cursor.execute(f"SELECT {listed} FROM {quote_table(self.table)}{where}")
            rows, _ = write_rows(iter(cursor), self.table, file)
        return ReadRows([file], rows, watermark)

    def _largest(self, column: SourceColumn, where: str) -> str | None:
        with self.connection.cursor() as cursor:
            cursor.execute(f"SELECT MAX({select_expression(column)}) FROM {quote_table(self.table)}{where}")
            ((found,),) = cursor.fetchall()
            return None if found is None else str(found)


def _where(column: SourceColumn, since: Since) -> str:
    """A date without a day, month or year counts as NULL."""
    if not is_ordered(column) and base_type(column.source_type) != "timestamp":
        raise DataError(
            f"column {column.name} has the type {column.source_type}, whose order is not that of its texts,"
            " so it cannot be a watermark"
        )
    if since.value is None:
        return ""
    literal = key_literal(column, since.value)
    return f" WHERE {quote_name(column.name)} >= {literal} OR {select_expression(column)} IS NULL"
