"""Nobody comes in unasked: every request is judged before anything of it is read.

Served to anybody are that the server answers, signing in and out, also by clients of Iceberg, and the web
pages with their files, which are the same on every server. What a page shows comes from requests that are
judged.
"""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from headrace.errors import AccessDenied, Error
from headrace.server.access import Access, Caller
from headrace.server.dependencies import PARTS
from headrace.server.error_responses import failure
from headrace.server.health import LIVENESS
from headrace.server.iceberg_rest import errors as iceberg_errors
from headrace.server.iceberg_rest.config_routes import TOKENS as ICEBERG_TOKENS
from headrace.server.iceberg_rest.errors import is_iceberg
from headrace.server.sign_in import SIGN_IN, SIGN_OUT
from headrace.server.studio_pages import is_studio


class Gate:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

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
        access: Access = scope[PARTS].access
        caller = Caller.of(scope["method"], Headers(scope=scope))
        try:
            principal = await run_in_threadpool(access.principal, caller)
        except Error as error:
            await _refusal(error, scope["path"])(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        state["principal"] = principal
        state["is_admitted"] = lambda: _is_admitted(access, caller)
        await self._app(scope, receive, send)


def _refusal(error: Error, path: str) -> ASGIApp:
    return iceberg_errors.failure(error, path) if is_iceberg(path) else failure(error)


def _is_admitted(access: Access, caller: Caller) -> bool:
    try:
        access.principal(caller)
    except AccessDenied:
        return False
    return True


def is_open(method: str, path: str) -> bool:
    """Whether a request needs no token. The path is compared as the routes compare it."""
    match method:
        case "GET" | "HEAD":
            return path == LIVENESS or is_studio(path)
        case "POST":
            return path in (SIGN_IN, SIGN_OUT, ICEBERG_TOKENS)
    return False
