"""What a client asks first: how the catalog is used, and a token for its credential."""

from __future__ import annotations

import base64
import binascii
from typing import Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from headrace.errors import AccessDenied, NotFound
from headrace.model.names import DEFAULT_WORKSPACE
from headrace.model.quoting import show_identifier
from headrace.server.dependencies import TokenAccess
from headrace.server.iceberg_rest.errors import PREFIX

TOKENS = f"{PREFIX}/v1/oauth/tokens"
_ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105  (a kind of token)
_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
_EXPIRES_SECONDS = 3600
"""When a client asks again; a token of Headrace is valid until it is revoked."""
_NAMESPACES = "/v1/{prefix}/namespaces"
_TABLES = f"{_NAMESPACES}/{{namespace}}/tables"
_VIEWS = f"{_NAMESPACES}/{{namespace}}/views"
ENDPOINTS = (
    f"GET {_NAMESPACES}",
    f"POST {_NAMESPACES}",
    f"GET {_NAMESPACES}/{{namespace}}",
    f"HEAD {_NAMESPACES}/{{namespace}}",
    f"DELETE {_NAMESPACES}/{{namespace}}",
    f"GET {_TABLES}",
    f"POST {_TABLES}",
    f"GET {_TABLES}/{{table}}",
    f"HEAD {_TABLES}/{{table}}",
    f"POST {_TABLES}/{{table}}",
    f"DELETE {_TABLES}/{{table}}",
    f"POST {_NAMESPACES}/{{namespace}}/register",
    "POST /v1/{prefix}/tables/rename",
    f"GET {_VIEWS}",
    f"GET {_VIEWS}/{{view}}",
    f"HEAD {_VIEWS}/{{view}}",
)

routes = APIRouter()


@routes.get("/v1/config")
def config(warehouse: str | None = None) -> dict[str, Any]:
    """A warehouse is a workspace, whose name is the prefix of all other paths."""
    if warehouse not in (None, "", DEFAULT_WORKSPACE):
        raise NotFound(
            f"warehouse {show_identifier(warehouse or '')} does not exist",
            hint=f"use {DEFAULT_WORKSPACE}, or none",
        )
    return {"defaults": {}, "overrides": {"prefix": DEFAULT_WORKSPACE}, "endpoints": ENDPOINTS}


@routes.post("/v1/oauth/tokens")
async def tokens(request: Request, access: TokenAccess) -> JSONResponse:
    """The secret of a client is a token of Headrace, and what it gets is the same one."""
    asked = {key: values[0] for key, values in parse_qs((await request.body()).decode("latin-1")).items()}
    match asked.get("grant_type"):
        case "client_credentials":
            token = asked.get("client_secret") or _basic_secret(request.headers.get("authorization", ""))
        case grant if grant == _EXCHANGE:
            token = asked.get("subject_token", "")
        case _:
            return _refused(400, "unsupported_grant_type", "use client_credentials or token exchange")
    try:
        await run_in_threadpool(access.holder, token)
    except AccessDenied as error:
        return _refused(401, "invalid_client", f"{error.message} ({error.hint})")
    return JSONResponse(
        {
            "access_token": token.strip(),
            "token_type": "bearer",
            "issued_token_type": _ACCESS_TOKEN,
            "expires_in": _EXPIRES_SECONDS,
        },
        headers={"Cache-Control": "no-store"},
    )


def _refused(status: int, error: str, description: str) -> JSONResponse:
    return JSONResponse({"error": error, "error_description": description}, status)


def _basic_secret(authorization: str) -> str:
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(encoded, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""
