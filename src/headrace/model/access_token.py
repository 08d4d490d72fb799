"""Who may talk to a server: a token is known by its name alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class AccessToken:
    name: str
    """The creator of what its holder makes."""
    created_at: datetime
    revoked_at: datetime | None = None
