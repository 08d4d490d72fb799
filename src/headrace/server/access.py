"""Who asks: on this machine its user, from elsewhere whoever has a token."""

from __future__ import annotations

import getpass
import ipaddress
from collections.abc import Callable
from urllib.parse import urlsplit

from headrace.errors import AccessDenied

LOOPBACK_NAMES = ("localhost",)
_MAKE_ONE = "create one on the server with `headrace token create NAME`"


class Access:
    def __init__(self, address: str, holder_of: Callable[[str], str | None]) -> None:
        """At an address that other machines reach, nothing is served without a token."""
        self._is_open = is_loopback(address)
        self._holder_of = holder_of

    def user(self, host: str, authorization: str | None, origin: str | None = None) -> str:
        """Whose request it is that has these headers."""
        if authorization is not None:
            return self._holder(authorization)
        if not self._is_open:
            raise AccessDenied("a token is required", hint=_MAKE_ONE)
        if not is_loopback(_host_of(f"//{host}")):
            raise AccessDenied("the request was meant for another host", hint="use http://127.0.0.1")
        if origin is not None and not is_loopback(_host_of(origin)):
            raise AccessDenied("the request comes from the page of another site", hint=_MAKE_ONE)
        return getpass.getuser()

    def _holder(self, authorization: str) -> str:
        scheme, _, token = authorization.partition(" ")
        holder = self._holder_of(token.strip()) if scheme.lower() == "bearer" else None
        if holder is None:
            raise AccessDenied("the token is not valid or was revoked", hint=_MAKE_ONE)
        return holder


def is_loopback(host: str) -> bool:
    name = host.strip("[]").lower()
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name in LOOPBACK_NAMES


def _host_of(url: str) -> str:
    """Without its port; of one with a user's name in it nothing."""
    if "@" in url:
        return ""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
