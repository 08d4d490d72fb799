"""What happened at each refresh, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from headrace.model.estimate import Estimate
from headrace.model.names import TableName
from headrace.model.partition import Partition
from headrace.model.version import TableVersion


class RefreshState(StrEnum):
    SETUP = "SETUP"
    RESUMING_CLUSTER = "RESUMING_CLUSTER"
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    SUCCEED = "SUCCEED"
    FAILED = "FAILED"


class RefreshTrigger(StrEnum):
    MANUAL = "MANUAL"
    SYSTEM_SCHEDULED = "SYSTEM_SCHEDULED"


class RefreshMode(StrEnum):
    NO_DATA = "NO_DATA"
    INCREMENTAL = "INCREMENTAL"
    FULL = "FULL"


@dataclass(frozen=True)
class RefreshStats:
    """An updated row counts in both; a row left in place counts in neither."""

    rows_inserted: int
    rows_deleted: int


@dataclass(frozen=True)
class Refresh:
    """One row of the refresh history."""

    job_id: str
    table_id: str
    table: TableName
    cluster: str
    start_time: datetime
    state: RefreshState
    trigger: RefreshTrigger
    sources: tuple[TableName, ...]
    end_time: datetime | None = None
    suspended_reason: str | None = None
    mode: RefreshMode | None = None
    mode_reason: str | None = None
    error_message: str | None = None
    stats: RefreshStats | None = None
    source_versions: Mapping[TableName, TableVersion] = field(default_factory=dict)
    rows_read: int | None = None
    bytes_read: int | None = None
    cluster_seconds: float | None = None
    estimated: Estimate | None = None
    """From sizes alone, where both modes were possible."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """By parameter of the definition."""
    partition: Partition | None = None
    """What was refreshed; None: the whole table."""

    @property
    def duration(self) -> timedelta | None:
        return None if self.end_time is None else self.end_time - self.start_time


@dataclass(frozen=True)
class Outcome:
    """How the refreshes of a table went, of those that have ended."""

    last_success: datetime | None = None
    """When it ended."""
    consecutive_failures: int = 0
    """Since the last success."""
    last_failure: Refresh | None = None
    """Set where the last refresh failed."""


@dataclass(frozen=True)
class Phase:
    name: str
    seconds: float


class StageOutcome(StrEnum):
    DONE = "done"
    OVER_LIMIT = "over the limit"
    """There were more rows than are kept in memory."""
    READ_IN_FULL = "table read in full"
    """Its rows could not be found by key."""
    EMPTY = "no rows"
    """There was nothing left to do."""
    FAILED = "failed"


@dataclass(frozen=True)
class StageReport:
    """What one stage of a refresh did; EXPLAIN REFRESH lists the stages of the next one."""

    stage: str
    detail: str
    seconds: float
    rows: int | None = None
    """Staged, kept in memory, or inserted and deleted. None: not known."""
    outcome: StageOutcome = StageOutcome.DONE
    spark_jobs: tuple[int, ...] = ()
    statement: int | None = None
    """Its number among the statements of the profile; None if it ran none."""


@dataclass(frozen=True)
class TableRead:
    """What a refresh read of one table."""

    table: str
    rows: int
    bytes: int | None
    files: int | None
    """Data files. None, as for the bytes: not known."""
    side: str = ""
    """``change``, ``old`` or ``new`` of a source; ``result`` of the dynamic table itself."""


@dataclass(frozen=True)
class OperatorMetric:
    name: str
    """In Spark's words: `number of output rows`."""
    type: str
    """`sum`, `size` in bytes, `timing` in milliseconds, `nsTiming` in nanoseconds, `average`."""
    value: int


@dataclass(frozen=True)
class PlanOperator:
    """One operator of a plan that has run."""

    id: int
    parent: int | None
    """None: the root."""
    name: str
    detail: str
    metrics: tuple[OperatorMetric, ...] = ()


@dataclass(frozen=True)
class JobProfile:
    """How one refresh spent its time. Kept with the history row of the same job_id."""

    job_id: str
    phases: tuple[Phase, ...]
    reads: tuple[TableRead, ...] = ()
    statements: tuple[str, ...] = ()
    """The SQL that ran, in order."""
    plans: tuple[str, ...] = ()
    """Spark's physical plan of each statement."""
    spark_jobs: tuple[int, ...] = ()
    rows_written: int = 0
    bytes_written: int = 0
    tag: str | None = None
    arguments: Mapping[str, str] = field(default_factory=dict)
    partition: Partition | None = None
    stages: tuple[StageReport, ...] = ()
    """In the order in which they ran; after a plan that failed come those of the next."""
    operators: tuple[tuple[PlanOperator, ...], ...] = ()
    """Of each plan; none of small queries, whose operators are not listed."""
