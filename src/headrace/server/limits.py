"""How much a request may bring, and how long that may take."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headrace.errors import InterfaceError
from headrace.server.told import failure

LARGEST_REQUEST = 16 * 2**20
READ_SECONDS = 60


class SizeLimit:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "0")
        is_larger = declared.isdigit() and int(declared) > LARGEST_REQUEST
        try:
            body = None if is_larger else await asyncio.wait_for(_whole(receive), READ_SECONDS)
        except TimeoutError:
            await _too_slow(scope, receive, send)
            return
        if body is None:
            await _too_large(scope, receive, send)
            return
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return pending.pop() if pending else await receive()

        await self._app(scope, replay, send)


async def _whole(receive: Receive) -> bytes | None:
    """The body; None if it is too large."""
    parts: list[bytes] = []
    length, more = 0, True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        length += len(parts[-1])
        more = message.get("more_body", False)
        if length > LARGEST_REQUEST:
            return None
    return b"".join(parts)


_too_large = failure(
    InterfaceError(
        f"the request is larger than {LARGEST_REQUEST // 2**20} MB",
        hint="bring data in with INSERT ... SELECT, not as text",
    ),
    413,
)
_too_slow = failure(InterfaceError(f"the request took longer than {READ_SECONDS} seconds to arrive"), 408)
for _answer in (_too_large, _too_slow):
    _answer.headers["Connection"] = "close"
