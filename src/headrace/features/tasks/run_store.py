"""What became of each run of a task, one row per attempt."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, delete, exists, or_, select, true, update

from headrace.catalog.row_access import Read, Write, older, upsert
from headrace.catalog.rows import Row
from headrace.catalog.schema import task_runs, tasks
from headrace.model.change import OnRecord
from headrace.model.position import Position
from headrace.model.task import ENDED_RUNS, RunState, RunTrigger, TaskRun

_ENDED = task_runs.c.state.in_([state.value for state in ENDED_RUNS])
_OF_SCHEDULE = task_runs.c.trigger != RunTrigger.BACKFILL.value
_BAD = [RunState.FAILED.value, RunState.TIMEOUT.value]
_NEWEST_FIRST = (task_runs.c.scheduled_time.desc(), task_runs.c.run_id.desc(), task_runs.c.attempt.desc())


class TaskRuns:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read, on_record: OnRecord) -> None:
        self._write = write
        self._read = read
        self._on_record = on_record

    def record(self, run: TaskRun) -> None:
        """Inserts or updates the attempt."""
        with self._write() as connection:
            upsert(connection, task_runs, _to_row(run))
        self._on_record(run)

    def note_progress(self, run: TaskRun) -> None:
        """The log and the jobs of an attempt that runs. Its state is the same, so nobody is notified."""
        own = and_(task_runs.c.run_id == run.run_id, task_runs.c.attempt == run.attempt, ~_ENDED)
        with self._write() as connection:
            connection.execute(update(task_runs).where(own).values(log=run.log, job_ids=list(run.job_ids)))

    def attempts(self, run_id: str) -> list[TaskRun]:
        """In order."""
        query = select(task_runs).where(task_runs.c.run_id == run_id)
        return self._runs(query.order_by(task_runs.c.attempt))

    def history(
        self,
        task_id: str | None = None,
        limit: int | None = None,
        before: Position | None = None,
        *,
        with_backfills: bool = True,
    ) -> list[TaskRun]:
        """Newest first."""
        query = select(task_runs).order_by(*_NEWEST_FIRST).limit(limit)
        columns = (task_runs.c.scheduled_time, task_runs.c.run_id, task_runs.c.attempt)
        query = query.where(older(columns, before), true() if with_backfills else _OF_SCHEDULE)
        return self._runs(query if task_id is None else query.where(task_runs.c.task_id == task_id))

    def latest(self, task_id: str) -> TaskRun | None:
        return next(iter(self.history(task_id, limit=1)), None)

    def unended(self) -> list[TaskRun]:
        """Newest first."""
        return self._runs(select(task_runs).where(~_ENDED).order_by(*_NEWEST_FIRST))

    def failing(self) -> list[TaskRun]:
        """Of tasks whose last run that came to something failed or took too long, its last attempt."""
        query = select(task_runs).where(task_runs.c.state.in_(_BAD), ~_outlived(), _OF_SCHEDULE)
        return self._runs(query.order_by(*_NEWEST_FIRST))

    def delete_before(self, moment: datetime) -> int:
        """Removes what was due earlier, but nothing unended and no existing task's latest attempt."""
        old = and_(task_runs.c.scheduled_time < moment, _ENDED)
        with self._write() as connection:
            return connection.execute(delete(task_runs).where(old, or_(_superseded(), _orphaned()))).rowcount

    def _runs(self, query: Select[Any]) -> list[TaskRun]:
        with self._read(task_runs, query) as found:
            return [_from_row(row) for row in found]


def _outlived() -> ColumnElement[bool]:
    newer, this = task_runs.alias(), task_runs.c
    later = and_(
        newer.c.scheduled_time > this.scheduled_time,
        newer.c.state.in_([*_BAD, RunState.SUCCEED.value]),
    )
    again = and_(newer.c.run_id == this.run_id, newer.c.attempt > this.attempt)
    return exists().where(newer.c.task_id == this.task_id, or_(later, again))


def _superseded() -> ColumnElement[bool]:
    newer, this = task_runs.alias(), task_runs.c
    later = or_(
        newer.c.scheduled_time > this.scheduled_time,
        and_(newer.c.scheduled_time == this.scheduled_time, newer.c.run_id > this.run_id),
        and_(newer.c.run_id == this.run_id, newer.c.attempt > this.attempt),
    )
    return exists().where(newer.c.task_id == this.task_id, later)


def _orphaned() -> ColumnElement[bool]:
    return ~exists().where(tasks.c.id == task_runs.c.task_id)


def _to_row(run: TaskRun) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "attempt": run.attempt,
        "task_id": run.task_id,
        "name": run.task,
        "scheduled_time": run.scheduled_time,
        "start_time": run.start_time,
        "end_time": run.end_time,
        "state": run.state.value,
        "trigger": run.trigger.value,
        "parameters": dict(run.parameters),
        "error_message": run.error_message,
        "log": run.log,
        "job_ids": list(run.job_ids),
    }


def _from_row(row: Row) -> TaskRun:
    return TaskRun(
        run_id=row["run_id"],
        task_id=row["task_id"],
        task=row["name"],
        scheduled_time=row["scheduled_time"],
        state=RunState(row["state"]),
        trigger=RunTrigger(row["trigger"]),
        attempt=row["attempt"],
        start_time=row["start_time"],
        end_time=row["end_time"],
        parameters=dict(row["parameters"]),
        error_message=row["error_message"],
        log=row["log"],
        job_ids=tuple(row["job_ids"]),
    )
