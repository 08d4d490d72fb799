"""The data of each type of event, as clients receive it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel

from headrace.model.history import RefreshMode, RefreshState, RefreshTrigger
from headrace.model.job import JobKind, JobState
from headrace.model.task import RunState, RunTrigger
from headrace.model.vcluster import VclusterState


class EventType(StrEnum):
    REFRESH = "refresh"
    TASK_RUN = "task_run"
    JOB = "job"
    JOB_PROGRESS = "job_progress"
    CLUSTER = "cluster"
    TABLE = "table"


RESET = "reset"
"""Type of the event that is sent to every client whatever it has selected."""


class RefreshEvent(BaseModel):
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


class TaskRunEvent(BaseModel):
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
    job_ids: list[str]


class JobEvent(BaseModel):
    """A statement has another state. Text, tag and error of other users' statements are null."""

    job_id: str
    kind: JobKind
    state: JobState
    statement: str | None
    virtual_cluster: str
    creator: str
    submitted_time: datetime
    start_time: datetime | None
    end_time: datetime | None
    rows: int | None
    cluster_seconds: float | None
    query_tag: str | None
    error_message: str | None


class JobProgressEvent(BaseModel):
    """What a running statement of the user does."""

    job_id: str
    progress: str


class ClusterEvent(BaseModel):
    name: str
    state: VclusterState


class TableEvent(BaseModel):
    """A table was created, changed, dropped or renamed."""

    table: str
    metadata_location: str | None
    """The current metadata file; null: there is no longer a table of this name."""


class ResetEvent(BaseModel):
    """Events were lost: load the current state again."""

    reason: str


EventData = RefreshEvent | TaskRunEvent | JobEvent | JobProgressEvent | ClusterEvent | TableEvent | ResetEvent
