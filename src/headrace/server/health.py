"""Whether the server answers, for anybody; and whether each of its parts works, for its users."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from fastapi import APIRouter

from headrace.server.dependencies import Problems
from headrace.server.view_route import ViewRoute

LIVENESS = "/health"
"""Needs no token and says nothing else than that the server answers."""

routes = APIRouter(route_class=ViewRoute)
_OPERATION: list[str | Enum] = ["operation"]


@dataclass(frozen=True)
class Liveness:
    status: Literal["ok"]


@dataclass(frozen=True)
class Health:
    """Of each part `ok`, or its problem."""

    status: Literal["ok", "degraded"]
    scheduler: str
    tasks: str
    pipes: str
    syncs: str
    stream_writers: str
    cleaning: str
    alerts: str
    presence: str
    clusters: str
    housekeeping: str
    events: str


@routes.get(LIVENESS, tags=_OPERATION, summary="Check that the server answers; requires no token")
async def liveness() -> Liveness:
    return Liveness("ok")


@routes.get("/api/v1/health", tags=_OPERATION, summary="Show whether the server and its parts work")
def health(problems: Problems) -> Health:
    """A part works while its thread is alive, its last round is recent, and that round succeeded."""
    parts = problems()
    shown = {part: problem or "ok" for part, problem in parts.items()}
    return Health("degraded" if any(parts.values()) else "ok", **shown)
