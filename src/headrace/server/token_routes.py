"""Tokens: created, listed and revoked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, StringConstraints

from headrace.model.access_token import AccessToken, Principal
from headrace.model.role import Privilege, Role
from headrace.server.dependencies import LakeTime, Sender, TokenStore
from headrace.server.paging import Listed, Order, Page
from headrace.server.rights import expect, requires
from headrace.server.view_route import ViewRoute

routes = APIRouter(tags=["operation"], route_class=ViewRoute)


class NewToken(BaseModel):
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
    role: Role = Role.DEVELOPER


@dataclass(frozen=True)
class TokenView:
    name: str
    role: Role
    created_time: datetime
    revoked_time: datetime | None

    @staticmethod
    def of(token: AccessToken) -> TokenView:
        return TokenView(token.name, token.role, token.created_at, token.revoked_at)


@dataclass(frozen=True)
class CreatedToken:
    name: str
    role: Role
    token: str
    """Shown this once: the server stores only its hash."""


@routes.get("/tokens", summary="List tokens")
def tokens(store: TokenStore, sender: Sender, listing: Listed) -> Page[TokenView]:
    """An admin sees all, others see their own."""
    seen = [each for each in store.all() if _may_manage(sender) or each.name == sender.name]
    return listing.page_of_all(seen, Order(lambda each: (each.name,)), lambda each: each.name).map(
        TokenView.of
    )


@routes.post("/tokens", status_code=201, summary="Create a token", openapi_extra=requires(Privilege.MANAGE))
def create_token(asked: NewToken, store: TokenStore, lake: LakeTime) -> CreatedToken:
    """The owner of the lake runs the server, is an admin, and needs no token on its machine."""
    token = store.create(asked.name, lake.clock(), asked.role)
    return CreatedToken(asked.name, asked.role, token)


@routes.delete(
    "/tokens/{name}",
    status_code=204,
    summary="Revoke a token",
    openapi_extra=requires(Privilege.SELECT),
)
def revoke_token(name: str, store: TokenStore, sender: Sender, lake: LakeTime) -> None:
    """The sender's own, or any by an admin. It stops working immediately."""
    if name != sender.name:
        expect(Privilege.MANAGE, sender, "revoke tokens of others")
    store.revoke(name, lake.clock())


def _may_manage(sender: Principal) -> bool:
    return sender.role.allows(Privilege.MANAGE)
