"""Errors of PostgreSQL in the words of the user; what the driver says of hosts and users stays with it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import exc

from headrace.errors import DatabaseError, DataError, OperationalError

Translation = tuple[type[DatabaseError], str, str | None]

_AGAIN = "run the statement again; nothing was changed"
_REFUSED: Translation = (
    OperationalError,
    "the server of the metadata database refuses this user or its password",
    "check the user and the password in the URL of the metadata database",
)
_MISSING: Translation = (
    OperationalError,
    "the metadata database does not exist on its server",
    "create it with CREATE DATABASE, or correct its name in the URL",
)
_UNREACHABLE: Translation = (
    OperationalError,
    "the server of the metadata database cannot be reached",
    "check that it is running, and the host and the port in its URL",
)
_CLOSED: Translation = (
    OperationalError,
    "the server of the metadata database closed the connection",
    "run the statement again once the server is back",
)
_BUSY: Translation = (
    OperationalError,
    "the server of the metadata database accepts no more connections",
    "raise its max_connections, or run fewer servers and statements at once",
)
_FORBIDDEN: Translation = (
    OperationalError,
    "permission denied in the metadata database",
    "make it the owner of the database, or grant it CREATE on the schema public",
)

_BY_STATE: dict[str, Translation] = {
    "28": _REFUSED,
    "3D000": _MISSING,
    "08": _CLOSED,
    "57P": _CLOSED,
    "53300": _BUSY,
    "53100": (
        OperationalError,
        "the metadata database cannot grow: the disk is full",
        "free some space on its server and run the statement again; nothing was changed",
    ),
    "55P03": (OperationalError, "the metadata database is locked by another statement", _AGAIN),
    "57014": (OperationalError, "the metadata database did not answer in time", _AGAIN),
    "40": (OperationalError, "another statement changed the metadata database at the same time", _AGAIN),
    "25006": (
        OperationalError,
        "the metadata database is read-only",
        "connect to the primary server, not to a standby",
    ),
    "42501": _FORBIDDEN,
}
"""By SQLSTATE or its beginning."""

_BY_TEXT: dict[str, Translation] = {
    "too many": _BUSY,
    "remaining connection slots": _BUSY,
    "the database system is": _UNREACHABLE,
    "permission denied": _FORBIDDEN,
    "password": _REFUSED,
    "authentication": _REFUSED,
    "pg_hba.conf": _REFUSED,
    "role": _REFUSED,
    "does not exist": _MISSING,
}
"""A server that turns a client away gives no SQLSTATE; of what it says after FATAL, the first that occurs."""


def translate_postgres_error(error: exc.DBAPIError) -> DatabaseError | None:
    """None for what has no words of its own, and for errors of other databases."""
    driver_error: Any = error.orig
    if not hasattr(driver_error, "sqlstate"):
        return None
    state, text = driver_error.sqlstate, str(driver_error)
    if state is None:
        translation = _without_state(error, text)
    else:
        translation = next((known for start, known in _BY_STATE.items() if state.startswith(start)), None)
    if translation is None:
        return None
    kind, message, hint = translation
    return kind(message, hint=hint)


def _without_state(error: exc.DBAPIError, text: str) -> Translation | None:
    if "NUL (0x00)" in text:
        return DataError, "a string contains a NUL character and cannot be stored", None
    if error.connection_invalidated:
        return _CLOSED
    if not isinstance(error, exc.OperationalError):
        return OperationalError, f"the metadata database cannot be used: {text.splitlines()[0]}", None
    if "no password supplied" in text:
        return _REFUSED
    _, fatal, reason = text.partition("FATAL:")
    if not fatal:
        return _UNREACHABLE
    return next((translation for part, translation in _BY_TEXT.items() if part in reason), None)
