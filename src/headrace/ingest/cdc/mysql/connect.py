"""Connections to MySQL and MariaDB."""

from __future__ import annotations

import random
import ssl
from typing import Any

import pymysql
from pymysql.connections import Connection
from pymysqlreplication import BinLogStreamReader

from headrace.errors import DataError
from headrace.features.connections.model import SourceConnection, TlsMode
from headrace.ingest.cdc.credentials import Credentials
from headrace.ingest.cdc.mysql.binlog import EVENTS
from headrace.ingest.cdc.mysql.binlog_position import BinlogPosition
from headrace.ingest.cdc.mysql.errors import mysql_errors

_CONNECT_SECONDS = 10
_READ_SECONDS = 600
_SETTINGS = (
    "SET SESSION time_zone = '+00:00', sql_mode = 'NO_ENGINE_SUBSTITUTION', lock_wait_timeout = 2,"
    " transaction_isolation = 'REPEATABLE-READ', net_write_timeout = 600"
)
"""By which values are written, whatever the server or user has set."""
_OLDER_ISOLATION = ("transaction_isolation", "tx_isolation")
_FIRST_REPLICA, _LAST_REPLICA = 1 << 31, (1 << 32) - 1
"""The server drops a replica when another one comes with the same number, so it is drawn at random."""


class MysqlServer:
    """How a server is reached."""

    def __init__(self, connection: SourceConnection, credentials: Credentials) -> None:
        self._database = connection.database
        self._settings: dict[str, Any] = {
            "host": connection.host,
            "port": connection.port,
            "user": connection.user,
            "password": credentials.password or "",
            "ssl": _tls(connection, credentials),
            "ssl_disabled": connection.tls is TlsMode.DISABLED,
            "charset": "utf8mb4",
            "connect_timeout": _CONNECT_SECONDS,
            "read_timeout": _READ_SECONDS,
            "autocommit": True,
        }

    def connect(self) -> Connection:
        """Values are text, as the server writes it."""
        with mysql_errors():
            opened = pymysql.connect(**self._settings, database=self._database, conv={})
            with opened.cursor() as cursor:
                is_mariadb = "MariaDB" in opened.get_server_info()
                cursor.execute(_SETTINGS.replace(*_OLDER_ISOLATION) if is_mariadb else _SETTINGS)
            return opened

    def stream(self, since: BinlogPosition, schemas: list[str], tables: list[str]) -> BinLogStreamReader:
        """Of the log from a place on up to where it ends now."""
        return BinLogStreamReader(
            dict(self._settings),
            random.randint(_FIRST_REPLICA, _LAST_REPLICA),  # noqa: S311  (it is not a secret)
            log_file=since.file,
            log_pos=since.offset,
            resume_stream=True,
            only_events=EVENTS,
            only_schemas=schemas,
            only_tables=tables,
            filter_non_implemented_events=False,
            enable_logging=False,
            pymysql_wrapper=_connect,
        )


def _connect(db: str | None = None, **settings: Any) -> Connection:
    """The library has an older name for the database."""
    return pymysql.connect(database=db, **settings)


def _tls(connection: SourceConnection, credentials: Credentials) -> ssl.SSLContext | None:
    """None: the client decides, which encrypts if the server can."""
    if connection.tls in (None, TlsMode.DISABLED):
        return None
    try:
        context = ssl.create_default_context(cadata=credentials.authorities)
    except ssl.SSLError as error:
        raise DataError(
            f"the secret {connection.tls_ca} does not contain certificates in PEM",
            hint="store the file of the authority with `headrace secret set`",
        ) from error
    if connection.tls is TlsMode.REQUIRED:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context
