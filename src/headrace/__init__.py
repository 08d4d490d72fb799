"""Open dynamic tables for the Spark lakehouse."""

from __future__ import annotations

import os
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    progress: Callable[[str], None] | None = None,
    clock: Clock = system_clock,
) -> Connection:
    """Opens the lake in a directory, made first if that is missing or empty, or the one a server has.

    ``token`` is for servers: the URL of one starts with http. A task's script needs none.
    """
    if isinstance(lake, str) and lake.lower().startswith(("http://", "https://")):
        from headrace.remote import RemoteConnection

        return RemoteConnection(lake, token or _given_token(lake))
    from headrace.embedded import EmbeddedConnection

    return EmbeddedConnection(Path(lake), clock, progress or (lambda _: None))


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
