"""Statements about dynamic tables, as the grammar reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headrace.model.dynamic_table import RequestedMode
from headrace.sql.parsing.statements import ColumnSpec, Expression, Listing, Name, Property, Statement, Word
from headrace.sql.tokens.positions import Span


@dataclass(frozen=True)
class CreateDynamicTable(Statement):
    name: Name
    query: str
    """Exactly as typed after AS."""
    query_offset: int
    or_replace: bool = False
    if_not_exists: bool = False
    columns: tuple[ColumnSpec, ...] = ()
    partitioned_by: tuple[str, ...] = ()
    clustered_by: tuple[str, ...] = ()
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    interval_seconds: int | None = None
    start_at: str | None = None
    """Text of the timestamp literal; its time zone is the lake's unless it names one."""
    cluster: str | None = None
    mode: RequestedMode = RequestedMode.AUTO
    places: Mapping[str, Span] = field(default_factory=dict, compare=False)
    """Where each clause stands, by its first words: ``PARTITIONED BY``, ``INTERVAL``."""


@dataclass(frozen=True)
class PartitionValue:
    column: Word
    value: str | None
    """As text, without type; None for NULL."""
    literal: Expression
    """As typed: ``'a'``, ``-1``, ``DATE '2024-06-01'``, ``NULL``."""


@dataclass(frozen=True)
class RefreshDynamicTable(Statement):
    name: Name
    full: bool = False
    partition: tuple[PartitionValue, ...] | None = None


@dataclass(frozen=True)
class Explain(Statement):
    """What the statement would do; it is not done."""

    statement: CreateDynamicTable | RefreshDynamicTable


@dataclass(frozen=True)
class VerifyDynamicTable(Statement):
    name: Name


@dataclass(frozen=True)
class Suspend:
    """Of the schedule."""


@dataclass(frozen=True)
class Resume:
    """Of the schedule."""


@dataclass(frozen=True)
class RenameTo:
    name: Name


@dataclass(frozen=True)
class RenameColumn:
    column: Word
    to: Word


@dataclass(frozen=True)
class SetComment:
    comment: str


@dataclass(frozen=True)
class SetProperties:
    properties: tuple[Property, ...]


@dataclass(frozen=True)
class UnsetProperties:
    names: tuple[Word, ...]
    if_exists: bool = False


@dataclass(frozen=True)
class SetRefresh:
    interval_seconds: int
    interval_span: Span
    cluster: Word | None = None
    """None: as before."""


@dataclass(frozen=True)
class SetRefreshMode:
    mode: RequestedMode


Alteration = (
    Suspend
    | Resume
    | RenameTo
    | RenameColumn
    | SetComment
    | SetProperties
    | UnsetProperties
    | SetRefresh
    | SetRefreshMode
)


@dataclass(frozen=True)
class AlterDynamicTable(Statement):
    name: Name
    action: Alteration
    span: Span
    """Of the action."""


@dataclass(frozen=True)
class AlterTable(Statement):
    """Of a table or a dynamic table; other changes of a table are Spark's."""

    name: Name
    action: SetProperties | UnsetProperties


@dataclass(frozen=True)
class DropDynamicTable(Statement):
    name: Name
    if_exists: bool = False


@dataclass(frozen=True)
class ShowDynamicTables(Listing):
    pass


@dataclass(frozen=True)
class ShowRefreshHistory(Statement):
    table: Name | None = None
    where: Expression | None = None
    limit: int | None = None


@dataclass(frozen=True)
class CreateMaterializedView(Statement):
    """Refused, with a pointer to dynamic tables."""

    span: Span


@dataclass(frozen=True)
class SetArgument(Statement):
    """``SET dt.args.name = value``."""

    name: Word
    """Without ``dt.args.``; its span is that of the whole key."""
    value: Word


@dataclass(frozen=True)
class ResetArgument(Statement):
    name: Word


@dataclass(frozen=True)
class ShowArgument(Statement):
    """``SET dt.args.name``."""

    name: Word
