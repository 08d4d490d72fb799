"""What the log of a database says, whichever database it is.

Values are text as the database writes it; the type of their column says how Spark reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum
from typing import TypeAlias


class Unchanged(Enum):
    """A value that the log leaves out because it did not change."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED
Value: TypeAlias = str | Unchanged | None
Row: TypeAlias = Mapping[str, Value]
Key: TypeAlias = tuple[str | None, ...]


@dataclass(frozen=True)
class SourceColumn:
    name: str
    type: str
    """In Spark."""
    expression: str
    """SQL that makes a value of it from the text ``{}``."""
    source_type: str
    """As the database calls it."""
    has_default: bool = False
    """Whether rows that were there before the column can have a value in it."""
    prepare: Callable[[str], str] | None = None
    """What is done to the text before that."""
    declared: str = ""
    """The whole type, as the catalog of the database has it; empty where only the log is known."""
    number: int | None = None
    """By which the database tells the column from a later one of the same name."""


@dataclass(frozen=True)
class SourceTable:
    schema: str
    name: str
    columns: tuple[SourceColumn, ...]
    key: tuple[str, ...]
    """Columns that identify a row; empty: the whole row."""

    @property
    def full_name(self) -> str:
        return f"{self.schema}.{self.name}"

    def key_of(self, row: Row) -> Key:
        return tuple(_known(row[column]) for column in self.key)


def _known(value: Value) -> str | None:
    if isinstance(value, Unchanged):
        raise ValueError("a key without its value")
    return value


class Operation(StrEnum):
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    TRUNCATE = "truncate"
    BREAK = "break"
    """From here on the log does not say what the rows of the table are."""


@dataclass(frozen=True, slots=True)
class Change:
    table: str
    operation: Operation
    new: Row | None = None
    """After an insert or update."""
    old: Row | None = None
    """Before an update or delete: all columns, or those of the key; None where the key did not change."""
    reason: str = ""
    """Of a break."""


@dataclass(frozen=True, slots=True)
class Transaction:
    id: int
    position: str
    """After it."""
    committed_at: datetime
    changes: Sequence[Change]
