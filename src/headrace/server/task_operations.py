"""Statements about tasks that need no cluster; those that make or suspend a dynamic table do."""

from __future__ import annotations

import threading

import pyarrow as pa

from headrace.cluster.messages import StatementReply
from headrace.commands.error_location import pointing_at
from headrace.errors import Cancelled
from headrace.features.tasks.grammar import AlterTask, CreateTask, DropTask, ExecuteTask, TaskStep
from headrace.features.tasks.store import Tasks
from headrace.features.tasks.task_changes import Desk, alter_task, create_task, drop_task, find_task
from headrace.features.tasks.task_commands import failure, run_table
from headrace.features.vclusters.store import Vclusters
from headrace.lake.settings import Settings
from headrace.model.clock import Clock
from headrace.model.task import RunState, TaskKind, is_table_scheduled
from headrace.result import LocalRows, as_stream
from headrace.schedule.task_loop import TaskRunner
from headrace.server.sessions import ClientSession
from headrace.sql.parsing.statements import Statement


class TaskOperations:
    def __init__(
        self, tasks: Tasks, vclusters: Vclusters, settings: Settings, runner: TaskRunner, clock: Clock
    ) -> None:
        self._tasks = tasks
        self._vclusters = vclusters
        self._settings = settings
        self._runner = runner
        self._clock = clock
        self._executing: dict[str, str] = {}
        """Runs by the ids of the statements that wait for them."""
        self._lock = threading.Lock()

    def answer(
        self, statement: Statement, text: str, session: ClientSession, job_id: str
    ) -> StatementReply | None:
        """None where the statement is for a cluster."""
        rows = LocalRows(pa.table({}))
        notices: tuple[str, ...] | None
        match statement:
            case CreateTask():
                notices = create_task(statement, text, self._desk(session))
            case AlterTask():
                notices = self._alter(statement, text, session)
            case DropTask():
                notices = drop_task(statement, text, self._tasks)
            case ExecuteTask():
                found = self._execute(statement, text, job_id)
                rows, notices = found or rows, None if found is None else ()
            case _:
                return None
        if notices is None:
            return None
        table, types = rows.arrow(), tuple(kind for _, kind in rows.types)
        return StatementReply(job_id, as_stream(table), types, notices, session.workspace, session.schema)

    def cancel(self, job_id: str) -> None:
        """The run that a statement waits for, if it waits for one."""
        with self._lock:
            run_id = self._executing.get(job_id)
        if run_id is not None:
            self._runner.cancel(run_id)

    def _desk(self, session: ClientSession) -> Desk:
        now = self._clock()
        return Desk(
            self._tasks,
            self._vclusters,
            self._settings,
            session.user,
            session.workspace,
            session.schema,
            now,
        )

    def _alter(self, statement: AlterTask, text: str, session: ClientSession) -> tuple[str, ...] | None:
        if statement.if_exists and self._tasks.find(statement.name.text) is None:
            return (f"task {statement.name.text} does not exist, nothing was done",)
        task = find_task(statement.name, text, self._tasks)
        if task.kind is TaskKind.DYNAMIC_TABLE and isinstance(statement.action, TaskStep):
            return None
        return alter_task(task, statement, text, self._desk(session))

    def _execute(self, statement: ExecuteTask, text: str, job_id: str) -> LocalRows | None:
        task = find_task(statement.name, text, self._tasks)
        if is_table_scheduled(task):
            return None
        given = {each.name.text: each.value.text for each in statement.parameters}
        with pointing_at(text, statement.name.span):
            run, ended = self._runner.execute(task, given)
            with self._lock:
                self._executing[job_id] = run.run_id
            try:
                outcome = ended.result()
            finally:
                with self._lock:
                    del self._executing[job_id]
            if outcome.state is RunState.CANCELLED:
                raise Cancelled(f"the run of task {task.name} was cancelled")
            if outcome.state is not RunState.SUCCEED:
                raise failure(outcome)
        return LocalRows(run_table([outcome], self._settings.zone))
