"""Errors of the database in the words of the user: one line and a hint, no SQL and no parameters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import exc

from headrace.catalog.postgres_errors import translate_postgres_error
from headrace.errors import DatabaseError, DataError, InternalError, LakeDamaged, OperationalError

_RESTORE = (
    "restore the metadata database from a backup; the data is in the Iceberg tables and is not affected"
)

_SQLITE: dict[str, tuple[type[DatabaseError], str, str]] = {
    "SQLITE_FULL": (
        OperationalError,
        "the metadata database cannot grow: the disk is full",
        "free some space and run the statement again; nothing was changed",
    ),
    "SQLITE_BUSY": (
        OperationalError,
        "the metadata database is locked by another process",
        "find the process that has it open and run the statement again; nothing was changed",
    ),
    "SQLITE_LOCKED": (
        OperationalError,
        "the metadata database is locked by another statement",
        "run the statement again; nothing was changed",
    ),
    "SQLITE_READONLY": (
        OperationalError,
        "the metadata database is read-only",
        "grant this user write access to the file and its directory",
    ),
    "SQLITE_CANTOPEN": (
        OperationalError,
        "the metadata database cannot be opened",
        "check that its directory exists and that this user can write to it",
    ),
    "SQLITE_PERM": (
        OperationalError,
        "permission denied for the metadata database",
        "grant this user read and write access to the file and its directory",
    ),
    "SQLITE_IOERR": (
        OperationalError,
        "the metadata database cannot be read or written: the disk reports an error",
        "check the disk, its free space and its mount",
    ),
    "SQLITE_CORRUPT": (LakeDamaged, "the metadata database is damaged", _RESTORE),
    "SQLITE_NOTADB": (LakeDamaged, "the metadata database is not a database file", _RESTORE),
}


@contextmanager
def database_errors() -> Iterator[None]:
    """Lets no error of SQLAlchemy or of a driver out."""
    try:
        yield
    except exc.SQLAlchemyError as error:
        plain, orig = _translate(error), getattr(error, "orig", None)
        raise plain from (None if plain is orig else orig)
    except UnicodeEncodeError as error:
        raise DataError("a string contains half of a surrogate pair and cannot be stored") from error


@contextmanager
def row_errors(table: str) -> Iterator[None]:
    """A row of ``table`` that cannot be understood is damage."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(f"a row of {table} is unreadable") from error


def damaged(what: str) -> LakeDamaged:
    return LakeDamaged(f"the metadata database is damaged: {what}", hint=_RESTORE)


def _translate(error: exc.SQLAlchemyError) -> Exception:
    match error:
        case exc.DBAPIError():
            return _translate_driver_error(error)
        case exc.StatementError(orig=Exception() as orig):
            return orig
        case exc.TimeoutError():
            return OperationalError(
                "no connection to the metadata database became free in time",
                hint="run fewer statements at once",
            )
    return OperationalError(f"the metadata database cannot be used: {_first_line(error)}")


def _translate_driver_error(error: exc.DBAPIError) -> DatabaseError:
    name = getattr(error.orig, "sqlite_errorname", None) or ""
    for prefix, (kind, message, hint) in _SQLITE.items():
        if name.startswith(prefix):
            return kind(message, hint=hint)
    of_server = translate_postgres_error(error)
    if of_server is not None:
        return of_server
    text = _first_line(error.orig)
    if isinstance(error, exc.ProgrammingError) or text.startswith(("no such table", "no such column")):
        return damaged(text)
    if isinstance(error, exc.IntegrityError):
        return InternalError(f"the metadata database refused a row: {text}")
    return OperationalError(f"the metadata database cannot be used: {text}")


def _first_line(error: BaseException | None) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
