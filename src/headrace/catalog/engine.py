"""Connections to the metadata database, and what SQLite needs to be durable and shared by threads."""

from __future__ import annotations

from pathlib import Path
from sqlite3 import Connection as SqliteConnection
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url

BUSY_SECONDS = 30
_BEGIN = "headrace_begin"
_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_SMALLEST_PAGE = 512


def sqlite_url(path: Path) -> str:
    """The URL of a database file, whatever characters its path has."""
    return URL.create("sqlite", database=str(path)).render_as_string()


def connect(url: str) -> Engine:
    """An engine on which nothing has been opened yet."""
    if make_url(url).get_backend_name() != "sqlite":
        return create_engine(url, hide_parameters=True)
    arguments = {"timeout": BUSY_SECONDS, "isolation_level": None}
    engine = create_engine(url, hide_parameters=True, connect_args=arguments)
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    return engine


def writing(engine: Engine) -> Engine:
    """The same connections; a transaction takes SQLite's write lock when it starts, not half-way."""
    return engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})


def use_write_ahead_log(engine: Engine) -> None:
    """Readers and the writer of a SQLite file stop waiting for each other; the file remembers it."""
    if engine.dialect.name == "sqlite":
        with engine.execution_options(**{_BEGIN: None}).connect() as connection:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")


def is_cut_short(engine: Engine) -> bool:
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


def _set_pragmas(connection: SqliteConnection, _record: Any) -> None:
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin(connection: Connection) -> None:
    statement = connection.get_execution_options().get(_BEGIN, "BEGIN")
    if statement:
        connection.exec_driver_sql(statement)
