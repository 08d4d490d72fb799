"""How much a request may bring, and how long that may take."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headrace.errors import InterfaceError
from headrace.server.error_responses import failure

LARGEST_REQUEST = 16 * 2**20
LARGEST_DISCARDED = 1024 * 2**20
"""Up to here a request is read to its end even if it is too large: a client that sends sees no answer."""
READ_SECONDS = 60


class SizeLimit:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            body = await asyncio.wait_for(_body(Headers(scope=scope), receive), READ_SECONDS)
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


async def _body(headers: Headers, receive: Receive) -> bytes | None:
    """None if it is too large. A client that waits for leave to send is answered before it sends."""
    declared = headers.get("content-length", "0")
    is_larger = declared.isdigit() and int(declared) > LARGEST_REQUEST
    if is_larger and headers.get("expect", "").lower() == "100-continue":
        return None
    return await _whole(receive)


async def _whole(receive: Receive) -> bytes | None:
    """To the end, though not all of it is kept."""
    parts: list[bytes] = []
    length, more = 0, True
    while more and length <= LARGEST_DISCARDED:
        message = await receive()
        part = message.get("body", b"")
        length += len(part)
        more = message.get("more_body", False)
        if length <= LARGEST_REQUEST:
            parts.append(part)
        else:
            parts.clear()
    return b"".join(parts) if length <= LARGEST_REQUEST else None


_too_large = failure(
    InterfaceError(
        f"the request is larger than {LARGEST_REQUEST // 2**20} MB",
        hint="load data with INSERT ... SELECT, not as text",
    ),
    413,
)
_too_slow = failure(InterfaceError(f"the request took longer than {READ_SECONDS} seconds to arrive"), 408)
for _answer in (_too_large, _too_slow):
    _answer.headers["Connection"] = "close"
