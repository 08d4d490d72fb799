"""What was asked of a cluster: one statement, refresh or run of a task."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class JobKind(StrEnum):
    STATEMENT = "STATEMENT"
    REFRESH = "REFRESH"
    TASK = "TASK"


class JobState(StrEnum):
    QUEUED = "QUEUED"
    RESUMING_CLUSTER = "RESUMING_CLUSTER"
    RUNNING = "RUNNING"
    SUCCEED = "SUCCEED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


ENDED_JOBS = frozenset({JobState.SUCCEED, JobState.FAILED, JobState.CANCELLED})


@dataclass(frozen=True)
class Job:
    job_id: str
    kind: JobKind
    statement: str
    cluster: str
    creator: str
    state: JobState
    submitted_at: datetime
    start_time: datetime | None = None
    end_time: datetime | None = None
    tag: str | None = None
    error_message: str | None = None
    rows: int | None = None
    """Of the result."""
    cluster_seconds: float | None = None
    notices: tuple[str, ...] = ()
    server: str | None = None
    """Whose job it is, among the servers of a lake."""
