"""The source that a connection leads to: a new kind of database is a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from headrace.errors import Refused
from headrace.features.connections.model import DatabaseType, SourceConnection
from headrace.ingest.cdc.credentials import Credentials
from headrace.ingest.cdc.mysql.connect import MysqlServer
from headrace.ingest.cdc.mysql.source import MysqlSource
from headrace.ingest.cdc.postgres.connect import open_postgres
from headrace.ingest.cdc.source import ChangeSource

SecretValue = Callable[[str], str]


@contextmanager
def open_source(
    connection: SourceConnection, sync_id: str, secret_value: SecretValue
) -> Iterator[ChangeSource]:
    """``sync_id`` tells what the database keeps for one sync apart from what it keeps for others."""
    source = _opened(connection, credentials_of(connection, secret_value), sync_id)
    try:
        yield source
    finally:
        source.close()


def credentials_of(connection: SourceConnection, secret_value: SecretValue) -> Credentials:
    password, authorities = (
        None if name is None else secret_value(name) for name in (connection.secret, connection.tls_ca)
    )
    return Credentials(password, authorities)


def _opened(connection: SourceConnection, credentials: Credentials, sync_id: str) -> ChangeSource:
    match connection.type:
        case DatabaseType.POSTGRESQL:
            return open_postgres(connection, credentials, sync_id)
        case DatabaseType.MYSQL:
            return MysqlSource(MysqlServer(connection, credentials))
    raise Refused(
        f"changes of a database with TYPE = {connection.type} cannot be followed", hint="use MODE = BATCH"
    )


def what_is_kept(connection: SourceConnection, sync_id: str) -> str | None:
    """What a database keeps for a sync, and loses its disk to if it is left behind; None: nothing."""
    match connection.type:
        case DatabaseType.POSTGRESQL:
            return f"the replication slot headrace_{sync_id}"
    return None
