"""What a user can ask of Headrace; everything else is Spark's."""

from __future__ import annotations

from dataclasses import dataclass, field

from headrace.model.object_kind import ObjectKind as ObjectKind
from headrace.sql.tokens.positions import Span


class Statement:
    """One statement as the grammar reads it: a dataclass for each kind, next to the rules that read it."""


@dataclass(frozen=True)
class Name:
    """A name as typed, one part per dot; the session decides what it stands for."""

    parts: tuple[str, ...]
    span: Span


@dataclass(frozen=True)
class Expression:
    """SQL text kept as it is."""

    text: str
    span: Span


@dataclass(frozen=True)
class Word:
    """What an identifier or a literal stands for, without quotes and escapes."""

    text: str
    span: Span


@dataclass(frozen=True)
class Property:
    name: Word
    value: Word


@dataclass(frozen=True)
class Listing(Statement):
    """A SHOW of what schemas hold."""

    schema: Name | None = None
    like: str | None = None
    where: Expression | None = None
    limit: int | None = None


@dataclass(frozen=True)
class ColumnSpec:
    name: str
    type: str | None = None
    comment: str | None = None
    span: Span | None = field(default=None, compare=False)
    """Of the name."""
    type_span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True)
class ShowTables(Listing):
    pass


@dataclass(frozen=True)
class ShowTablesHistory(Listing):
    """What can be undropped."""


@dataclass(frozen=True)
class ShowCreateTable(Statement):
    name: Name


@dataclass(frozen=True)
class Describe(Statement):
    name: Name
    extended: bool = False
    kind: str | None = None
    """``TABLE`` or ``DYNAMIC TABLE`` where the user said so."""


@dataclass(frozen=True)
class NotYet(Statement):
    """A statement that Headrace knows by name and cannot run in this version."""

    feature: str
    span: Span


@dataclass(frozen=True)
class Passthrough(Statement):
    """Spark's own."""

    text: str
