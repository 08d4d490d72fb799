"""A dynamic table as it was defined."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from headrace.model.names import TableName


class RequestedMode(StrEnum):
    """What the user asked for; each refresh then has a mode of its own (see history.RefreshMode)."""

    AUTO = "AUTO"
    FULL = "FULL"
    INCREMENTAL = "INCREMENTAL"


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    """Spark SQL type, as in DDL."""
    comment: str | None = None


@dataclass(frozen=True)
class Source:
    """A table the query reads, with the columns it had when the query was written."""

    name: TableName
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Definition:
    """All that decides which rows the table holds."""

    query: str
    """As typed."""
    expanded: str
    """The same text with every table by its full name and every view replaced by its query."""
    qualified: str
    """For reading: every column with its table too."""
    sources: tuple[Source, ...]
    uses_current_date: bool = False

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(self.expanded.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Schedule:
    interval_seconds: int | None = None
    """None: on demand only."""
    start_at: datetime | None = None


@dataclass(frozen=True)
class DynamicTable:
    id: str
    name: TableName
    definition: Definition
    columns: tuple[Column, ...]
    creator: str
    created_at: datetime
    modified_at: datetime
    schedule: Schedule = Schedule()
    cluster: str = "default"
    mode: RequestedMode = RequestedMode.AUTO
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    partitioned_by: tuple[str, ...] = ()
    """Partition expressions as typed: ``days(ts)``, ``category``."""
    clustered_by: tuple[str, ...] = ()
    suspended: bool = False
    """Of the schedule alone: it can still be refreshed by hand."""
