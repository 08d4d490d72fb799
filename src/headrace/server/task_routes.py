"""Tasks and their runs."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from headrace.commands.task_rows import runs_of
from headrace.errors import NotFound
from headrace.model.json_value import json_value
from headrace.model.quoting import quote_identifier, quote_string
from headrace.model.task import Task, is_table_scheduled
from headrace.server.asked import Served, User
from headrace.server.service import Service
from headrace.sql.tasks import TaskStep
from headrace.views.tasks import TaskDetails, TaskRunRow

routes = APIRouter(tags=["tasks"])
Limit = Annotated[int, Query(ge=1, le=10_000)]


class ExecutionAsked(BaseModel):
    parameters: dict[str, str] = Field(default_factory=dict)


@routes.get("/tasks", summary="List all tasks")
def tasks(service: Served, user: User) -> dict[str, Any]:
    return {"tasks": [_facts(task, service) for task in service.store.tasks.all()]}


@routes.get("/tasks/{name}", summary="Describe one task")
def task(name: str, service: Served, user: User) -> dict[str, Any]:
    return _facts(_find(name, service), service)


@routes.get("/tasks/{name}/runs", summary="List the runs of a task")
def runs(name: str, service: Served, user: User, limit: Limit = 100) -> dict[str, Any]:
    """Newest first, one for each attempt."""
    found = runs_of(service.store, _find(name, service), limit)
    return {"runs": [json_value(TaskRunRow.of(run)) for run in found]}


@routes.get("/task-runs", summary="List the runs of all tasks")
def all_runs(service: Served, user: User, limit: Limit = 100) -> dict[str, Any]:
    return {"runs": [json_value(TaskRunRow.of(run)) for run in runs_of(service.store, None, limit)]}


@routes.post("/tasks/{name}/deploy", summary="Deploy a task")
async def deploy(name: str, service: Served, user: User) -> dict[str, Any]:
    return await _step(name, TaskStep.DEPLOY, service, user)


@routes.post("/tasks/{name}/offline", summary="Take a task offline")
async def take_offline(name: str, service: Served, user: User) -> dict[str, Any]:
    return await _step(name, TaskStep.OFFLINE, service, user)


@routes.post("/tasks/{name}/execute", status_code=202, summary="Run a task now")
async def execute(name: str, asked: ExecutionAsked, service: Served, user: User) -> dict[str, Any]:
    """Does not wait for the run; the runs of the task tell how it goes on."""
    found = _find(name, service)
    if not is_table_scheduled(found):
        run, _ = await asyncio.to_thread(service.tasks.execute, found, asked.parameters)
        return {"run_id": run.run_id, "job_id": None}
    given = ", ".join(
        f"{quote_string(key)} = {quote_string(value)}" for key, value in asked.parameters.items()
    )
    text = f"EXECUTE TASK {quote_identifier(found.name)}{f' PARAMETERS ({given})' if given else ''}"
    statement = await asyncio.to_thread(service.submit, service.sessions.open(user), text, None)
    return {"run_id": None, "job_id": statement.job.job_id}


@routes.post("/task-runs/{run_id}/cancel", status_code=202, summary="Cancel a run")
def cancel_run(run_id: str, service: Served, user: User) -> None:
    service.tasks.cancel(run_id)


def _find(name: str, service: Service) -> Task:
    found = service.store.tasks.find(name)
    if found is None:
        raise NotFound(f"task {name} does not exist", hint="SHOW TASKS lists all tasks")
    return found


def _facts(found: Task, service: Service) -> dict[str, Any]:
    facts: dict[str, Any] = json_value(
        TaskDetails.of(found, next(iter(runs_of(service.store, found, 1)), None))
    )
    return facts


async def _step(name: str, step: TaskStep, service: Service, user: str) -> dict[str, Any]:
    found = _find(name, service)
    session = service.sessions.open(user)
    try:
        text = f"ALTER TASK {quote_identifier(found.name)} {step}"
        statement = await asyncio.to_thread(service.submit, session, text, None)
        await asyncio.wrap_future(statement.ended)
        if statement.error is not None:
            raise statement.error
    finally:
        await asyncio.to_thread(service.end, session)
    notices = statement.answer.notices if statement.answer else ()
    return {"state": _find(name, service).state, "notices": list(notices)}
