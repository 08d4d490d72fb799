"""Open dynamic tables for the Spark lakehouse."""

from __future__ import annotations

import os
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace.engine_missing import engine_imports
from headrace.errors import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Warning,  # noqa: A004  (the name is PEP 249's)
)
from headrace.model.address import Directory, Server, read_address
from headrace.model.clock import Clock, system_clock

if TYPE_CHECKING:
    from headrace.connection import Connection, Cursor

__version__ = "0.1.0"

apilevel = "2.0"
threadsafety = 2
paramstyle = "qmark"

__all__ = [
    "Connection",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "Warning",
    "__version__",
    "apilevel",
    "connect",
    "paramstyle",
    "threadsafety",
]


def connect(
    lake: str | PathLike[str],
    *,
    token: str | None = None,
    create: bool = True,
    progress: Callable[[str], None] | None = None,
    clock: Clock = system_clock,
) -> Connection:
    """Opens the lake in a directory, behind a server (http://...) or in a database (postgresql://...).

    A missing or empty directory becomes a new lake, unless ``create`` is False. ``token`` is for servers;
    a task's script needs none.
    """
    address = read_address(lake) if isinstance(lake, str) else Directory(Path(lake))
    if isinstance(address, Server):
        from headrace.remote import RemoteConnection

        return RemoteConnection(address.url, _given_token(address.url) if token is None else token)
    with engine_imports():
        from headrace.embedded import EmbeddedConnection, directory_of

    return EmbeddedConnection(directory_of(address, create), clock, progress or (lambda _: None))


def _given_token(url: str) -> str | None:
    """Of the server that runs this script, and of no other."""
    is_own = url == os.environ.get("HEADRACE_URL")
    return os.environ.get("HEADRACE_TOKEN") if is_own else None


def __getattr__(name: str) -> Any:
    """Libraries are imported when a lake is opened, not before: ``headrace --version`` is quick."""
    if name in ("Connection", "Cursor"):
        from headrace import connection

        return getattr(connection, name)
    raise AttributeError(f"module 'headrace' has no attribute {name!r}")
