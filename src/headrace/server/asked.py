"""What every request brings with it: who asks, and the lake that is asked."""

from __future__ import annotations

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


Served = Annotated[Service, Depends(_service)]
User = Annotated[str, Depends(_user)]
