"""Tasks; names are found in any case."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, delete, exc, insert, select, update

from headrace.catalog.row_access import Read, Write
from headrace.catalog.rows import Row
from headrace.catalog.schema import tasks
from headrace.errors import AlreadyExists, NotFound
from headrace.model.task import CronSchedule, IntervalSchedule, Task, TaskAlert, TaskKind, TaskState


class Tasks:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read) -> None:
        self._write = write
        self._read = read

    def create(self, task: Task) -> None:
        with self._write() as connection:
            try:
                connection.execute(insert(tasks).values(_to_row(task)))
            except exc.IntegrityError as error:
                raise AlreadyExists(f"task {task.name} already exists") from error.orig

    def find(self, name: str) -> Task | None:
        return next(iter(self._where(tasks.c.key == name.lower())), None)

    def all(self) -> list[Task]:
        return self._where()

    def alter(self, task: Task) -> None:
        """Puts it in the place of the one with its id."""
        with self._write() as connection:
            change = update(tasks).where(tasks.c.id == task.id).values(_to_row(task))
            _expect_one(connection.execute(change).rowcount, task.id)

    def drop(self, task_id: str) -> None:
        """The runs stay."""
        with self._write() as connection:
            gone = connection.execute(delete(tasks).where(tasks.c.id == task_id))
            _expect_one(gone.rowcount, task_id)

    def _where(self, *conditions: ColumnElement[bool]) -> list[Task]:
        with self._read(tasks, select(tasks).where(*conditions)) as found:
            return sorted((_from_row(row) for row in found), key=lambda each: each.name.lower())


def _expect_one(count: int, task_id: str) -> None:
    if count != 1:
        raise NotFound(f"task with id {task_id} does not exist")


def _to_row(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "key": task.name.lower(),
        "name": task.name,
        "kind": task.kind.value,
        "body": task.body,
        "workspace": task.workspace,
        "schema": task.schema,
        "cluster": task.cluster,
        **_schedule_to_columns(task.schedule),
        "after": list(task.after),
        "retries": task.retries,
        "backoff_seconds": task.backoff_seconds,
        "timeout_seconds": task.timeout_seconds,
        "parameters": dict(task.parameters),
        "comment": task.comment,
        "state": task.state.value,
        "creator": task.creator,
        "created_at": task.created_at,
        "modified_at": task.modified_at,
        "alerts": [alert.value for alert in task.alerts],
    }


def _from_row(row: Row) -> Task:
    return Task(
        id=row["id"],
        name=row["name"],
        kind=TaskKind(row["kind"]),
        body=row["body"],
        creator=row["creator"],
        created_at=row["created_at"],
        modified_at=row["modified_at"],
        workspace=row["workspace"],
        schema=row["schema"],
        cluster=row["cluster"],
        schedule=_schedule_from_columns(row),
        after=tuple(row["after"]),
        retries=row["retries"],
        backoff_seconds=row["backoff_seconds"],
        timeout_seconds=row["timeout_seconds"],
        parameters=dict(row["parameters"]),
        comment=row["comment"],
        state=TaskState(row["state"]),
        alerts=tuple(TaskAlert) if row["alerts"] is None else tuple(map(TaskAlert, row["alerts"])),
    )


def _schedule_to_columns(schedule: IntervalSchedule | CronSchedule | None) -> dict[str, Any]:
    columns = dict.fromkeys(("interval_seconds", "start_at", "cron", "zone"))
    match schedule:
        case IntervalSchedule():
            return columns | {"interval_seconds": schedule.seconds, "start_at": schedule.start_at}
        case CronSchedule():
            return columns | {"cron": schedule.expression, "zone": schedule.zone}
        case None:
            return columns


def _schedule_from_columns(row: Row) -> IntervalSchedule | CronSchedule | None:
    if row["interval_seconds"] is not None:
        return IntervalSchedule(row["interval_seconds"], row["start_at"])
    return None if row["cron"] is None else CronSchedule(row["cron"], row["zone"])
