"""Open dynamic tables for the Spark lakehouse."""

from __future__ import annotations

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

if TYPE_CHECKING:
    from headrace.connection import Connection, Cursor, connect

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


def __getattr__(name: str) -> Any:
    """Spark is imported when a lake is opened, not before: ``headrace --version`` is quick."""
    if name in ("connect", "Connection", "Cursor"):
        from headrace import connection

        return getattr(connection, name)
    raise AttributeError(f"module 'headrace' has no attribute {name!r}")
