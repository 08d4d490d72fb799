"""Signing in from a browser: the token is kept in a cookie that no script can read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

import headrace
from headrace.errors import AccessDenied
from headrace.model.json_value import json_value
from headrace.model.role import Role
from headrace.server.access import TOKEN_COOKIE, Caller
from headrace.server.dependencies import Sender, TimeZone, TokenAccess
from headrace.server.view_route import ViewRoute

SIGN_IN = "/api/v1/sign-in"
SIGN_OUT = "/api/v1/sign-out"
KEPT_SECONDS = 30 * 24 * 3600

routes = APIRouter(tags=["operation"], route_class=ViewRoute)


class SignInAsked(BaseModel):
    token: Annotated[str, Field(max_length=1000)]


@dataclass(frozen=True)
class Account:
    user: str
    role: Role
    signed_in: bool
    """Whether the request has a token; a user of the server's machine needs none."""
    time_zone: str
    """Of the lake."""
    version: str


@routes.post(SIGN_IN, response_model=Account, summary="Sign in from a browser; requires no token")
def sign_in(asked: SignInAsked, request: Request, access: TokenAccess, zone: TimeZone) -> Response:
    """Sets a cookie with the token, which pages of other sites cannot use."""
    _refuse_other_pages(request)
    holder = access.holder(asked.token)
    account = Account(holder.name, holder.role, True, zone, headrace.__version__)
    response = JSONResponse(json_value(account))
    response.set_cookie(
        TOKEN_COOKIE,
        asked.token.strip(),
        max_age=KEPT_SECONDS,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return response


@routes.post(SIGN_OUT, status_code=204, summary="Sign out from a browser; requires no token")
def sign_out(request: Request) -> Response:
    """Removes the cookie; the token remains valid."""
    _refuse_other_pages(request)
    response = Response(status_code=204)
    response.delete_cookie(TOKEN_COOKIE, httponly=True, samesite="strict")
    return response


@routes.get("/api/v1/account", summary="Show the user of the request and the time zone of the lake")
def account(sender: Sender, request: Request, access: TokenAccess, zone: TimeZone) -> Account:
    has_token = access.has_token(Caller.of(request.method, request.headers))
    return Account(sender.name, sender.role, has_token, zone, headrace.__version__)


def _refuse_other_pages(request: Request) -> None:
    caller = Caller.of(request.method, request.headers)
    is_browser = caller.origin is not None or caller.fetch_site is not None
    if is_browser and not caller.is_own_page:
        raise AccessDenied("the request comes from the page of another site", hint="open the sign-in page")
