"""A task: a script or a dynamic table with a schedule, and what became of its runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from zoneinfo import ZoneInfo

from headrace.model.names import DEFAULT_SCHEMA, DEFAULT_WORKSPACE


class TaskKind(StrEnum):
    SQL = "SQL"
    PYTHON = "PYTHON"
    DYNAMIC_TABLE = "DYNAMIC_TABLE"
    """Deploying creates the table and schedules it, taking offline suspends it."""


class TaskState(StrEnum):
    DRAFT = "DRAFT"
    DEPLOYED = "DEPLOYED"
    PAUSED = "PAUSED"
    OFFLINE = "OFFLINE"


class RunState(StrEnum):
    QUEUED = "QUEUED"
    WAITING = "WAITING"
    """For what it comes after, or for its next attempt."""
    RUNNING = "RUNNING"
    SUCCEED = "SUCCEED"
    FAILED = "FAILED"
    TIMEOUT = "TIMEOUT"
    CANCELLED = "CANCELLED"
    SKIPPED = "SKIPPED"


ENDED_RUNS = frozenset(
    {RunState.SUCCEED, RunState.FAILED, RunState.TIMEOUT, RunState.CANCELLED, RunState.SKIPPED}
)


class TaskAlert(StrEnum):
    """What a task sends an alert about."""

    FAILURE = "FAILURE"
    TIMEOUT = "TIMEOUT"


class RunTrigger(StrEnum):
    MANUAL = "MANUAL"
    SCHEDULED = "SCHEDULED"
    BACKFILL = "BACKFILL"
    """Of a backfill, which decides what runs after it: the schedule takes no notice."""


@dataclass(frozen=True)
class IntervalSchedule:
    seconds: int
    start_at: datetime | None = None

    def __post_init__(self) -> None:
        if self.seconds < 1:
            raise ValueError("an interval lasts at least a second")


def interval_moment(schedule: IntervalSchedule, now: datetime, zone: ZoneInfo) -> datetime | None:
    """The newest moment up to now; ``zone`` is the lake's. None before the first one.

    An interval counts from START WITH, else from midnight of the first of January 1970 in the lake's zone:
    tasks with the same interval share their moments.
    """
    start = (schedule.start_at or datetime(1970, 1, 1, tzinfo=zone)).astimezone(UTC)
    if now < start:
        return None
    interval = timedelta(seconds=schedule.seconds)
    return start + (now - start) // interval * interval


@dataclass(frozen=True)
class CronSchedule:
    expression: str
    zone: str | None = None
    """None: the lake's."""


@dataclass(frozen=True)
class Task:
    id: str
    name: str
    kind: TaskKind
    body: str
    creator: str
    created_at: datetime
    modified_at: datetime
    workspace: str = DEFAULT_WORKSPACE
    """Where it was created: names in its script are seen from there, and from the schema."""
    schema: str = DEFAULT_SCHEMA
    cluster: str = "default"
    schedule: IntervalSchedule | CronSchedule | None = None
    after: tuple[str, ...] = ()
    """Names of the tasks whose success it waits for."""
    retries: int = 0
    backoff_seconds: int = 0
    timeout_seconds: int | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    state: TaskState = TaskState.DRAFT
    alerts: tuple[TaskAlert, ...] = tuple(TaskAlert)

    def __post_init__(self) -> None:
        if not self.name or self.retries < 0 or self.backoff_seconds < 0:
            raise ValueError("a task has a name, and neither retries nor a backoff below zero")


@dataclass(frozen=True)
class TaskRun:
    """One attempt; the attempts of one run share its scheduled time."""

    run_id: str
    task_id: str
    task: str
    """The task's name at the time."""
    scheduled_time: datetime
    state: RunState
    trigger: RunTrigger
    attempt: int = 1
    start_time: datetime | None = None
    end_time: datetime | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    error_message: str | None = None
    log: str = ""
    job_ids: tuple[str, ...] = ()


def is_table_scheduled(task: Task) -> bool:
    """Whether its dynamic table has a schedule of its own; such a task's runs are the table's refreshes."""
    is_plain = not task.after and not isinstance(task.schedule, CronSchedule)
    return task.kind is TaskKind.DYNAMIC_TABLE and is_plain


def cycle(tasks: Iterable[Task]) -> list[str] | None:
    """Tasks each of which comes after the next, the first one again at the end; None if there is no ring.

    A name that none of the tasks has waits for nobody.
    """
    try:
        TopologicalSorter({task.name: task.after for task in tasks}).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found[::-1]
    return None
