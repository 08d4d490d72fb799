"""Whether the server answers, for anybody; and whether each of its parts works, for its users."""

from __future__ import annotations

from enum import Enum
from typing import Any

from fastapi import APIRouter

from headrace.server.asked import Served

LIVENESS = "/health"
"""Needs no token and says nothing else than that the server answers."""

routes = APIRouter()
_OPERATION: list[str | Enum] = ["operation"]


@routes.get(LIVENESS, tags=_OPERATION, summary="Check that the server answers; requires no token")
async def liveness() -> dict[str, str]:
    return {"status": "ok"}


@routes.get("/api/v1/health", tags=_OPERATION, summary="Show whether the server and its parts work")
def health(service: Served) -> dict[str, Any]:
    """A part works while its thread is alive, its last round is recent, and that round succeeded."""
    parts = service.problems()
    status = "degraded" if any(parts.values()) else "ok"
    return {"status": status} | {part: problem or "ok" for part, problem in parts.items()}
