"""Who may talk to a server: a token is known by its name alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from headrace.model.role import Role


@dataclass(frozen=True)
class Principal:
    """Whoever sends a request."""

    name: str
    """The creator of what this user makes."""
    role: Role


def acting_for(creator: str) -> Principal:
    """What the server itself runs for a user, whose request or definition was judged before."""
    return Principal(creator, Role.DEVELOPER)


@dataclass(frozen=True)
class AccessToken:
    name: str
    role: Role
    created_at: datetime
    revoked_at: datetime | None = None
