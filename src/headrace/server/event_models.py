"""The data of each type of event, as clients receive it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from headrace.model.backfill import BackfillProgress
from headrace.model.history import RefreshMode, RefreshState, RefreshTrigger
from headrace.model.task import RunState, RunTrigger
from headrace.model.vcluster import VclusterState
from headrace.views.jobs import JobRow


class EventType(StrEnum):
    REFRESH = "refresh"
    TASK_RUN = "task_run"
    JOB = "job"
    JOB_PROGRESS = "job_progress"
    CLUSTER = "cluster"
    TABLE = "table"
    FILE = "file"
    BACKFILL = "backfill"


RESET = "reset"
"""Type of the event that is sent to every client whatever it has selected."""


@dataclass(frozen=True)
class RefreshEvent:
    """A refresh has another state."""

    table: str
    job_id: str
    state: RefreshState
    trigger: RefreshTrigger
    cluster: str
    mode: RefreshMode | None
    mode_reason: str | None
    rows_inserted: int | None
    rows_deleted: int | None
    start_time: datetime
    end_time: datetime | None
    seconds: float | None
    error_message: str | None
    suspended_reason: str | None


@dataclass(frozen=True)
class TaskRunEvent:
    """A run of a task has another state; each attempt has its own states."""

    task: str
    run_id: str
    attempt: int
    state: RunState
    trigger: RunTrigger
    scheduled_time: datetime
    start_time: datetime | None
    end_time: datetime | None
    error_message: str | None
    job_ids: tuple[str, ...]


@dataclass(frozen=True)
class JobProgressEvent:
    """What a running statement of the user does."""

    job_id: str
    progress: str


@dataclass(frozen=True)
class ClusterEvent:
    name: str
    state: VclusterState


@dataclass(frozen=True)
class TableEvent:
    """A table was created, changed, dropped or renamed."""

    table: str
    metadata_location: str | None
    """The current metadata file; null: there is no longer a table of this name."""


@dataclass(frozen=True)
class FileEvent:
    """A development file was created, saved, moved, deployed, deleted or restored."""

    file: str
    """Its id."""
    name: str
    version: int
    user: str
    """Who has changed it last."""
    deleted: bool


@dataclass(frozen=True)
class ResetEvent:
    """Events were lost: load the current state again."""

    reason: str


EventData = (
    RefreshEvent
    | TaskRunEvent
    | JobRow
    | JobProgressEvent
    | ClusterEvent
    | TableEvent
    | FileEvent
    | BackfillProgress
    | ResetEvent
)
