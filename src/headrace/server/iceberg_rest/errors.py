"""Errors as Iceberg's REST protocol has them: clients choose what to do by the status and the type."""

from __future__ import annotations

import re
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from headrace.errors import (
    AccessDenied,
    AlreadyExists,
    CommitUnknown,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotFound,
    NotSupportedError,
    OperationalError,
    Refused,
    VersionConflict,
)

PREFIX = "/iceberg"
"""Of all paths of the catalog."""

_ANSWERS: tuple[tuple[type[Error], int, str], ...] = (
    (AccessDenied, 401, "NotAuthorizedException"),
    (Refused, 403, "ForbiddenException"),
    (AlreadyExists, 409, "AlreadyExistsException"),
    (VersionConflict, 409, "CommitFailedException"),
    (IntegrityError, 409, "NamespaceNotEmptyException"),
    (NotSupportedError, 406, "UnsupportedOperationException"),
    (CommitUnknown, 500, "CommitStateUnknownException"),
    (InternalError, 500, "InternalServerError"),
    (OperationalError, 503, "ServiceUnavailableException"),
    (Error, 400, "BadRequestException"),
)
_MISSING = (
    (re.compile(r"/views/[^/]+$"), "NoSuchViewException"),
    (re.compile(r"/tables/[^/]+$"), "NoSuchTableException"),
    (re.compile(r"/config$"), "NoSuchWarehouseException"),
)


def is_iceberg(path: str) -> bool:
    return path == PREFIX or path.startswith(f"{PREFIX}/")


def failure(error: Error, path: str, status: int | None = None) -> JSONResponse:
    if isinstance(error, NotFound):
        found, kind = 404, _missing(path)
    else:
        found, kind = next((code, kind) for known, code, kind in _ANSWERS if isinstance(error, known))
    code = status or found
    headers = {"WWW-Authenticate": "Bearer"} if code == 401 else None
    return JSONResponse({"error": {"message": _text(error), "type": kind, "code": code}}, code, headers)


def _missing(path: str) -> str:
    """What it is that does not exist; whatever is created needs a schema."""
    return next((kind for pattern, kind in _MISSING if pattern.search(path)), "NoSuchNamespaceException")


def _text(error: Error) -> str:
    """Without its place: the client has not written the statement."""
    return f"{error.message} ({error.hint})" if error.hint else error.message


async def of_headrace(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, Error):
        raise error
    return failure(error, request.url.path)


async def of_request(request: Request, error: Exception) -> JSONResponse:
    """A request that cannot be read."""
    if not isinstance(error, RequestValidationError):
        raise error
    first: dict[str, Any] = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    return failure(InterfaceError(f"{where or 'the request'}: {first['msg']}"), request.url.path)


async def of_route(request: Request, error: Exception) -> JSONResponse:
    """A path or a method that is not served."""
    if not isinstance(error, HTTPException):
        raise error
    what = f"{request.method} {request.url.path}: {error.detail}"
    hint = "GET /iceberg/v1/config lists all endpoints"
    return failure(NotSupportedError(what, hint=hint), request.url.path, error.status_code)


async def of_ours(request: Request, error: Exception) -> JSONResponse:
    """The log has the rest."""
    return failure(InternalError.of(error), request.url.path)
