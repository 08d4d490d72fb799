"""What can go wrong, as PEP 249 wants it, with a place in the SQL and a way out.

::

    Warning
    Error
    ├── InterfaceError            the client is used wrongly: closed cursor, bad parameter
    └── DatabaseError
        ├── DataError             a value does not fit: bad cast, overflow, division by zero
        ├── OperationalError      the world is not as needed: disk, files, Java, memory
        │   ├── LakeError         the lake's directory cannot be used
        │   │   ├── LakeLocked    another process has it open
        │   │   ├── LakeDamaged   something in it is missing or unreadable
        │   │   └── LakeTooNew    a newer Headrace wrote it
        │   ├── RefreshFailed     a refresh ended without a commit; the old rows stand
        │   ├── RefreshRunning    another refresh of the same table did not end in time
        │   ├── PositionMoved     another program has read the same records of a source into a table
        │   ├── SequenceGap       a stream writer left out a request, or the server does not know the last one
        │   ├── WritersThrottled  more rows of stream writers wait for their commit than the server may keep
        │   ├── CommitUnknown     a commit for another engine was cut short, and may have landed
        │   ├── StreamBusy        another statement that consumes the same stream did not end in time
        │   ├── StreamStale       the changes that a table stream has to tell are no longer there
        │   ├── Cancelled         the user stopped the statement
        │   ├── AccessDenied      a server wants a token that it knows
        │   ├── ClusterSuspended  a virtual cluster that does not start by itself
        │   └── ClusterLost       the process of a virtual cluster ended during the statement
        ├── IntegrityError        a write would break a rule of the table
        ├── InternalError         Headrace itself is wrong; please report
        ├── ProgrammingError      the SQL is wrong
        │   ├── SqlSyntaxError    it cannot be read
        │   ├── NotFound          a table, column, function or schema does not exist
        │   ├── AlreadyExists     the name is taken
        │   ├── VersionConflict   a newer version than the one that was edited exists
        │   └── Refused           it is readable, but not allowed on this object
        │       └── PermissionDenied  the role of the user does not permit it
        └── NotSupportedError     meaningful, but Headrace does not do it
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """Where in the text of a statement: 1-based line and column, and that line's text."""

    line: int
    column: int
    source_line: str
    length: int = 1

    def __str__(self) -> str:
        caret = " " * (self.column - 1) + "^" * max(
            1, min(self.length, len(self.source_line) - self.column + 1)
        )
        return f"line {self.line}, column {self.column}\n  {self.source_line}\n  {caret}"


class Warning(Exception):  # noqa: A001  (the name is PEP 249's)
    """A notice worth an exception; PEP 249 asks for the class."""


class Error(Exception):
    """Base of all errors. ``str()`` of one is everything a user needs to read."""

    def __init__(self, message: str, *, hint: str | None = None, place: Place | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.place = place

    def __str__(self) -> str:
        parts = [self.message if self.place is None else f"{self.message} at {self.place}"]
        if self.hint:
            parts.append(f"hint: {self.hint}")
        return "\n".join(parts)

    def at(self, place: Place | None) -> Error:
        """The same error, pointing at ``place`` unless it points somewhere already."""
        self.place = self.place or place
        return self


class InterfaceError(Error): ...


class DatabaseError(Error): ...


class DataError(DatabaseError): ...


class OperationalError(DatabaseError): ...


class LakeError(OperationalError): ...


class LakeLocked(LakeError): ...


class LakeDamaged(LakeError): ...


class LakeTooNew(LakeError): ...


class RefreshFailed(OperationalError): ...


class RefreshRunning(OperationalError): ...


class PositionMoved(OperationalError): ...


class SequenceGap(OperationalError): ...


class WritersThrottled(OperationalError): ...


class CommitUnknown(OperationalError): ...


class StreamBusy(OperationalError): ...


class StreamStale(OperationalError): ...


class Cancelled(OperationalError): ...


class AccessDenied(OperationalError): ...


class ClusterSuspended(OperationalError): ...


class EngineLost(OperationalError): ...


class ClusterLost(OperationalError): ...


class IntegrityError(DatabaseError): ...


class InternalError(DatabaseError):
    @classmethod
    def of(cls, error: Exception) -> InternalError:
        """Of an unexpected exception, whose own text may hold values: that is for the log."""
        return cls(f"internal error of the server ({type(error).__name__})", hint="see the log of the server")


class ProgrammingError(DatabaseError): ...


class SqlSyntaxError(ProgrammingError): ...


class NotFound(ProgrammingError):
    missing: tuple[str, ...] | None = None
    """The parts of its name, if it is a table, view or stream."""

    def of(self, *parts: str) -> NotFound:
        """The same error, about that table, view or stream."""
        self.missing = parts
        return self


class AlreadyExists(ProgrammingError): ...


class VersionConflict(ProgrammingError): ...


class Refused(ProgrammingError): ...


class PermissionDenied(Refused): ...


class NotSupportedError(DatabaseError): ...
