"""Connections."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from headrace.features.connections.model import SourceConnection


@dataclass(frozen=True)
class ConnectionRow:
    name: str
    type: str
    host: str | None
    port: int | None
    database: str | None
    url: str | None
    """In the place of these three."""
    user: str
    password: str | None
    """The reference to the secret."""
    tls: str | None
    tls_ca: str | None
    comment: str | None
    creator: str
    created_time: datetime

    @staticmethod
    def of(connection: SourceConnection) -> ConnectionRow:
        return ConnectionRow(
            connection.name,
            connection.type.value,
            connection.host or None,
            connection.port or None,
            connection.database or None,
            connection.url,
            connection.user,
            _reference(connection.secret),
            connection.tls,
            _reference(connection.tls_ca),
            connection.comment,
            connection.creator,
            connection.created_at,
        )


def _reference(secret: str | None) -> str | None:
    return None if secret is None else f"secret('{secret}')"


@dataclass(frozen=True)
class TestedConnection:
    server: str
    tables: int
    """That the user can see."""
    log_problem: str | None
    """Why syncs cannot follow its changes, but can read its tables in batches; None: they can."""
