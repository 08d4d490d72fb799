"""Tasks on behalf of a client: what is known of them, and the steps of their life."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from headrace.catalog.store import MetadataStore
from headrace.errors import Error, NotFound
from headrace.features.tasks.grammar import TaskStep
from headrace.features.tasks.grammar_text import alter_task_text, execute_task_text
from headrace.features.tasks.task_rows import attempts_of, runs_of
from headrace.model.backfill import Backfill, with_downstream
from headrace.model.clock import Clock
from headrace.model.position import Position
from headrace.model.schedule_moments import moments_after
from headrace.model.task import Task, TaskRun, TaskState, is_table_scheduled
from headrace.model.task_parameters import BUSINESS_DATE
from headrace.schedule.backfill_runner import BackfillRunner
from headrace.schedule.task_loop import TaskRunner
from headrace.server.session_statements import SessionStatements
from headrace.views.tasks import TaskDetails, TaskInstance
from headrace.wire import ErrorView, error_view


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
class BulkOutcome:
    name: str
    state: TaskState | None
    """After it; null where that failed."""
    notices: tuple[str, ...]
    error: ErrorView | None


@dataclass(frozen=True)
class Rerun:
    run_id: str | None
    """Of the task alone."""
    backfill_id: str | None
    """Of the task and those after it."""


@dataclass(frozen=True)
class BackfillOrder:
    parameter: str
    values: tuple[str, ...]
    parameters: Mapping[str, str]
    parallelism: int
    downstream: bool


@dataclass(frozen=True)
class TaskQueries:
    store: MetadataStore
    zone: ZoneInfo
    clock: Clock

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

    def instance(self, run_id: str) -> TaskInstance:
        """With the log of each attempt."""
        return TaskInstance.of(self.attempts(run_id))

    def attempts(self, run_id: str) -> list[TaskRun]:
        found = attempts_of(self.store, run_id)
        if not found:
            raise NotFound(f"run {run_id} does not exist", hint="SHOW TASK RUNS lists all runs")
        return found

    def backfill(self, backfill_id: str) -> Backfill:
        found = self.store.backfills.find(backfill_id)
        if found is None:
            raise NotFound(f"backfill {backfill_id} does not exist")
        return found

    def backfills(self, position: Position | None, count: int) -> Sequence[Backfill]:
        return self.store.backfills.history(count, position)

    def _details(self, task: Task) -> TaskDetails:
        last = next(iter(runs_of(self.store, task, 1)), None)
        return TaskDetails.of(task, last, self._next_run(task))

    def _next_run(self, task: Task) -> datetime | None:
        if task.schedule is None or task.state is not TaskState.DEPLOYED:
            return None
        return next(iter(moments_after(task.schedule, self.clock(), self.zone, 1)), None)


@dataclass(frozen=True)
class TaskControl:
    queries: TaskQueries
    runner: TaskRunner
    backfills: BackfillRunner
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

    async def move_all(self, names: Sequence[str], step: TaskStep, user: str) -> tuple[BulkOutcome, ...]:
        """One after the other; one that fails does not keep the others from it."""
        found = []
        for name in names:
            try:
                moved = await self.move(name, step, user)
                found.append(BulkOutcome(name, moved.state, moved.notices, None))
            except Error as error:
                found.append(BulkOutcome(name, None, (), error_view(error)))
        return tuple(found)

    def rerun(self, run_id: str, user: str, *, downstream: bool) -> Rerun:
        """With the parameters that the run had; with all tasks after it, each when those before succeeded."""
        run = self.queries.attempts(run_id)[-1]
        task = self.queries.find(run.task)
        if not downstream:
            return Rerun(self.execute(task.name, run.parameters, user).run_id, None)
        value = run.parameters.get(BUSINESS_DATE, "")
        order = BackfillOrder(BUSINESS_DATE, (value,), run.parameters, 1, downstream=True)
        return Rerun(None, self.backfill(task.name, order, user).id)

    def backfill(self, name: str, order: BackfillOrder, user: str) -> Backfill:
        task = self.queries.find(name)
        chosen = with_downstream(task, self.queries.store.tasks.all()) if order.downstream else [task]
        return self.backfills.begin(
            chosen, order.parameter, order.values, order.parameters, order.parallelism, user
        )
