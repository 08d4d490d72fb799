"""Tasks and their runs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from headrace.features.tasks.grammar import TaskStep
from headrace.features.tasks.task_rows import run_position
from headrace.model.role import Privilege
from headrace.model.task import RunState, Task, TaskKind, TaskRun, TaskState
from headrace.server.dependencies import Sender, Tasks, TasksKnown, User
from headrace.server.paging import Listed, Listing, Order, Page
from headrace.server.rights import expect_values, requires
from headrace.server.task_control import BulkOutcome, TaskExecution, TaskMoved, TaskQueries
from headrace.server.time_range import ALL_TIMES, TimeRange
from headrace.server.view_route import ViewRoute
from headrace.views.tasks import TaskDetails, TaskInstance, TaskRunRow

routes = APIRouter(tags=["tasks"], route_class=ViewRoute)
_NEWEST_RUN = Order[TaskRun](run_position, (datetime, str, int))


class ExecutionAsked(BaseModel):
    parameters: dict[str, str] = Field(default_factory=dict)


class BulkAsked(BaseModel):
    names: list[str] = Field(min_length=1, max_length=1000)
    step: TaskStep


@dataclass(frozen=True)
class BulkResult:
    items: tuple[BulkOutcome, ...]


@dataclass(frozen=True)
class RunCancelRequested:
    run_id: str


@routes.get("/tasks", summary="List all tasks")
def tasks(
    known: TasksKnown,
    user: User,
    listing: Listed,
    state: TaskState | None = None,
    kind: TaskKind | None = None,
) -> Page[TaskDetails]:
    return listing.page_of_all(
        known.all(),
        Order(lambda task: (task.name,)),
        lambda task: task.name,
        lambda task: state in (None, task.state) and kind in (None, task.kind),
    )


@routes.get("/tasks/{name}", summary="Describe one task")
def task(name: str, known: TasksKnown, user: User) -> TaskDetails:
    return known.details(name)


@routes.get("/tasks/{name}/runs", summary="List the runs of a task")
def runs(
    name: str, known: TasksKnown, user: User, listing: Listed, state: RunState | None = None
) -> Page[TaskRunRow]:
    """Newest first, one for each attempt."""
    return _runs(known, known.find(name), listing, state)


@routes.get("/task-runs", summary="List the runs of all tasks")
def all_runs(
    known: TasksKnown,
    user: User,
    listing: Listed,
    state: RunState | None = None,
    since: Annotated[datetime | None, Query(description="Only runs that were due then or later.")] = None,
    until: Annotated[datetime | None, Query(description="Only runs that were due before.")] = None,
) -> Page[TaskRunRow]:
    """Newest first, one for each attempt."""
    return _runs(known, None, listing, state, TimeRange(since, until))


@routes.get("/task-runs/{run_id}", summary="Show a run with its attempts and their logs")
def run(run_id: str, known: TasksKnown, user: User) -> TaskInstance:
    return known.instance(run_id)


@routes.post("/tasks/{name}/deploy", summary="Deploy a task", openapi_extra=requires(Privilege.OPERATE))
async def deploy(name: str, control: Tasks, user: User) -> TaskMoved:
    return await control.move(name, TaskStep.DEPLOY, user)


@routes.post(
    "/tasks/{name}/offline", summary="Take a task offline", openapi_extra=requires(Privilege.OPERATE)
)
async def take_offline(name: str, control: Tasks, user: User) -> TaskMoved:
    return await control.move(name, TaskStep.OFFLINE, user)


@routes.post(
    "/tasks/{name}/pause", summary="Pause the schedule of a task", openapi_extra=requires(Privilege.OPERATE)
)
async def pause(name: str, control: Tasks, user: User) -> TaskMoved:
    return await control.move(name, TaskStep.PAUSE, user)


@routes.post(
    "/tasks/{name}/resume", summary="Resume the schedule of a task", openapi_extra=requires(Privilege.OPERATE)
)
async def resume(name: str, control: Tasks, user: User) -> TaskMoved:
    return await control.move(name, TaskStep.RESUME, user)


@routes.post(
    "/tasks/bulk",
    summary="Deploy, pause, resume or take offline several tasks",
    openapi_extra=requires(Privilege.OPERATE),
)
async def bulk(asked: BulkAsked, control: Tasks, user: User) -> BulkResult:
    """Each by itself: one that fails has an error, and the others go on."""
    return BulkResult(await control.move_all(asked.names, asked.step, user))


@routes.post(
    "/tasks/{name}/execute",
    status_code=202,
    summary="Run a task now",
    openapi_extra=requires(Privilege.OPERATE),
)
async def execute(name: str, asked: ExecutionAsked, control: Tasks, sender: Sender) -> TaskExecution:
    """Does not wait for the run; the runs of the task tell how it goes on."""
    expect_values(asked.parameters, sender)
    return await asyncio.to_thread(control.execute, name, asked.parameters, sender.name)


@routes.post(
    "/task-runs/{run_id}/cancel",
    status_code=202,
    summary="Cancel a run",
    openapi_extra=requires(Privilege.OPERATE),
)
def cancel_run(run_id: str, control: Tasks, user: User) -> RunCancelRequested:
    control.cancel(run_id)
    return RunCancelRequested(run_id)


def _runs(
    known: TaskQueries,
    task: Task | None,
    listing: Listing,
    state: RunState | None,
    between: TimeRange = ALL_TIMES,
) -> Page[TaskRunRow]:
    fetch = between.applied(known.runs(task), _scheduled_time, ("", 0))
    page = listing.page_of(fetch, _NEWEST_RUN, _task_name, lambda run: state in (None, run.state))
    return page.map(TaskRunRow.of)


def _scheduled_time(run: TaskRun) -> datetime:
    return run.scheduled_time


def _task_name(run: TaskRun) -> str:
    return run.task
