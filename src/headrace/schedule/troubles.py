"""What is wrong in a lake now, by its metadata alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from headrace.lake.alert_settings import AlertSettings
from headrace.model.alert import AlertKind, Trouble
from headrace.model.dynamic_table import DynamicTable
from headrace.model.task import RunState, TaskState
from headrace.schedule.loop import Lake
from headrace.schedule.unchanged import nothing_to_do


@dataclass(frozen=True)
class Found:
    troubles: tuple[Trouble, ...]
    present: frozenset[str]
    """What could have troubles."""


def find_troubles(lake: Lake, settings: AlertSettings, now: datetime) -> Found:
    tables = {table.id: table for table in lake.store.all()}
    deployed = {task.id: task for task in lake.store.tasks.all() if task.state is TaskState.DEPLOYED}
    troubles = [
        *_of_tables(lake, tables),
        *_of_tasks(lake, deployed.keys()),
        *_lags(lake, list(tables.values()), settings, now),
    ]
    subjects = [*map(_table, tables.values()), *(f"task {task.name}" for task in deployed.values())]
    wanted = tuple(trouble for trouble in troubles if trouble.kind in settings.kinds)
    return Found(wanted, frozenset(subjects))


def _of_tables(lake: Lake, tables: dict[str, DynamicTable]) -> Iterator[Trouble]:
    for row in lake.store.failing():
        table = tables.get(row.table_id)
        if table is None:
            continue
        said = f"job {row.job_id}: {row.error_message}"
        yield Trouble(AlertKind.REFRESH_FAILED, _table(table), said)
        if table.suspended and row.suspended_reason:
            text = f"{row.suspended_reason}; ALTER DYNAMIC TABLE {table.name} RESUME starts it again\n{said}"
            yield Trouble(AlertKind.SUSPENDED, _table(table), text)


def _of_tasks(lake: Lake, deployed: Collection[str]) -> Iterator[Trouble]:
    for run in lake.store.task_runs.failing():
        if run.task_id in deployed:
            kind = AlertKind.TIMEOUT if run.state is RunState.TIMEOUT else AlertKind.TASK_FAILED
            text = f"run {run.run_id}, attempt {run.attempt}: {run.error_message}"
            yield Trouble(kind, f"task {run.task}", text)


def _lags(
    lake: Lake, tables: list[DynamicTable], settings: AlertSettings, now: datetime
) -> Iterator[Trouble]:
    """Tables on schedule whose sources have changed, and that were up to date longer ago than the limit."""
    if settings.lag_seconds is None:
        return
    limit = timedelta(seconds=settings.lag_seconds)
    successes = lake.store.last_starts(succeeded=True)
    late = [
        table
        for table in tables
        if table.schedule.interval_seconds is not None
        and not table.suspended
        and now - successes.get(table.id, table.created_at) > limit
    ]
    if not late:
        return
    locations, today = lake.locations(), now.astimezone(lake.zone).date()
    for table in late:
        if nothing_to_do(table, locations, lake.files, today) is None:
            since = successes.get(table.id)
            seen = (
                f"its last successful refresh began at {since}" if since else "no refresh has succeeded yet"
            )
            yield Trouble(
                AlertKind.LAG, _table(table), f"{seen}; the limit is {settings.lag_seconds} seconds"
            )


def _table(table: DynamicTable) -> str:
    return f"dynamic table {table.name}"
