"""Syncs: tables of a database that the lake follows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from headrace.model.names import TableName
from headrace.model.task import CronSchedule, IntervalSchedule


class SyncMode(StrEnum):
    MIRROR = "MIRROR"
    """The table is equal to its source."""
    APPEND = "APPEND"
    """The table has the log of changes."""
    SHARD_MERGE = "SHARD_MERGE"
    """The table has the rows of several tables of the source."""
    BATCH = "BATCH"
    """The table is made equal to its source now and then, without the log of the source."""


class SyncStart(StrEnum):
    SNAPSHOT = "SNAPSHOT"
    LATEST = "LATEST"
    POSITION = "POSITION"
    """A place in the log, which the statement gave."""


@dataclass(frozen=True)
class SyncSettings:
    """What ALTER SYNC can change."""

    cluster: str
    interval_seconds: int = 60
    initial_delay_seconds: int = 0
    is_paused: bool = False
    comment: str | None = None
    schedule: IntervalSchedule | CronSchedule | None = None
    """Of a batch sync; None: it is run by EXECUTE SYNC alone."""


@dataclass(frozen=True)
class BatchReads:
    """How a batch sync reads its tables."""

    watermark: str | None = None
    """Rows are read whose value in this column is not less than the largest one so far; None: all rows."""
    partitions: int | None = None
    """How many parts of a large table are read at the same time, at most; None: as suits the database."""


ALL_ROWS = BatchReads()


@dataclass(frozen=True)
class SyncTable:
    source: str
    """``schema.table``."""
    target: TableName
    key: tuple[str, ...]
    error: str | None = None
    """Why it is stopped; None: it is not."""
    rows: int = 0
    """Rows and changes that were brought."""
    phase: str = "SNAPSHOT"
    position: str | None = None


@dataclass(frozen=True)
class SyncProgress:
    """What the runs of a sync have done, for people to look at: what is loaded, the tables themselves say."""

    last_run_at: datetime | None = None
    last_commit_at: datetime | None = None
    failures: int = 0
    """In a row."""
    last_error: str | None = None
    changes: int = 0
    lag_bytes: int | None = None
    lag_seconds: float | None = None
    """Of a sync that follows a log: how long the tables had not been up to date when the last run ended."""
    caught_up_at: datetime | None = None
    """When the last run began that brought all tables that are not stopped up to where the log was."""
    held_bytes: int | None = None
    """Of the source's log, that it keeps for the sync."""


@dataclass(frozen=True)
class Sync:
    id: str
    name: TableName
    connection: str
    patterns: tuple[str, ...]
    target_workspace: str
    target_schema: str
    prefix: str
    mode: SyncMode
    start: SyncStart
    tables: tuple[SyncTable, ...]
    settings: SyncSettings
    creator: str
    created_at: datetime
    modified_at: datetime
    progress: SyncProgress = SyncProgress()
    reads: BatchReads = ALL_ROWS

    @property
    def tag(self) -> str:
        """Of its jobs."""
        return f"sync.{self.name.workspace}.{self.name.schema}.{self.name.table}"

    @property
    def follows_deletes(self) -> bool:
        """Whether rows that are gone from the source are deleted."""
        return self.mode is not SyncMode.APPEND and self.reads.watermark is None
