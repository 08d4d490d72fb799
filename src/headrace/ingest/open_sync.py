"""The source of a sync: a new kind of database for batch syncs is a line here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import assert_never

from headrace.commands.statement_context import StatementContext
from headrace.features.connections.model import DatabaseType, SourceConnection
from headrace.features.syncs.model import SyncMode
from headrace.ingest.batch.jdbc_reader import JdbcReader
from headrace.ingest.batch.mysql_reader import MysqlReader
from headrace.ingest.batch.postgres_reader import PostgresReader
from headrace.ingest.batch.source import BatchSource, TableReader
from headrace.ingest.cdc.mysql.connect import MysqlServer
from headrace.ingest.cdc.open_source import credentials_of, open_source, what_is_kept
from headrace.ingest.cdc.postgres.connect import connect_postgres
from headrace.ingest.cdc.source import SyncSource
from headrace.lake.external.jdbc import JdbcAddress, JdbcDatabase

_POSTGRES = {"row_security": "off", "lock_timeout": "60s"}
"""Rows that a policy hides would count as deleted; so the query fails in their place."""


def open_sync(
    mode: SyncMode, connection: SourceConnection, sync_id: str, context: StatementContext
) -> AbstractContextManager[SyncSource]:
    if mode is SyncMode.BATCH:
        return open_batch(connection, sync_id, context)
    return open_source(connection, sync_id, context.lake.secret_value)


@contextmanager
def open_batch(
    connection: SourceConnection, sync_id: str, context: StatementContext
) -> Iterator[BatchSource]:
    source = BatchSource(_reader(connection, sync_id, context))
    try:
        yield source
    finally:
        source.close()


def _reader(connection: SourceConnection, sync_id: str, context: StatementContext) -> TableReader:
    credentials = credentials_of(connection, context.lake.secret_value)
    match connection.type:
        case DatabaseType.POSTGRESQL:
            connect = partial(connect_postgres, connection, credentials, f"headrace {sync_id}", _POSTGRES)
            return PostgresReader(connect)
        case DatabaseType.MYSQL:
            return MysqlReader(MysqlServer(connection, credentials))
        case DatabaseType.ORACLE | DatabaseType.SQLSERVER | DatabaseType.JDBC:
            drivers = context.lake.settings.jdbc_drivers
            address = JdbcAddress(connection.jdbc_url, connection.user, credentials.password, drivers)
            return JdbcReader(JdbcDatabase(address, context.session))
        case _:
            assert_never(connection.type)


def kept_for(mode: SyncMode, connection: SourceConnection, sync_id: str) -> str | None:
    """What the database keeps for a sync, and loses its disk to if it is left behind; None: nothing."""
    return None if mode is SyncMode.BATCH else what_is_kept(connection, sync_id)
