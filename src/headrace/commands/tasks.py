"""Statements about tasks; EXECUTE TASK where there is no server runs its script here and now."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
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
from headrace.commands.task_rows import refresh_run, runs_of
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
from headrace.views.arrow import to_arrow
from headrace.views.described import info_table
from headrace.views.tasks import TaskDetails, TaskRow, TaskRunRow

Execute = Callable[[ParsedStatement, Parameters | None, Workbench], Result]
"""Of whatever statement."""

_NO_SCHEDULER = (
    "no scheduler is running for this lake, so the task does not run automatically; "
    "start one with `headrace serve`"
)


def show_tasks(statement: ShowTasks, text: str, parameters: Parameters | None, bench: Workbench) -> Result:
    store = bench.lake.store
    tasks = [task for task in store.tasks.all() if like(task.name, statement.like)]
    rows = [TaskRow.of(task, next(iter(runs_of(store, task, 1)), None)) for task in tasks]
    table = to_arrow(TaskRow, rows, bench.lake.settings.zone)
    return selected(table, statement.where, statement.limit, text, parameters, bench)


def show_task_runs(
    statement: ShowTaskRuns, text: str, parameters: Parameters | None, bench: Workbench
) -> Result:
    task = None if statement.task is None else find_task(statement.task, text, bench.lake.store)
    limit = statement.limit if statement.where is None else None
    table = run_table(runs_of(bench.lake.store, task, limit), bench.lake.settings.zone)
    return selected(table, statement.where, statement.limit, text, parameters, bench)


def describe_task(statement: DescribeTask, text: str, bench: Workbench) -> Result:
    store, zone = bench.lake.store, bench.lake.settings.zone
    task = find_task(statement.name, text, store)
    details = TaskDetails.of(task, next(iter(runs_of(store, task, 1)), None))
    return Result(LocalRows(info_table(details, zone)))


def change_task(statement: CreateTask | AlterTask | DropTask, text: str, bench: Workbench) -> Result:
    store = bench.lake.store
    match statement:
        case CreateTask():
            notices = create_task(statement, text, desk(bench))
        case DropTask():
            notices = drop_task(statement, text, store)
        case AlterTask(if_exists=True) if store.tasks.find(statement.name.text) is None:
            notices = (f"task {statement.name.text} does not exist, nothing was done",)
        case AlterTask(action=TaskStep() as step):
            notices = _move(find_task(statement.name, text, store), step, statement, text, bench)
        case _:
            notices = alter_task(find_task(statement.name, text, store), statement, text, desk(bench))
    return Result(NOTHING, notices)


def execute_task(statement: ExecuteTask, text: str, bench: Workbench, execute: Execute) -> Result:
    """The row of the run."""
    task = find_task(statement.name, text, bench.lake.store)
    given = {each.name.text: each.value.text for each in statement.parameters}
    with pointing_at(text, statement.name.span):
        run = _run_here(task, given, bench, execute)
    return Result(LocalRows(run_table([run], bench.lake.settings.zone)))


def run_table(runs: Iterable[TaskRun], zone: ZoneInfo) -> pa.Table:
    return to_arrow(TaskRunRow, map(TaskRunRow.of, runs), zone)


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
        bench.lake.store,
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
        row = bench.lake.store.history(table_of(task), 1)[0]
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
