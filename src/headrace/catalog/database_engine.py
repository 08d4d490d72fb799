"""Connections to the metadata database, and what each kind of it needs to be durable and shared."""

from __future__ import annotations

from pathlib import Path
from sqlite3 import Connection as SqliteConnection
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, Pool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from headrace.errors import NotSupportedError, OperationalError

if TYPE_CHECKING:
    from psycopg import Connection as PostgresConnection

BUSY_SECONDS = 30
STATEMENT_SECONDS = 60
CONNECT_SECONDS = 10
_LOST_AFTER = {
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""A server that is gone without a word is given up after a minute, also while a lock is waited for."""
_BEGIN = "headrace_begin"
_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_SMALLEST_PAGE = 512


def sqlite_url(path: Path, *, read_only: bool = False) -> str:
    """The URL of a database file, whatever characters its path has."""
    if read_only:
        url = URL.create("sqlite", database=path.as_uri(), query={"mode": "ro", "uri": "true"})
    else:
        url = URL.create("sqlite", database=str(path))
    return url.render_as_string()


def connect(url: str, pool: type[Pool] | None = None) -> Engine:
    """An engine on which nothing has been opened yet; ``pool`` says how it keeps connections."""
    parsed = _parsed(url)
    match parsed.get_backend_name():
        case "sqlite":
            return _sqlite(parsed)
        case "postgresql" | "postgres":
            return _postgresql(parsed.set(drivername="postgresql+psycopg"), pool)
        case other:
            raise NotSupportedError(
                f"{other} is not supported as the metadata database",
                hint="use a postgresql:// or a sqlite:// URL",
            )


def _parsed(url: str) -> URL:
    """What cannot be read is not repeated: it may hold a password."""
    try:
        return make_url(url)
    except (ArgumentError, ValueError):
        raise OperationalError(
            "the URL of the metadata database is not valid",
            hint="use postgresql://user:password@host:5432/database, with special characters written as %40",
        ) from None


def _sqlite(url: URL) -> Engine:
    arguments = {"timeout": BUSY_SECONDS, "isolation_level": None}
    engine = create_engine(url, hide_parameters=True, connect_args=arguments)
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    return engine


def _postgresql(url: URL, pool: type[Pool] | None) -> Engine:
    """A connection that the server has closed in the meantime is replaced before it is used."""
    arguments = {"connect_timeout": CONNECT_SECONDS, "application_name": "headrace", **_LOST_AFTER}
    engine = create_engine(
        url, hide_parameters=True, pool_pre_ping=True, poolclass=pool, connect_args=arguments
    )
    event.listen(engine, "connect", _set_session)
    return engine


def reading(engine: Engine) -> Engine:
    """The same connections; each query stands for itself, without a transaction around it."""
    if engine.dialect.name == "sqlite":
        return engine.execution_options(**{_BEGIN: None})
    return engine.execution_options(isolation_level="AUTOCOMMIT")


def writing(engine: Engine) -> Engine:
    """The same connections; a transaction takes SQLite's write lock when it starts, not half-way."""
    return engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})


def use_write_ahead_log(engine: Engine) -> None:
    """Readers and the writer of a SQLite file stop waiting for each other; the file remembers it."""
    if engine.dialect.name == "sqlite":
        with engine.execution_options(**{_BEGIN: None}).connect() as connection:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")


def is_truncated(engine: Engine) -> bool:
    """Whether a SQLite file lacks an end that SQLite itself would not miss, or would make up."""
    path = Path(engine.url.database or "")
    if engine.dialect.name != "sqlite" or not path.is_file():
        return False
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if not header:
        return _has(path, "-wal")
    if len(header) < _HEADER_BYTES:
        return True
    page = int.from_bytes(header[16:18])
    is_whole = path.stat().st_size % max(page, _SMALLEST_PAGE) == 0
    return header.startswith(_MAGIC) and not (is_whole or _has(path, "-wal") or _has(path, "-journal"))


def _has(path: Path, log: str) -> bool:
    """Whether SQLite will complete the file from a log that a crash left."""
    beside = path.with_name(path.name + log)
    return beside.exists() and beside.stat().st_size > 0


def _set_session(connection: PostgresConnection, _record: Any) -> None:
    connection.execute(
        f"SET timezone = 'UTC'; SET lock_timeout = '{BUSY_SECONDS}s'; "
        f"SET statement_timeout = '{STATEMENT_SECONDS}s'"
    )
    connection.commit()


def _set_pragmas(connection: SqliteConnection, _record: Any) -> None:
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin(connection: Connection) -> None:
    statement = connection.get_execution_options().get(_BEGIN, "BEGIN")
    if statement:
        connection.exec_driver_sql(statement)
