"""Statements about tasks; EXECUTE TASK where there is no server runs its script here and now."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from headrace.commands.local_view import selected
from headrace.commands.pointing import pointing_at
from headrace.commands.show import like
from headrace.commands.task_changes import (
    Desk,
    alter_task,
    check_step,
    create_task,
    drop_task,
    find_task,
    move_task,
)
from headrace.commands.task_rows import refresh_run, run_row, runs_of, task_facts, task_row
from headrace.commands.task_script import Outcome, run_script, table_of
from headrace.commands.task_tables import deploy_table, set_table_suspended
from headrace.commands.workbench import Workbench
from headrace.errors import Error, NotSupportedError, OperationalError
from headrace.lake.session import Parameters
from headrace.model.quoting import quote_identifier, show_identifier
from headrace.model.task import (
    RunState,
    RunTrigger,
    Task,
    TaskKind,
    TaskRun,
    is_table_scheduled,
)
from headrace.model.task_parameters import parameters_of_run
from headrace.result import NOTHING, LocalRows, Result
from headrace.sql.parsed import ParsedStatement
from headrace.sql.tasks import (
    AlterTask,
    CreateTask,
    DescribeTask,
    DropTask,
    ExecuteTask,
    ShowTaskRuns,
    ShowTasks,
    TaskStep,
)

Execute = Callable[[ParsedStatement, Parameters | None, Workbench], Result]
"""Of whatever statement."""

_NO_SCHEDULER = (
    "no scheduler is running for this lake, so the task does not run automatically; "
    "start one with `headrace serve`"
)


def show_tasks(statement: ShowTasks, text: str, parameters: Parameters | None, bench: Workbench) -> Result:
    store = bench.lake.store
    tasks = [task for task in store.tasks.all() if like(task.name, statement.like)]
    rows = [task_row(task, next(iter(runs_of(store, task, 1)), None)) for task in tasks]
    table = pa.Table.from_pylist(rows, schema=_task_shape(bench.lake.settings.zone))
    return selected(table, statement.where, statement.limit, text, parameters, bench)


def show_task_runs(
    statement: ShowTaskRuns, text: str, parameters: Parameters | None, bench: Workbench
) -> Result:
    task = None if statement.task is None else find_task(statement.task, text, bench.lake.store.tasks)
    limit = statement.limit if statement.where is None else None
    table = run_table(runs_of(bench.lake.store, task, limit), bench.lake.settings.zone)
    return selected(table, statement.where, statement.limit, text, parameters, bench)


def describe_task(statement: DescribeTask, text: str, bench: Workbench) -> Result:
    store, zone = bench.lake.store, bench.lake.settings.zone
    task = find_task(statement.name, text, store.tasks)
    facts = task_facts(task, next(iter(runs_of(store, task, 1)), None))
    values = [_shown(value, zone) for value in facts.values()]
    return Result(LocalRows(pa.table({"info_name": list(facts), "info_value": values})))


def change_task(statement: CreateTask | AlterTask | DropTask, text: str, bench: Workbench) -> Result:
    store = bench.lake.store
    match statement:
        case CreateTask():
            notices = create_task(statement, text, desk(bench))
        case DropTask():
            notices = drop_task(statement, text, store.tasks)
        case AlterTask(if_exists=True) if store.tasks.find(statement.name.text) is None:
            notices = (f"task {statement.name.text} does not exist, nothing was done",)
        case AlterTask(action=TaskStep() as step):
            notices = _move(find_task(statement.name, text, store.tasks), step, statement, text, bench)
        case _:
            notices = alter_task(find_task(statement.name, text, store.tasks), statement, text, desk(bench))
    return Result(NOTHING, notices)


def execute_task(statement: ExecuteTask, text: str, bench: Workbench, execute: Execute) -> Result:
    """The row of the run."""
    task = find_task(statement.name, text, bench.lake.store.tasks)
    given = {each.name.text: each.value.text for each in statement.parameters}
    with pointing_at(text, statement.name.span):
        run = _run_here(task, given, bench, execute)
    return Result(LocalRows(run_table([run], bench.lake.settings.zone)))


def run_table(runs: Iterable[TaskRun], zone: ZoneInfo) -> pa.Table:
    return pa.Table.from_pylist([_told(run_row(run)) for run in runs], schema=_run_shape(zone))


def failure(run: TaskRun) -> OperationalError:
    """Of a run that did not succeed."""
    said = f": {run.error_message}" if run.error_message else ""
    return OperationalError(
        f"task {run.task} ended in state {run.state}{said}",
        hint=f"SHOW TASK RUNS FOR {show_identifier(run.task)} shows its log",
    )


def desk(bench: Workbench) -> Desk:
    session = bench.session
    return Desk(
        bench.lake.store.tasks,
        bench.lake.store.vclusters,
        bench.lake.settings,
        bench.user,
        session.workspace,
        session.schema,
        bench.now(),
    )


def _move(task: Task, step: TaskStep, statement: AlterTask, text: str, bench: Workbench) -> tuple[str, ...]:
    check_step(task, step, statement, text)
    notices: tuple[str, ...] = ()
    if task.kind is TaskKind.DYNAMIC_TABLE:
        if step is TaskStep.DEPLOY:
            notices = deploy_table(task, own_bench(task, bench))
        else:
            set_table_suspended(task, bench, suspended=step is not TaskStep.RESUME)
    elif step in (TaskStep.DEPLOY, TaskStep.RESUME) and not bench.lake.is_shared:
        notices = (_NO_SCHEDULER,)
    return notices + move_task(task, step, statement, text, desk(bench))


def own_bench(task: Task, bench: Workbench) -> Workbench:
    """A session of the task's own, in the schema where it was created."""
    session = bench.lake.new_session()
    session.run(f"USE {quote_identifier(task.workspace)}.{quote_identifier(task.schema)}")
    return Workbench(bench.lake, session, bench.user)


def _run_here(task: Task, given: dict[str, str], bench: Workbench, execute: Execute) -> TaskRun:
    now = bench.now()
    parameters = parameters_of_run(task.parameters, given, now, bench.lake.settings.zone)
    if task.kind is TaskKind.PYTHON:
        raise NotSupportedError(
            "a Python task requires a server",
            hint="start one with `headrace serve`, and connect to it with `headrace sql --url`",
        )
    run = TaskRun(
        uuid.uuid4().hex,
        task.id,
        task.name,
        now,
        RunState.RUNNING,
        RunTrigger.MANUAL,
        start_time=now,
        parameters=parameters,
    )
    lines: list[str] = []
    run_all = partial(_run_statements, task, run, lines.append, bench, execute)
    if is_table_scheduled(task):
        run_all()
        row = bench.lake.store.refreshes.history(table_of(task), 1)[0]
        return refresh_run(task, row)
    runs = bench.lake.store.task_runs
    runs.record(run)
    try:
        run_all()
    except BaseException as error:
        said = error.message if isinstance(error, Error) else type(error).__name__
        ended = replace(
            run, state=RunState.FAILED, end_time=bench.now(), error_message=said, log="".join(lines)
        )
        runs.record(ended)
        if isinstance(error, Error):
            raise failure(ended) from None
        raise
    ended = replace(run, state=RunState.SUCCEED, end_time=bench.now(), log="".join(lines))
    runs.record(ended)
    return ended


def _run_statements(
    task: Task, run: TaskRun, log: Callable[[str], None], bench: Workbench, execute: Execute
) -> None:
    own = own_bench(task, bench)

    def run_one(text: str) -> Outcome:
        start = time.monotonic()
        rows = execute(ParsedStatement(text), None, own).arrow()
        return Outcome(None, rows, time.monotonic() - start)

    run_script(task, run.parameters, run_one, log)


def _told(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "parameters": json.dumps(row["parameters"])}


def _shown(value: Any, zone: ZoneInfo) -> str | None:
    match value:
        case None:
            return None
        case datetime():
            return str(value.astimezone(zone))
        case list() | dict():
            return json.dumps(value)
        case timedelta():
            return f"{value.total_seconds():.0f} seconds"
    return str(value)


def _task_shape(zone: ZoneInfo) -> pa.Schema:
    moment = pa.timestamp("us", tz=zone.key)
    return pa.schema(
        [
            ("name", pa.string()),
            ("kind", pa.string()),
            ("state", pa.string()),
            ("schedule_interval", pa.duration("us")),
            ("start_time", moment),
            ("cron", pa.string()),
            ("time_zone", pa.string()),
            ("after", pa.list_(pa.string())),
            ("virtual_cluster", pa.string()),
            ("last_run_time", moment),
            ("last_run_state", pa.string()),
            ("creator", pa.string()),
            ("created_time", moment),
            ("last_modified_time", moment),
            ("comment", pa.string()),
        ]
    )


def _run_shape(zone: ZoneInfo) -> pa.Schema:
    moment = pa.timestamp("us", tz=zone.key)
    return pa.schema(
        [
            ("run_id", pa.string()),
            ("name", pa.string()),
            ("attempt", pa.int64()),
            ("state", pa.string()),
            ("run_trigger", pa.string()),
            ("scheduled_time", moment),
            ("start_time", moment),
            ("end_time", moment),
            ("duration", pa.duration("us")),
            ("parameters", pa.string()),
            ("error_message", pa.string()),
            ("job_ids", pa.list_(pa.string())),
            ("log", pa.string()),
        ]
    )
