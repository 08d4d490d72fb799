"""A table stream: which changes of a table some reader has not consumed yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from headrace.model.names import TableName
from headrace.model.version import TableVersion


class StreamMode(StrEnum):
    STANDARD = "STANDARD"
    """The net change since the offset."""
    APPEND_ONLY = "APPEND_ONLY"
    """Inserted rows only."""


@dataclass(frozen=True)
class TableStream:
    id: str
    name: TableName
    source: TableName
    offset: TableVersion
    """The version of the source up to which changes are consumed."""
    mode: StreamMode
    shows_initial_rows: bool
    """As it was asked for."""
    initial_rows_due: bool
    """Whether the rows at the offset are still to be consumed, before any change."""
    creator: str
    created_at: datetime
    comment: str | None = None
    claimed_by: str | None = None
    """The consumption that has begun and not ended."""

    def __post_init__(self) -> None:
        if self.initial_rows_due and not self.shows_initial_rows:
            raise ValueError("initial rows are due only if they were requested")


@dataclass(frozen=True)
class Consumption:
    """One statement that reads streams and writes to a table."""

    id: str
    target: TableName
    begun_at: datetime
    offsets: Mapping[str, TableVersion]
    """What becomes of each stream's offset, by the stream's id."""
