"""CREATE, ALTER and DROP of tasks, as the metadata database has them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from headrace.commands.error_location import pointing_at, pointing_into
from headrace.errors import DataError, NotFound, NotSupportedError, Refused
from headrace.features.dynamic_tables.grammar_clauses import show_interval
from headrace.features.dynamic_tables.grammar_statements import CreateDynamicTable
from headrace.features.dynamic_tables.options import check_cluster
from headrace.features.tasks.grammar import AlterTask, CreateTask, DropTask, TaskStep, UnsetClauses
from headrace.features.tasks.grammar_clauses import AtCron, EveryInterval, TaskClauses
from headrace.features.tasks.store import Tasks
from headrace.features.vclusters.store import Vclusters
from headrace.lake.settings import Settings
from headrace.model.quoting import show_identifier
from headrace.model.task import (
    CronSchedule,
    IntervalSchedule,
    Task,
    TaskAlert,
    TaskKind,
    TaskState,
    cycle,
)
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.statements import Word
from headrace.sql.tokens.positions import place_of

_STATE_AFTER = {
    TaskStep.DEPLOY: TaskState.DEPLOYED,
    TaskStep.OFFLINE: TaskState.OFFLINE,
    TaskStep.PAUSE: TaskState.PAUSED,
    TaskStep.RESUME: TaskState.DEPLOYED,
}
_POSSIBLE_IN = {
    TaskStep.DEPLOY: frozenset(TaskState),
    TaskStep.OFFLINE: frozenset({TaskState.DEPLOYED, TaskState.PAUSED, TaskState.OFFLINE}),
    TaskStep.PAUSE: frozenset({TaskState.DEPLOYED, TaskState.PAUSED}),
    TaskStep.RESUME: frozenset({TaskState.DEPLOYED, TaskState.PAUSED}),
}
_UNSET: dict[str, dict[str, Any]] = {
    "VCLUSTER": {"cluster": "default"},
    "SCHEDULE": {"schedule": None},
    "AFTER": {"after": ()},
    "RETRIES": {"retries": 0, "backoff_seconds": 0},
    "TIMEOUT": {"timeout_seconds": None},
    "PARAMETERS": {"parameters": {}},
    "COMMENT": {"comment": None},
    "ALERTS": {"alerts": tuple(TaskAlert)},
}


@dataclass(frozen=True)
class Desk:
    """Where statements about tasks are worked on: no Spark is needed."""

    tasks: Tasks
    vclusters: Vclusters
    settings: Settings
    user: str
    workspace: str
    schema: str
    now: datetime


def find_task(name: Word, text: str, tasks: Tasks) -> Task:
    found = tasks.find(name.text)
    if found is None:
        raise NotFound(
            f"task {name.text} does not exist",
            hint="SHOW TASKS lists all tasks",
            place=place_of(text, name.span),
        )
    return found


def create_task(statement: CreateTask, text: str, desk: Desk) -> tuple[str, ...]:
    """What there is to say about it."""
    existing = desk.tasks.find(statement.name.text)
    if existing is not None and statement.if_not_exists:
        return (f"task {existing.name} already exists, nothing was done",)
    made = task_after(statement, text, desk, existing)
    with pointing_at(text, statement.name.span):
        if existing is None or not statement.or_replace:
            desk.tasks.create(made)
            return ()
        desk.tasks.alter(made)
    return _when_deployed(made)


def task_after(statement: CreateTask, text: str, desk: Desk, existing: Task | None) -> Task:
    """The task that a statement creates, or puts in the place of an existing one."""
    _check_body(statement, text)
    made = Task(
        uuid.uuid4().hex,
        statement.name.text,
        statement.body.kind,
        statement.body.text,
        desk.user,
        desk.now,
        desk.now,
        workspace=desk.workspace,
        schema=desk.schema,
    )
    if existing is not None and statement.or_replace:
        made = replace(made, id=existing.id, created_at=existing.created_at, state=existing.state)
    return _with_clauses(made, statement.clauses, text, desk)


def alter_task(task: Task, statement: AlterTask, text: str, desk: Desk) -> tuple[str, ...]:
    match statement.action:
        case TaskStep() as step:
            return move_task(task, step, statement, text, desk)
        case TaskClauses() as clauses:
            changed = _with_clauses(task, clauses, text, desk)
        case UnsetClauses(clauses=names):
            changed = task
            for name in names:
                changed = replace(changed, **_UNSET[name])
    desk.tasks.alter(replace(changed, modified_at=desk.now))
    return _when_deployed(changed)


def move_task(task: Task, step: TaskStep, statement: AlterTask, text: str, desk: Desk) -> tuple[str, ...]:
    check_step(task, step, statement, text)
    after = _STATE_AFTER[step]
    if task.state is after and step is not TaskStep.DEPLOY:
        return (f"task {task.name} is already {after.value.lower()}, nothing was done",)
    desk.tasks.alter(replace(task, state=after, modified_at=desk.now))
    return ()


def check_step(task: Task, step: TaskStep, statement: AlterTask, text: str) -> None:
    if task.state not in _POSSIBLE_IN[step]:
        raise Refused(
            f"task {task.name} is {_shown(task.state)}, so there is nothing to {step.value.lower()}",
            hint=f"ALTER TASK {show_identifier(task.name)} DEPLOY starts its schedule",
            place=place_of(text, statement.span),
        )


def drop_task(statement: DropTask, text: str, tasks: Tasks) -> tuple[str, ...]:
    if statement.if_exists and tasks.find(statement.name.text) is None:
        return (f"task {statement.name.text} does not exist, nothing was done",)
    found = find_task(statement.name, text, tasks)
    later = [task.name for task in tasks.all() if found.name.lower() in _keys(task.after)]
    with pointing_at(text, statement.name.span):
        if later:
            raise Refused(
                f"task {found.name} is named in AFTER of task {', '.join(later)}",
                hint=f"ALTER TASK {show_identifier(later[0])} UNSET AFTER first",
            )
        if found.kind is TaskKind.DYNAMIC_TABLE and found.state in (TaskState.DEPLOYED, TaskState.PAUSED):
            raise Refused(
                f"task {found.name} is {_shown(found.state)}, and so is its dynamic table",
                hint=f"ALTER TASK {show_identifier(found.name)} OFFLINE first",
            )
        tasks.drop(found.id)
    return ()


def _check_body(statement: CreateTask, text: str) -> None:
    if statement.body.kind is not TaskKind.DYNAMIC_TABLE:
        return
    span = statement.body.span
    with pointing_at(text, span), pointing_into(text, statement.body.text, span.start):
        body = parse_statement(statement.body.text)
        if not isinstance(body, CreateDynamicTable):
            raise NotSupportedError("expected a CREATE DYNAMIC TABLE statement")
        clauses = statement.clauses
        runs_itself = clauses.after or isinstance(clauses.schedule, AtCron)
        if runs_itself and body.interval_seconds is not None:
            raise Refused(
                "a dynamic table that is refreshed by a task cannot have a REFRESH INTERVAL",
                hint="remove REFRESH INTERVAL, or CRON and AFTER of the task",
            )


def _with_clauses(task: Task, clauses: TaskClauses, text: str, desk: Desk) -> Task:
    changes: dict[str, Any] = {}
    if clauses.cluster is not None:
        place = place_of(text, clauses.cluster.span)
        changes["cluster"] = check_cluster(clauses.cluster.text, desk.vclusters, place)
    if clauses.schedule is not None:
        changes["schedule"] = schedule_of(clauses.schedule, text, desk.settings)
    if clauses.retries is not None:
        changes["retries"] = clauses.retries.count
        changes["backoff_seconds"] = clauses.retries.backoff_seconds or 0
    if clauses.timeout_seconds is not None:
        changes["timeout_seconds"] = clauses.timeout_seconds
    if clauses.parameters is not None:
        changes["parameters"] = {each.name.text: each.value.text for each in clauses.parameters}
    if clauses.comment is not None:
        changes["comment"] = clauses.comment
    if clauses.alerts is not None:
        changes["alerts"] = clauses.alerts
    if clauses.after is not None:
        changes["after"] = tuple(find_task(name, text, desk.tasks).name for name in clauses.after)
        _check_cycle(replace(task, after=changes["after"]), clauses.after, text, desk.tasks)
    return replace(task, **changes)


def schedule_of(
    schedule: EveryInterval | AtCron, text: str, settings: Settings
) -> IntervalSchedule | CronSchedule:
    if isinstance(schedule, AtCron):
        return CronSchedule(schedule.expression.text, schedule.zone)
    least = settings.minimum_interval_seconds
    if schedule.seconds < least:
        raise Refused(
            f"the minimum interval is {show_interval(least)}, not {show_interval(schedule.seconds)}",
            hint="minimum_interval_seconds in lake.toml sets the minimum",
            place=place_of(text, schedule.span),
        )
    return IntervalSchedule(schedule.seconds, _start(schedule.start_at, text, settings))


def _start(word: Word | None, text: str, settings: Settings) -> datetime | None:
    if word is None:
        return None
    try:
        moment = datetime.fromisoformat(word.text)
    except ValueError:
        raise DataError(
            f"'{word.text}' is not a timestamp",
            hint="write it as '2024-06-01 08:00:00'",
            place=place_of(text, word.span),
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=settings.zone)


def _check_cycle(task: Task, after: tuple[Word, ...], text: str, tasks: Tasks) -> None:
    others = [each for each in tasks.all() if each.id != task.id]
    ring = cycle([*others, task])
    if ring is not None:
        start = ring.index(task.name)
        ring = [*ring[start:-1], *ring[:start], task.name]
        raise Refused(
            f"tasks cannot depend on each other in a cycle: {' after '.join(ring)}",
            hint="remove one of them from AFTER",
            place=place_of(text, after[0].span.to(after[-1].span)),
        )


def _when_deployed(task: Task) -> tuple[str, ...]:
    """The table of a task is what it was until it is deployed again."""
    if task.kind is not TaskKind.DYNAMIC_TABLE or task.state is TaskState.DRAFT:
        return ()
    return (f"the dynamic table does not change until ALTER TASK {show_identifier(task.name)} DEPLOY",)


def _keys(names: tuple[str, ...]) -> set[str]:
    return {name.lower() for name in names}


def _shown(state: TaskState) -> str:
    return "a draft" if state is TaskState.DRAFT else state.value.lower()
