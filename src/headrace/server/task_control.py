"""Tasks on behalf of a client: what is known of them, and the steps of their life."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from headrace.catalog.store import MetadataStore
from headrace.errors import NotFound
from headrace.features.tasks.grammar import TaskStep
from headrace.features.tasks.grammar_text import alter_task_text, execute_task_text
from headrace.features.tasks.task_rows import runs_of
from headrace.model.position import Position
from headrace.model.task import Task, TaskRun, TaskState, is_table_scheduled
from headrace.schedule.task_loop import TaskRunner
from headrace.server.session_statements import SessionStatements
from headrace.views.tasks import TaskDetails


@dataclass(frozen=True)
class TaskMoved:
    state: TaskState
    notices: tuple[str, ...]


@dataclass(frozen=True)
class TaskExecution:
    run_id: str | None
    """Of a task whose runs are the server's."""
    job_id: str | None
    """Of the statement, where the runs are refreshes of a dynamic table."""


@dataclass(frozen=True)
class TaskQueries:
    store: MetadataStore

    def all(self) -> list[TaskDetails]:
        return [self._details(task) for task in self.store.tasks.all()]

    def details(self, name: str) -> TaskDetails:
        return self._details(self.find(name))

    def find(self, name: str) -> Task:
        found = self.store.tasks.find(name)
        if found is None:
            raise NotFound(f"task {name} does not exist", hint="SHOW TASKS lists all tasks")
        return found

    def runs(self, task: Task | None) -> Callable[[Position | None, int], Sequence[TaskRun]]:
        """Of one task or of all: the runs after a position, so many at most."""
        return lambda position, count: runs_of(self.store, task, count, position)

    def _details(self, task: Task) -> TaskDetails:
        return TaskDetails.of(task, next(iter(runs_of(self.store, task, 1)), None))


@dataclass(frozen=True)
class TaskControl:
    queries: TaskQueries
    runner: TaskRunner
    statements: SessionStatements

    async def move(self, name: str, step: TaskStep, user: str) -> TaskMoved:
        """By a statement, which a task that makes a dynamic table needs a cluster for."""
        found = self.queries.find(name)
        async with self.statements.session(user) as session:
            notices = await self.statements.run(session, alter_task_text(found.name, step))
        return TaskMoved(self.queries.find(name).state, notices)

    def execute(self, name: str, parameters: Mapping[str, str], user: str) -> TaskExecution:
        """Does not wait for the run."""
        found = self.queries.find(name)
        if not is_table_scheduled(found):
            run, _ = self.runner.execute(found, parameters)
            return TaskExecution(run.run_id, None)
        text = execute_task_text(found.name, parameters)
        return TaskExecution(None, self.statements.begin(text, user).job.job_id)

    def cancel(self, run_id: str) -> None:
        self.runner.cancel(run_id)
