"""Tasks and their runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from headrace.model.task import (
    CronSchedule,
    IntervalSchedule,
    RunState,
    RunTrigger,
    Task,
    TaskAlert,
    TaskKind,
    TaskRun,
    TaskState,
)


@dataclass(frozen=True)
class TaskRow:
    name: str
    kind: TaskKind
    state: TaskState
    schedule_interval: timedelta | None
    start_time: datetime | None
    cron: str | None
    time_zone: str | None
    after: tuple[str, ...]
    virtual_cluster: str
    last_run_time: datetime | None
    last_run_state: RunState | None
    creator: str
    created_time: datetime
    last_modified_time: datetime
    comment: str | None

    @staticmethod
    def of(task: Task, last: TaskRun | None) -> TaskRow:
        return TaskRow(**_known(task, last))


@dataclass(frozen=True)
class TaskDetails(TaskRow):
    schema: str
    retries: int
    backoff_seconds: int
    timeout_seconds: int | None
    parameters: Mapping[str, str]
    alerts: tuple[TaskAlert, ...]
    body: str
    next_run_time: datetime | None = None
    """Of a deployed task with a schedule, where it was asked for."""

    @staticmethod
    def of(task: Task, last: TaskRun | None, next_run_time: datetime | None = None) -> TaskDetails:
        return TaskDetails(
            **_known(task, last),
            schema=f"{task.workspace}.{task.schema}",
            retries=task.retries,
            backoff_seconds=task.backoff_seconds,
            timeout_seconds=task.timeout_seconds,
            parameters=task.parameters,
            alerts=task.alerts,
            body=task.body,
            next_run_time=next_run_time,
        )


@dataclass(frozen=True)
class TaskRunRow:
    """One attempt."""

    run_id: str
    name: str
    attempt: int
    state: RunState
    run_trigger: RunTrigger
    scheduled_time: datetime
    start_time: datetime | None
    end_time: datetime | None
    duration: timedelta | None
    parameters: Mapping[str, str]
    error_message: str | None
    job_ids: tuple[str, ...]
    log: str

    @staticmethod
    def of(run: TaskRun) -> TaskRunRow:
        return TaskRunRow(
            run_id=run.run_id,
            name=run.task,
            attempt=run.attempt,
            state=run.state,
            run_trigger=run.trigger,
            scheduled_time=run.scheduled_time,
            start_time=run.start_time,
            end_time=run.end_time,
            duration=run.end_time - run.start_time if run.end_time and run.start_time else None,
            parameters=run.parameters,
            error_message=run.error_message,
            job_ids=run.job_ids,
            log=run.log,
        )


@dataclass(frozen=True)
class TaskInstance:
    """One run with all its attempts."""

    run_id: str
    name: str
    state: RunState
    """Of the last attempt."""
    run_trigger: RunTrigger
    scheduled_time: datetime
    parameters: Mapping[str, str]
    attempts: tuple[TaskRunRow, ...]
    """In order."""

    @staticmethod
    def of(attempts: Sequence[TaskRun]) -> TaskInstance:
        last = attempts[-1]
        return TaskInstance(
            last.run_id,
            last.task,
            last.state,
            last.trigger,
            last.scheduled_time,
            last.parameters,
            tuple(map(TaskRunRow.of, attempts)),
        )


def _known(task: Task, last: TaskRun | None) -> dict[str, Any]:
    schedule = task.schedule
    interval = schedule.seconds if isinstance(schedule, IntervalSchedule) else None
    return {
        "name": task.name,
        "kind": task.kind,
        "state": task.state,
        "schedule_interval": None if interval is None else timedelta(seconds=interval),
        "start_time": schedule.start_at if isinstance(schedule, IntervalSchedule) else None,
        "cron": schedule.expression if isinstance(schedule, CronSchedule) else None,
        "time_zone": schedule.zone if isinstance(schedule, CronSchedule) else None,
        "after": task.after,
        "virtual_cluster": task.cluster.upper(),
        "last_run_time": last.scheduled_time if last else None,
        "last_run_state": last.state if last else None,
        "creator": task.creator,
        "created_time": task.created_at,
        "last_modified_time": task.modified_at,
        "comment": task.comment,
    }
