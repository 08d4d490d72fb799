"""What the deployment of a file would change: its task, and the dynamic table that the task creates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from headrace.catalog.definitions import Definitions
from headrace.features.development.model import File, FileVersion
from headrace.features.development.task_text import task_text
from headrace.features.dynamic_tables.grammar_clauses import show_interval
from headrace.features.tasks.grammar import CreateTask
from headrace.features.tasks.task_body import table_of, table_statement
from headrace.features.tasks.task_changes import Desk, task_after
from headrace.model.dynamic_table import DynamicTable
from headrace.model.task import (
    CronSchedule,
    IntervalSchedule,
    Task,
    TaskKind,
    TaskState,
    is_table_scheduled,
)
from headrace.model.vcluster import DEFAULT_VCLUSTER
from headrace.sql.parsing.grammar import parse_statement

_SCHEDULING = frozenset({"schedule", "after", "refresh interval"})

Facts = Mapping[str, str | None]


class PlannedAction(StrEnum):
    CREATE = "CREATE"
    REPLACE = "REPLACE"
    RESCHEDULE = "RESCHEDULE"
    """Only when it runs is another."""
    NONE = "NONE"


class PlannedObject(StrEnum):
    TASK = "TASK"
    DYNAMIC_TABLE = "DYNAMIC_TABLE"


@dataclass(frozen=True)
class FieldChange:
    field: str
    old: str | None
    new: str | None


@dataclass(frozen=True)
class PlannedChange:
    object: PlannedObject
    name: str
    action: PlannedAction
    fields: tuple[FieldChange, ...]


@dataclass(frozen=True)
class Plan:
    task: str
    version: int
    """Of the file."""
    changes: tuple[PlannedChange, ...]
    statements: tuple[str, ...]
    notices: tuple[str, ...]


def plan_deployment(file: File, version: FileVersion, desk: Desk, definitions: Definitions) -> Plan:
    text = task_text(file, version)
    with text.pointing_into(version.content):
        statement = parse_statement(text.create)
        if not isinstance(statement, CreateTask):
            raise TypeError(f"{text.create} creates no task")
        existing = desk.tasks.find(text.name)
        wanted = task_after(statement, text.create, desk, existing)
    changes = [_task_change(existing, wanted)]
    if wanted.kind is TaskKind.DYNAMIC_TABLE:
        changes.append(_table_change(definitions.find(table_of(wanted)), wanted))
    return Plan(
        text.name, version.number, tuple(changes), (text.create, text.deploy), _notices(file, existing)
    )


def _notices(file: File, existing: Task | None) -> tuple[str, ...]:
    if existing is None or (file.task or "").lower() == existing.name.lower():
        return ()
    return (f"task {existing.name} exists and was not deployed from this file",)


def _task_change(existing: Task | None, wanted: Task) -> PlannedChange:
    old = None if existing is None else _task_facts(existing)
    new = {**_task_facts(wanted), "state": TaskState.DEPLOYED.value}
    return _change(PlannedObject.TASK, wanted.name, old, new)


def _table_change(existing: DynamicTable | None, task: Task) -> PlannedChange:
    new = _wanted_table(task, existing)
    old = None if existing is None else _table_facts(existing)
    return _change(PlannedObject.DYNAMIC_TABLE, str(table_of(task)), old, new)


def _change(kind: PlannedObject, name: str, old: Facts | None, new: Facts) -> PlannedChange:
    before = old or {}
    fields = tuple(
        FieldChange(field, before.get(field), value)
        for field, value in new.items()
        if before.get(field) != value
    )
    return PlannedChange(kind, name, _action(old, fields), fields)


def _action(old: Facts | None, fields: tuple[FieldChange, ...]) -> PlannedAction:
    if old is None:
        return PlannedAction.CREATE
    if not fields:
        return PlannedAction.NONE
    is_schedule = all(change.field in _SCHEDULING for change in fields)
    return PlannedAction.RESCHEDULE if is_schedule else PlannedAction.REPLACE


def _task_facts(task: Task) -> dict[str, str | None]:
    return {
        "state": task.state.value,
        "script": task.body,
        "schema": f"{task.workspace}.{task.schema}",
        "cluster": task.cluster,
        "schedule": _schedule(task.schedule),
        "after": ", ".join(task.after) or None,
        "parameters": ", ".join(f"{name} = {value}" for name, value in task.parameters.items()) or None,
        "retries": str(task.retries),
        "backoff": show_interval(task.backoff_seconds) if task.backoff_seconds else None,
        "timeout": None if task.timeout_seconds is None else show_interval(task.timeout_seconds),
        "alerts": ", ".join(task.alerts) or None,
        "comment": task.comment,
    }


def _schedule(schedule: IntervalSchedule | CronSchedule | None) -> str | None:
    match schedule:
        case None:
            return None
        case CronSchedule():
            return f"cron {schedule.expression}" + (f" in {schedule.zone}" if schedule.zone else "")
        case IntervalSchedule():
            start = f" from {schedule.start_at.isoformat(sep=' ')}" if schedule.start_at else ""
            return f"every {show_interval(schedule.seconds)}{start}"


def _table_facts(table: DynamicTable) -> dict[str, str | None]:
    interval = table.schedule.interval_seconds
    return {
        "query": table.definition.query,
        "refresh interval": None if interval is None else show_interval(interval),
        "cluster": table.cluster,
        "refresh mode": table.mode.value,
        "comment": table.comment,
        "suspended": str(table.suspended).lower(),
    }


def _wanted_table(task: Task, existing: DynamicTable | None) -> dict[str, str | None]:
    """What a replacement does not name stays as it is, except the schedule."""
    statement = table_statement(task)
    seconds = _table_interval(task, statement.interval_seconds)
    named = statement.cluster or (task.cluster if task.cluster != DEFAULT_VCLUSTER else None)
    is_mode_given = existing is None or "REFRESH_MODE" in statement.places
    kept: Any = existing
    return {
        "query": statement.query,
        "refresh interval": None if seconds is None else show_interval(seconds),
        "cluster": named or (kept.cluster if kept else DEFAULT_VCLUSTER),
        "refresh mode": (statement.mode if is_mode_given else kept.mode).value,
        "comment": statement.comment if statement.comment is not None else (kept.comment if kept else None),
        "suspended": "false",
    }


def _table_interval(task: Task, own: int | None) -> int | None:
    if not is_table_scheduled(task):
        return None
    return task.schedule.seconds if isinstance(task.schedule, IntervalSchedule) else own
