"""What PostgreSQL says, as errors that tell what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg

from headrace.errors import DatabaseError, OperationalError, Refused

_GRANT = (
    "the role needs LOGIN REPLICATION, SELECT on the tables, CREATE on the database, and to own the tables"
)
_HINTS: tuple[tuple[type[psycopg.Error], type[DatabaseError], str], ...] = (
    (pg.InvalidPassword, OperationalError, "check USER and the secret of PASSWORD"),
    (pg.InvalidAuthorizationSpecification, OperationalError, "check USER, and pg_hba.conf of the server"),
    (pg.InvalidCatalogName, OperationalError, "check DATABASE"),
    (pg.InsufficientPrivilege, Refused, _GRANT),
    (pg.ObjectInUse, OperationalError, "another program reads the slot; it is tried again"),
    (pg.ConfigurationLimitExceeded, OperationalError, "increase max_replication_slots, or drop a slot"),
    (pg.ObjectNotInPrerequisiteState, OperationalError, "set wal_level = logical and restart the server"),
    (pg.QueryCanceled, OperationalError, "end transactions that have been open for long, then try again"),
)


@contextmanager
def postgres_errors(needs: str = _GRANT) -> Iterator[None]:
    """``needs``: what the user must be allowed."""
    try:
        yield
    except psycopg.Error as error:
        raise _translated(error, needs) from error


def _translated(error: psycopg.Error, needs: str) -> DatabaseError:
    message = _message(error)
    for kind, becomes, hint in _HINTS:
        if isinstance(error, kind):
            return becomes(f"PostgreSQL: {message}", hint=needs if hint is _GRANT else hint)
    if isinstance(error, psycopg.OperationalError):
        return OperationalError(f"PostgreSQL: {message}", hint=_connection_hint(message))
    return DatabaseError(f"PostgreSQL: {message}")


def _message(error: psycopg.Error) -> str:
    """The first line that says something; libpq lists all addresses that it has tried."""
    if error.diag.message_primary:
        return error.diag.message_primary
    lines = [line.strip(" -\t") for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith("Multiple connection attempts")]
    first = told[0] if told else type(error).__name__
    return first.rpartition("FATAL:")[2].strip() or first


def _connection_hint(message: str) -> str:
    if "password authentication failed" in message:
        return "check USER and the secret of PASSWORD"
    if "too many" in message:
        return "close other connections, or allow the role and the server more of them"
    if "no password supplied" in message:
        return "give PASSWORD = secret('name')"
    if 'database "' in message:
        return "check DATABASE"
    if "pg_hba.conf" in message or "role" in message:
        return "check USER, and pg_hba.conf of the server"
    return "check HOST and PORT, and that the server runs; TEST CONNECTION tries again"
