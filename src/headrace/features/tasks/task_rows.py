"""The runs of tasks, whatever has made them."""

from __future__ import annotations

from headrace.catalog.store import MetadataStore
from headrace.features.tasks.task_body import table_of
from headrace.model.history import Refresh, RefreshState, RefreshTrigger
from headrace.model.position import Position
from headrace.model.task import (
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


def runs_of(
    store: MetadataStore, task: Task | None = None, limit: int | None = None, before: Position | None = None
) -> list[TaskRun]:
    """Newest first. The runs of a task whose dynamic table has the schedule are the table's refreshes."""
    runs = store.task_runs.history(None if task is None else task.id, limit, before)
    older = None if before is None else before[:2]
    for each in store.tasks.all() if task is None else [task]:
        if is_table_scheduled(each):
            runs += [refresh_run(each, row) for row in store.refreshes.history(table_of(each), limit, older)]
    return sorted(runs, key=run_position, reverse=True)[:limit]


def attempts_of(store: MetadataStore, run_id: str) -> list[TaskRun]:
    """In order; none if there is no such run."""
    found = store.task_runs.attempts(run_id)
    refresh = None if found else store.refreshes.find(run_id)
    if refresh is None:
        return found
    made = (task for task in store.tasks.all() if is_table_scheduled(task))
    return [refresh_run(task, refresh) for task in made if table_of(task) == refresh.table][:1]


def run_position(run: TaskRun) -> Position:
    return run.scheduled_time, run.run_id, run.attempt


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
