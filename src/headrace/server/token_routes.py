"""Tokens: created, listed and revoked."""

from __future__ import annotations

import getpass
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, StringConstraints

from headrace.errors import Refused
from headrace.model.access_token import AccessToken
from headrace.server.dependencies import LakeTime, TokenStore, User
from headrace.server.paging import Listed, Order, Page
from headrace.server.view_route import ViewRoute

routes = APIRouter(tags=["operation"], route_class=ViewRoute)


class NewToken(BaseModel):
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]


@dataclass(frozen=True)
class TokenView:
    name: str
    created_time: datetime
    revoked_time: datetime | None

    @staticmethod
    def of(token: AccessToken) -> TokenView:
        return TokenView(token.name, token.created_at, token.revoked_at)


@dataclass(frozen=True)
class CreatedToken:
    name: str
    token: str
    """Shown this once: the server stores only its hash."""


@routes.get("/tokens", summary="List tokens")
def tokens(store: TokenStore, user: User, listing: Listed) -> Page[TokenView]:
    """The owner of the lake sees all, others see their own."""
    seen = [each for each in store.all() if _is_owner(user) or each.name == user]
    return listing.page_of_all(seen, Order(lambda each: (each.name,)), lambda each: each.name).map(
        TokenView.of
    )


@routes.post("/tokens", status_code=201, summary="Create a token")
def create_token(asked: NewToken, store: TokenStore, user: User, lake: LakeTime) -> CreatedToken:
    """Only the owner of the lake can, who runs the server and needs no token on its machine."""
    if not _is_owner(user):
        raise Refused("only the owner of the lake can create tokens", hint="headrace token create NAME")
    return CreatedToken(asked.name, store.create(asked.name, lake.clock()))


@routes.delete("/tokens/{name}", status_code=204, summary="Revoke a token")
def revoke_token(name: str, store: TokenStore, user: User, lake: LakeTime) -> None:
    """The user's own, or any by the owner of the lake. It stops working immediately."""
    if not _is_owner(user) and name != user:
        raise Refused("only the owner of the lake can revoke tokens of others")
    store.revoke(name, lake.clock())


def _is_owner(user: str) -> bool:
    return user == getpass.getuser()
