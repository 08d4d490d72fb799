"""What MySQL says, as errors that say what to do."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pymysql
from pymysqlreplication.exceptions import MalformedBinLogEvent, StatusVariableMismatch

from headrace.errors import DatabaseError, OperationalError, Refused

_GRANT = (
    "GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* and SELECT on the tables to the user; MySQL requires"
    " LOCK TABLES, too"
)
_CHECK_USER = "check USER and the secret of PASSWORD"
_CONNECTIONS = "close other connections, or allow the user and the server more of them"
_LOCKED = "ALTER USER ... ACCOUNT UNLOCK in the database"
_HINTS: Mapping[int, tuple[type[DatabaseError], str]] = {
    1040: (OperationalError, _CONNECTIONS),
    1044: (Refused, _GRANT),
    1045: (OperationalError, _CHECK_USER),
    1049: (OperationalError, "check DATABASE"),
    1142: (Refused, _GRANT),
    1143: (Refused, _GRANT),
    1203: (OperationalError, _CONNECTIONS),
    1205: (OperationalError, "a long transaction is writing to the table; it is tried again"),
    1226: (OperationalError, _CONNECTIONS),
    1227: (Refused, _GRANT),
    1236: (OperationalError, "ALTER SYNC name RESYNC reads all tables again"),
    1381: (
        OperationalError,
        "start the server with log_bin, binlog_format = ROW and binlog_row_metadata = FULL",
    ),
    1412: (OperationalError, "the table was altered while it was read; it is tried again"),
    1698: (OperationalError, _CHECK_USER),
    3118: (OperationalError, _LOCKED),
    3159: (
        OperationalError,
        "the server accepts encrypted connections alone: use TLS = REQUIRED or VERIFIED",
    ),
    4151: (OperationalError, _LOCKED),
}
_UNREADABLE = (MalformedBinLogEvent, StatusVariableMismatch, struct.error, NotImplementedError)
"""What the replication library raises for events that it does not understand."""
_UNREACHABLE = "check HOST and PORT, and that the server runs; TEST CONNECTION tries again"


@contextmanager
def mysql_errors(needs: str = _GRANT) -> Iterator[None]:
    """``needs``: what the user must be allowed."""
    try:
        yield
    except pymysql.Error as error:
        raise _translated(error, needs) from error
    except _UNREADABLE as error:
        raise OperationalError(f"the binary log cannot be read: {error or type(error).__name__}") from error


def error_code(error: BaseException | None) -> int:
    return int(error.args[0]) if isinstance(error, pymysql.Error) and len(error.args) > 1 else 0


def _translated(error: pymysql.Error, needs: str) -> DatabaseError:
    code = error_code(error)
    message = str(error.args[-1]) if error.args else type(error).__name__
    if code in _HINTS:
        becomes, hint = _HINTS[code]
        return becomes(f"MySQL: {message}", hint=needs if hint is _GRANT else hint)
    if code in (2003, 2006, 2013) or isinstance(error, pymysql.InterfaceError):
        return OperationalError(f"MySQL: {message}", hint=_UNREACHABLE)
    return DatabaseError(f"MySQL: {message}")
