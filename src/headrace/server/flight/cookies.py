"""Cookies that name sessions: made by this server, for one user each."""

from __future__ import annotations

import hmac
import secrets

from headrace.errors import InterfaceError


class SessionCookies:
    """Nothing is kept of one that was issued: most clients send no cookie back."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def issue(self, user: str) -> str:
        name = secrets.token_urlsafe(18)
        return f"{name}.{self._signature(name, user)}"

    def session_in(self, cookie: str, user: str) -> str:
        """Of a server that was started since, or of another user, it is not known."""
        name, _, signature = cookie.partition(".")
        if not hmac.compare_digest(signature.encode(), self._signature(name, user).encode()):
            raise InterfaceError("the session no longer exists", hint="connect again")
        return name

    def _signature(self, name: str, user: str) -> str:
        return hmac.new(self._key, f"{name}\n{user}".encode(), "sha256").hexdigest()
