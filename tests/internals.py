"""Behind the public API: the one module through which tests look at, prepare or break what has no statement.

A test speaks to ``headrace.connect``. Where it needs more, it says so by a function of this module, so that a
change of the internals changes this file and not a hundred tests. ``test_internals.py`` keeps it so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psutil
import pytest
from pyspark.sql import SparkSession

from headrace.catalog.store import MetadataStore
from headrace.commands.open_lake import OpenLake
from headrace.commands.statement_context import StatementContext
from headrace.connection import Connection
from headrace.ingest.batch import postgres_reader
from headrace.ingest.cdc import tick
from headrace.ingest.cdc.mysql import source as mysql_source
from headrace.lake.external.jdbc import JdbcAddress, JdbcDatabase
from headrace.lake.secret_box import SecretBox
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName


def statement_context(connection: Connection) -> StatementContext:
    """What the statements of the connection work with."""
    context: StatementContext = connection._context  # type: ignore[attr-defined]
    return context


def open_lake(connection: Connection) -> OpenLake:
    return statement_context(connection).lake


def store(connection: Connection) -> MetadataStore:
    """The metadata database."""
    return open_lake(connection).store


def store_secret(connection: Connection, name: str, value: str) -> None:
    """As ``headrace secret set`` does."""
    lake = open_lake(connection)
    lake.store.secrets.put(name, SecretBox(lake.directory.path).seal(value), lake.clock())


def run_derby(connection: Connection, url: str, statements: Sequence[str]) -> None:
    """In a database in the memory of the JVM of the connection, whose lake has the driver."""
    session = statement_context(connection).session
    drivers = open_lake(connection).settings.jdbc_drivers
    opened = JdbcDatabase(JdbcAddress(url, "", None, drivers), session)._connection
    for statement in statements:
        opened.createStatement().executeUpdate(statement)
    opened.close()


def set_chunk_rows(rows: int) -> None:
    """How many rows a sync first reads at a time, in this process."""
    tick.CHUNK_ROWS = rows


@contextmanager
def pages_of_a_partition(pages: int) -> Iterator[None]:
    """How large the parts are that a batch sync reads of a table of PostgreSQL, inside of a block."""
    before = postgres_reader._PAGES
    postgres_reader._PAGES = pages
    yield
    postgres_reader._PAGES = before


@contextmanager
def chunks_of(rows: int) -> Iterator[None]:
    """The same inside of a block."""
    before = tick.CHUNK_ROWS
    tick.CHUNK_ROWS = rows
    yield
    tick.CHUNK_ROWS = before


def lock_tables_for_snapshots(patch: pytest.MonkeyPatch) -> None:
    """As if the server did not say which place of its log a transaction sees: MySQL does not."""
    patch.setattr(mysql_source, "_SNAPSHOT_POSITION", "SHOW STATUS LIKE 'none'")


def session(connection: Connection) -> LakeSession:
    return statement_context(connection).session


def spark(connection: Connection) -> SparkSession:
    """The connection's own: what it is given is not looked at by Headrace."""
    return session(connection).spark


def table_name(connection: Connection, table: str) -> TableName:
    return session(connection).resolve((table,))


def definition(connection: Connection, table: str) -> DynamicTable | None:
    """Of a dynamic table, as the metadata database has it."""
    return store(connection).definitions.find(table_name(connection, table))


def iceberg_table(connection: Connection, table: str) -> Table:
    return session(connection).catalog.existing_table(table_name(connection, table))


def jvm(of: SparkSession) -> Any:
    """Java's classes by their names."""
    return of._jvm


@contextmanager
def files_up_to(size: int, connection: Connection) -> Iterator[None]:
    """The JVM can write no larger file inside of a block, as on a disk that is full."""
    process = psutil.Process(jvm(spark(connection)).java.lang.ProcessHandle.current().pid())
    _, most = before = process.rlimit(psutil.RLIMIT_FSIZE)
    process.rlimit(psutil.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        process.rlimit(psutil.RLIMIT_FSIZE, before)


def heap_bytes(of: SparkSession) -> int:
    """The largest size that the heap of the driver's JVM may have."""
    return int(jvm(of).Runtime.getRuntime().maxMemory())


def gateway(of: SparkSession) -> Any:
    """The way into the JVM; ``gateway(...).proc`` is its process."""
    context: Any = of.sparkContext
    return context._gateway


def jobs_started(of: SparkSession) -> int:
    """How many Spark has started since it runs."""
    context: Any = of.sparkContext
    return int(context._jsc.sc().dagScheduler().numTotalJobs())
