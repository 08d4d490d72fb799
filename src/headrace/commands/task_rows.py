"""Tasks and their runs as rows."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from headrace.catalog import MetadataStore
from headrace.commands.task_script import table_of
from headrace.model.history import Refresh, RefreshState, RefreshTrigger
from headrace.model.task import (
    CronSchedule,
    IntervalSchedule,
    RunState,
    RunTrigger,
    Task,
    TaskRun,
    is_table_scheduled,
)

_STATES = {
    RefreshState.SETUP: RunState.QUEUED,
    RefreshState.RESUMING_CLUSTER: RunState.QUEUED,
    RefreshState.QUEUED: RunState.QUEUED,
    RefreshState.RUNNING: RunState.RUNNING,
    RefreshState.SUCCEED: RunState.SUCCEED,
    RefreshState.FAILED: RunState.FAILED,
}


def runs_of(store: MetadataStore, task: Task | None = None, limit: int | None = None) -> list[TaskRun]:
    """Newest first. The runs of a task whose dynamic table has the schedule are the table's refreshes."""
    runs = store.task_runs.history(None if task is None else task.id, limit)
    for each in store.tasks.all() if task is None else [task]:
        if is_table_scheduled(each):
            runs += [refresh_run(each, row) for row in store.refreshes.history(table_of(each), limit)]
    return sorted(runs, key=lambda run: (run.scheduled_time, run.run_id, run.attempt), reverse=True)[:limit]


def refresh_run(task: Task, row: Refresh) -> TaskRun:
    is_manual = row.trigger is RefreshTrigger.MANUAL
    return TaskRun(
        run_id=row.job_id,
        task_id=task.id,
        task=task.name,
        scheduled_time=row.start_time,
        state=_STATES[row.state],
        trigger=RunTrigger.MANUAL if is_manual else RunTrigger.SCHEDULED,
        start_time=row.start_time,
        end_time=row.end_time,
        error_message=row.error_message,
        log=f"{row.mode}: {row.mode_reason}" if row.mode else "",
        job_ids=(row.job_id,),
    )


def task_row(task: Task, last: TaskRun | None) -> dict[str, Any]:
    schedule = task.schedule
    interval = schedule.seconds if isinstance(schedule, IntervalSchedule) else None
    return {
        "name": task.name,
        "kind": task.kind.value,
        "state": task.state.value,
        "schedule_interval": None if interval is None else timedelta(seconds=interval),
        "start_time": schedule.start_at if isinstance(schedule, IntervalSchedule) else None,
        "cron": schedule.expression if isinstance(schedule, CronSchedule) else None,
        "time_zone": schedule.zone if isinstance(schedule, CronSchedule) else None,
        "after": list(task.after),
        "virtual_cluster": task.cluster.upper(),
        "last_run_time": last.scheduled_time if last else None,
        "last_run_state": last.state.value if last else None,
        "creator": task.creator,
        "created_time": task.created_at,
        "last_modified_time": task.modified_at,
        "comment": task.comment,
    }


def task_facts(task: Task, last: TaskRun | None) -> dict[str, Any]:
    """All that is known of it."""
    return {
        **task_row(task, last),
        "schema": f"{task.workspace}.{task.schema}",
        "retries": task.retries,
        "backoff_seconds": task.backoff_seconds,
        "timeout_seconds": task.timeout_seconds,
        "parameters": dict(task.parameters),
        "body": task.body,
    }


def run_row(run: TaskRun) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "name": run.task,
        "attempt": run.attempt,
        "state": run.state.value,
        "run_trigger": run.trigger.value,
        "scheduled_time": run.scheduled_time,
        "start_time": run.start_time,
        "end_time": run.end_time,
        "duration": run.end_time - run.start_time if run.end_time and run.start_time else None,
        "parameters": dict(run.parameters),
        "error_message": run.error_message,
        "job_ids": list(run.job_ids),
        "log": run.log,
    }
