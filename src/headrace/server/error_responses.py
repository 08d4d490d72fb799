"""Errors as HTTP answers: all of them of one shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from headrace.errors import (
    AccessDenied,
    AlreadyExists,
    Error,
    InterfaceError,
    InternalError,
    NotFound,
    NotSupportedError,
    OperationalError,
    Refused,
    SequenceGap,
    VersionConflict,
    WritersThrottled,
)
from headrace.model.json_value import json_value
from headrace.wire import ErrorView, error_view

_STATUS: tuple[tuple[type[Error], int], ...] = (
    (AccessDenied, 401),
    (Refused, 403),
    (NotFound, 404),
    (AlreadyExists, 409),
    (VersionConflict, 409),
    (SequenceGap, 409),
    (WritersThrottled, 429),
    (NotSupportedError, 501),
    (InternalError, 500),
    (OperationalError, 503),
    (Error, 400),
)


@dataclass(frozen=True)
class Failure:
    error: ErrorView


FAILURES: dict[int | str, dict[str, Any]] = {
    "default": {"model": Failure, "description": "What is wrong, where in the SQL, and what to do."}
}

_HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "2"}}


FAILURES_BESIDE_TEXT: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": FAILURES["default"]["description"],
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}},
    }
}
"""For routes whose own responses are not JSON: FastAPI would declare these in the same format."""


def failure(error: Error, status: int | None = None) -> JSONResponse:
    found = status or next(number for kind, number in _STATUS if isinstance(error, kind))
    return JSONResponse(json_value(Failure(error_view(error))), found, _HEADERS.get(found))


async def of_headrace(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, Error):
        raise error
    return failure(error)


async def of_request(_: Request, error: Exception) -> JSONResponse:
    """A request that cannot be read."""
    if not isinstance(error, RequestValidationError):
        raise error
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return failure(InterfaceError(f"the request is not valid JSON: {first['ctx']['error']}"))
    where = ".".join(str(part) for part in first["loc"][1:])
    return failure(InterfaceError(f"{where or 'the request'}: {first['msg']}", hint="see /docs"))


async def of_route(request: Request, error: Exception) -> JSONResponse:
    """A path or a method that the API does not have."""
    if not isinstance(error, HTTPException):
        raise error
    what = f"{request.method} {request.url.path}"
    if error.status_code == 404:
        return failure(NotFound(f"{what} does not exist", hint="/docs lists all endpoints"))
    return failure(InterfaceError(f"{what}: {error.detail}", hint="see /docs"), error.status_code)


async def of_ours(_: Request, error: Exception) -> JSONResponse:
    """The log has the rest."""
    return failure(InternalError.of(error))
