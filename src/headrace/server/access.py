"""Who asks: on this machine its user, from elsewhere whoever has a token."""

from __future__ import annotations

import getpass
import ipaddress
from collections.abc import Callable

from headrace.errors import AccessDenied

LOOPBACK_NAMES = ("localhost",)


class Access:
    def __init__(self, address: str, holder_of: Callable[[str], str | None]) -> None:
        self._is_open = is_loopback(address)
        self._holder_of = holder_of

    def user(self, host: str, authorization: str | None) -> str:
        """Whose request it is that has these headers."""
        if authorization is not None:
            scheme, _, token = authorization.partition(" ")
            holder = self._holder_of(token.strip()) if scheme.lower() == "bearer" else None
            if holder is None:
                raise AccessDenied(
                    "the token is not known or was revoked", hint="`headrace token create NAME` makes one"
                )
            return holder
        if not self._is_open:
            raise AccessDenied(
                "a token is needed", hint="`headrace token create NAME` makes one on the server"
            )
        if not is_loopback(host.rsplit(":", 1)[0] if not host.endswith("]") else host):
            raise AccessDenied("the request was meant for another host")
        return getpass.getuser()


def is_loopback(host: str) -> bool:
    name = host.strip("[]").lower()
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name in LOOPBACK_NAMES
