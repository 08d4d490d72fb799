"""Statements about tasks; EXECUTE TASK where there is no server runs its script here and now."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from zoneinfo import ZoneInfo

import pyarrow as pa

from headrace.commands.error_location import pointing_at
from headrace.commands.execute import execute
from headrace.commands.local_view import selected
from headrace.commands.show import like
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import Error, NotSupportedError, OperationalError
from headrace.features.tasks.grammar import (
    AlterTask,
    CreateTask,
    DescribeTask,
    DropTask,
    ExecuteTask,
    ShowTaskRuns,
    ShowTasks,
    TaskStep,
)
from headrace.features.tasks.task_body import table_of
from headrace.features.tasks.task_changes import (
    Desk,
    alter_task,
    check_step,
    create_task,
    drop_task,
    find_task,
    move_task,
)
from headrace.features.tasks.task_rows import refresh_run, runs_of
from headrace.features.tasks.task_script import ScriptOutcome, run_script
from headrace.features.tasks.task_tables import deploy_table, set_table_suspended
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
from headrace.views.arrow import to_arrow
from headrace.views.described import info_table
from headrace.views.tasks import TaskDetails, TaskRow, TaskRunRow

_NO_SCHEDULER = (
    "no scheduler is running for this lake, so the task does not run automatically; "
    "start one with `headrace serve`"
)


def show_tasks(statement: ShowTasks, given: StatementInput, context: StatementContext) -> Result:
    store = context.lake.store
    tasks = [task for task in store.tasks.all() if like(task.name, statement.like)]
    rows = [TaskRow.of(task, next(iter(runs_of(store, task, 1)), None)) for task in tasks]
    table = to_arrow(TaskRow, rows, context.lake.settings.zone)
    return selected(table, statement.where, statement.limit, given, context)


def show_task_runs(statement: ShowTaskRuns, given: StatementInput, context: StatementContext) -> Result:
    task = None if statement.task is None else find_task(statement.task, given.text, context.lake.store.tasks)
    limit = statement.limit if statement.where is None else None
    table = run_table(runs_of(context.lake.store, task, limit), context.lake.settings.zone)
    return selected(table, statement.where, statement.limit, given, context)


def describe_task(statement: DescribeTask, given: StatementInput, context: StatementContext) -> Result:
    store, zone = context.lake.store, context.lake.settings.zone
    task = find_task(statement.name, given.text, store.tasks)
    details = TaskDetails.of(task, next(iter(runs_of(store, task, 1)), None))
    return Result(LocalRows(info_table(details, zone)))


def change_task(
    statement: CreateTask | AlterTask | DropTask, given: StatementInput, context: StatementContext
) -> Result:
    store, text = context.lake.store, given.text
    match statement:
        case CreateTask():
            notices = create_task(statement, text, desk(context))
        case DropTask():
            notices = drop_task(statement, text, store.tasks)
        case AlterTask(if_exists=True) if store.tasks.find(statement.name.text) is None:
            notices = (f"task {statement.name.text} does not exist, nothing was done",)
        case AlterTask(action=TaskStep() as step):
            notices = _move(
                find_task(statement.name, text, store.tasks), step, statement, given.text, context
            )
        case _:
            notices = alter_task(find_task(statement.name, text, store.tasks), statement, text, desk(context))
    return Result(NOTHING, notices)


def execute_task(statement: ExecuteTask, given: StatementInput, context: StatementContext) -> Result:
    """The row of the run."""
    task = find_task(statement.name, given.text, context.lake.store.tasks)
    values = {each.name.text: each.value.text for each in statement.parameters}
    with pointing_at(given.text, statement.name.span):
        run = _run_here(task, values, context)
    return Result(LocalRows(run_table([run], context.lake.settings.zone)))


def run_table(runs: Iterable[TaskRun], zone: ZoneInfo) -> pa.Table:
    return to_arrow(TaskRunRow, map(TaskRunRow.of, runs), zone)


def failure(run: TaskRun) -> OperationalError:
    """Of a run that did not succeed."""
    said = f": {run.error_message}" if run.error_message else ""
    return OperationalError(
        f"task {run.task} ended in state {run.state}{said}",
        hint=f"SHOW TASK RUNS FOR {show_identifier(run.task)} shows its log",
    )


def desk(context: StatementContext) -> Desk:
    session = context.session
    return Desk(
        context.lake.store.tasks,
        context.lake.store.vclusters,
        context.lake.settings,
        context.user,
        session.workspace,
        session.schema,
        context.now(),
    )


def _move(
    task: Task, step: TaskStep, statement: AlterTask, text: str, context: StatementContext
) -> tuple[str, ...]:
    check_step(task, step, statement, text)
    notices: tuple[str, ...] = ()
    if task.kind is TaskKind.DYNAMIC_TABLE:
        if step is TaskStep.DEPLOY:
            notices = deploy_table(task, own_context(task, context))
        else:
            set_table_suspended(task, context, suspended=step is not TaskStep.RESUME)
    elif step in (TaskStep.DEPLOY, TaskStep.RESUME) and not context.lake.is_shared:
        notices = (_NO_SCHEDULER,)
    return notices + move_task(task, step, statement, text, desk(context))


def own_context(task: Task, context: StatementContext) -> StatementContext:
    """A session of the task's own, in the schema where it was created."""
    session = context.lake.new_session()
    session.run(f"USE {quote_identifier(task.workspace)}.{quote_identifier(task.schema)}")
    return StatementContext(context.lake, session, context.user)


def _run_here(task: Task, given: dict[str, str], context: StatementContext) -> TaskRun:
    now = context.now()
    parameters = parameters_of_run(task.parameters, given, now, context.lake.settings.zone)
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
    run_all = partial(_run_statements, task, run, lines.append, context)
    if is_table_scheduled(task):
        run_all()
        row = context.lake.store.refreshes.history(table_of(task), 1)[0]
        return refresh_run(task, row)
    runs = context.lake.store.task_runs
    runs.record(run)
    try:
        run_all()
    except BaseException as error:
        said = error.message if isinstance(error, Error) else type(error).__name__
        ended = replace(
            run, state=RunState.FAILED, end_time=context.now(), error_message=said, log="".join(lines)
        )
        runs.record(ended)
        if isinstance(error, Error):
            raise failure(ended) from None
        raise
    ended = replace(run, state=RunState.SUCCEED, end_time=context.now(), log="".join(lines))
    runs.record(ended)
    return ended


def _run_statements(task: Task, run: TaskRun, log: Callable[[str], None], context: StatementContext) -> None:
    own = own_context(task, context)

    def run_one(text: str) -> ScriptOutcome:
        start = time.monotonic()
        rows = execute(ParsedStatement(text), None, own).arrow()
        return ScriptOutcome(None, rows, time.monotonic() - start)

    run_script(task, run.parameters, run_one, log)
