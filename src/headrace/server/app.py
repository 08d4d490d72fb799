"""The server's HTTP API, put together."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

import headrace
from headrace.errors import (
    AccessDenied,
    AlreadyExists,
    Error,
    InternalError,
    NotFound,
    NotSupportedError,
    OperationalError,
)
from headrace.server import lake_routes, metrics, statement_routes, task_routes
from headrace.server.access import Access
from headrace.server.limits import SizeLimit
from headrace.server.service import Service
from headrace.wire import encode_error

_STATUS: list[tuple[type[Error], int]] = [
    (AccessDenied, 401),
    (NotFound, 404),
    (AlreadyExists, 409),
    (NotSupportedError, 501),
    (InternalError, 500),
    (OperationalError, 503),
    (Error, 400),
]


def make_app(service: Service, access: Access) -> FastAPI:
    app = FastAPI(title="Headrace", version=headrace.__version__)
    app.state.service = service
    app.state.access = access
    app.add_middleware(SizeLimit)
    app.add_exception_handler(Error, _told)
    for routes in (statement_routes.routes, lake_routes.routes, task_routes.routes):
        app.include_router(routes, prefix="/api/v1")
    app.include_router(metrics.routes)
    return app


async def _told(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, Error):
        raise error
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    return JSONResponse({"error": encode_error(error)}, status)
