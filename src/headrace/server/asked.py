"""What every request brings with it: who asks, and the lake that is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request

from headrace.server.service import Service


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _user(request: Request) -> str:
    """As the gate found it."""
    user: str = request.state.user
    return user


def _is_admitted(request: Request) -> Callable[[], bool]:
    is_admitted: Callable[[], bool] = request.state.is_admitted
    return is_admitted


Served = Annotated[Service, Depends(_service)]
User = Annotated[str, Depends(_user)]
IsAdmitted = Annotated[Callable[[], bool], Depends(_is_admitted)]
"""Whether the gate would still admit the request, for one that lasts."""
