"""Nobody comes in unasked: every request is judged before anything of it is read.

Two things are served to anybody: that the server answers, and the files of web pages. These are the same on
every server; what a page shows comes from requests that are judged.
"""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from headrace.errors import AccessDenied, Error
from headrace.server.access import Access
from headrace.server.error_responses import failure
from headrace.server.health import LIVENESS

STATIC_FILES = "/assets"
"""Where the files of web pages are mounted, and nothing else."""


class Gate:
    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "http":
                await self._let_in(scope, receive, send)
            case "websocket":
                await send({"type": "websocket.close", "code": 1008})
            case _:
                await self._app(scope, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_open(scope["method"], scope["path"]):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("host", ""), headers.get("authorization"), headers.get("origin")
        try:
            user = await run_in_threadpool(self._access.user, *given)
        except Error as error:
            await failure(error)(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        state["user"] = user
        state["is_admitted"] = lambda: self._is_admitted(*given)
        await self._app(scope, receive, send)

    def _is_admitted(self, host: str, authorization: str | None, origin: str | None) -> bool:
        try:
            self._access.user(host, authorization, origin)
        except AccessDenied:
            return False
        return True


def is_open(method: str, path: str) -> bool:
    """Whether a request needs no token. The path is compared as the routes compare it."""
    return path == LIVENESS or (method in ("GET", "HEAD") and path.startswith(f"{STATIC_FILES}/"))
