"""The secrets of a connection, in clear."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Credentials:
    password: str | None = field(default=None, repr=False)
    authorities: str | None = None
    """Certificates in PEM of those who may have signed that of the server; None: the system's."""
