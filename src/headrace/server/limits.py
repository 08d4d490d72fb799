"""How much a request may bring."""

from __future__ import annotations

import json
from typing import Any

LARGEST_REQUEST = 16 * 2**20

_TOO_LARGE = json.dumps(
    {
        "error": {
            "kind": "InterfaceError",
            "message": f"the request is larger than {LARGEST_REQUEST // 2**20} MB",
            "hint": "bring data in with INSERT ... SELECT, not as text",
            "place": None,
        }
    }
).encode()


class SizeLimit:
    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > LARGEST_REQUEST:
                await _refuse(send)
                return
        pending = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Any:
            return pending.pop() if pending else await receive()

        await self._app(scope, replay, send)


async def _refuse(send: Any) -> None:
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": _TOO_LARGE})
