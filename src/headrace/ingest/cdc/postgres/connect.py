"""Connections to PostgreSQL."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from headrace.features.connections.model import SourceConnection, TlsMode
from headrace.ingest.cdc.credentials import Credentials
from headrace.ingest.cdc.postgres.errors import postgres_errors
from headrace.ingest.cdc.postgres.source import PostgresSource

_CONNECT_SECONDS = 10
_SETTINGS = {
    "timezone": "UTC",
    "datestyle": "ISO",
    "intervalstyle": "iso_8601",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "xmlbinary": "base64",
    "lc_monetary": "C",
    "search_path": "pg_catalog",
}
"""By which values are written: the same in chunks and in the log, whatever the role or database has set."""


_MODES = {TlsMode.DISABLED: "disable", TlsMode.REQUIRED: "require", TlsMode.VERIFIED: "verify-full"}


def open_postgres(connection: SourceConnection, credentials: Credentials, sync_id: str) -> PostgresSource:
    return PostgresSource(connect_postgres(connection, credentials, f"headrace {sync_id}", {}), sync_id)


def connect_postgres(
    connection: SourceConnection, credentials: Credentials, name: str, settings: Mapping[str, str]
) -> psycopg.Connection[Any]:
    """One that commits by itself; the server shows ``name``, and has further settings for it."""
    with postgres_errors(), _tls(connection, credentials) as tls:
        return psycopg.connect(
            host=connection.host,
            port=connection.port,
            dbname=connection.database,
            user=connection.user,
            password=credentials.password,
            **tls,
            autocommit=True,
            connect_timeout=_CONNECT_SECONDS,
            client_encoding="UTF8",
            application_name=name,
            keepalives_idle=30,
            tcp_user_timeout=60_000,
            options=" ".join(f"-c {setting}={value}" for setting, value in {**_SETTINGS, **settings}.items()),
        )


@contextmanager
def _tls(connection: SourceConnection, credentials: Credentials) -> Iterator[Mapping[str, Any]]:
    """What libpq is to do; it reads certificates from a file, when it connects."""
    if connection.tls is None:
        yield {}
        return
    with tempfile.TemporaryDirectory() as directory:
        authorities = "system"
        if credentials.authorities is not None:
            file = Path(directory) / "ca.pem"
            file.write_text(credentials.authorities)
            authorities = str(file)
        is_verified = connection.tls is TlsMode.VERIFIED
        yield {"sslmode": _MODES[connection.tls]} | ({"sslrootcert": authorities} if is_verified else {})
