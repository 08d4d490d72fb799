"""Python scripts that are run once, from an editor."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from headrace.errors import DataError
from headrace.server.dependencies import Scripts, User
from headrace.server.script_runs import ScriptRunView
from headrace.server.view_route import ViewRoute

routes = APIRouter(tags=["files"], route_class=ViewRoute)


class ScriptAsked(BaseModel):
    model_config = ConfigDict(extra="forbid")

    content: str = Field(max_length=1_000_000, description="A Python script.")
    parameters: dict[str, str] = Field(default_factory=dict)


@dataclass(frozen=True)
class ScriptCancelRequested:
    run_id: str


@routes.post("/script-runs", status_code=202, summary="Run a Python script once")
def run_script(asked: ScriptAsked, scripts: Scripts, user: User) -> ScriptRunView:
    """As the script of a task runs: HEADRACE_URL and HEADRACE_TOKEN are for a connection of the user."""
    if not asked.content.strip():
        raise DataError("the script is empty")
    return scripts.begin(user, asked.content, asked.parameters)


@routes.get("/script-runs/{run_id}", summary="Show what a script that was run has printed so far")
def script_run(run_id: str, scripts: Scripts, user: User) -> ScriptRunView:
    return scripts.view(run_id, user)


@routes.post("/script-runs/{run_id}/cancel", status_code=202, summary="Cancel a script")
def cancel_script(run_id: str, scripts: Scripts, user: User) -> ScriptCancelRequested:
    scripts.cancel(run_id, user)
    return ScriptCancelRequested(run_id)
