"""Who asks: on this machine its user, from elsewhere whoever has a token."""

from __future__ import annotations

import getpass
import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from headrace.errors import AccessDenied
from headrace.model.access_token import Principal
from headrace.model.role import Role

LOOPBACK_NAMES = ("localhost",)
TOKEN_COOKIE = "headrace_token"  # noqa: S105  (its name)
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_MAKE_ONE = "create one on the server with `headrace token create NAME`"
_OTHER_PAGE = "the request comes from the page of another site"


@dataclass(frozen=True)
class Caller:
    """What the headers of a request say of its sender."""

    host: str
    authorization: str | None = None
    cookie: str | None = None
    """The token that a browser keeps."""
    origin: str | None = None
    fetch_site: str | None = None
    """How a browser relates the page that sends the request to this server."""
    is_write: bool = False

    @staticmethod
    def of(method: str, headers: Headers) -> Caller:
        return Caller(
            host=headers.get("host", ""),
            authorization=headers.get("authorization"),
            cookie=_cookie(headers.get("cookie", "")),
            origin=headers.get("origin"),
            fetch_site=headers.get("sec-fetch-site"),
            is_write=method not in SAFE_METHODS,
        )

    @property
    def is_own_page(self) -> bool:
        """Whether a page of this very server sends the request: same scheme, host and port.

        Browsers send ``Sec-Fetch-Site`` only over connections that they trust, ``Origin`` with every write.
        """
        if self.fetch_site is not None:
            return self.fetch_site == "same-origin"
        return self.origin is not None and _authority(self.origin) == self.host.lower()


class Access:
    def __init__(self, address: str, holder_of: Callable[[str], Principal | None]) -> None:
        """At an address that other machines reach, nothing is served without a token."""
        self._is_open = is_loopback(address)
        self._holder_of = holder_of

    def principal(self, caller: Caller) -> Principal:
        """Whose request it is."""
        if caller.authorization is not None:
            return self._bearer(caller.authorization)
        holder = self._cookie_holder(caller)
        if holder is not None:
            if caller.is_write and not caller.is_own_page:
                raise AccessDenied(_OTHER_PAGE, hint="open the pages of this server")
            return holder
        if not self._is_open:
            raise AccessDenied("a token is required", hint=_MAKE_ONE)
        return self._machine_user(caller)

    def has_token(self, caller: Caller) -> bool:
        """Of a request that was admitted."""
        return caller.authorization is not None or self._cookie_holder(caller) is not None

    def holder(self, token: str) -> Principal:
        holder = self._holder_of(token.strip())
        if holder is None:
            raise AccessDenied("the token is not valid or was revoked", hint=_MAKE_ONE)
        return holder

    def _bearer(self, authorization: str) -> Principal:
        scheme, _, token = authorization.partition(" ")
        return self.holder(token if scheme.lower() == "bearer" else "")

    def _cookie_holder(self, caller: Caller) -> Principal | None:
        """None for that of another server, too: browsers do not separate cookies by port."""
        return None if caller.cookie is None else self._holder_of(caller.cookie)

    def _machine_user(self, caller: Caller) -> Principal:
        """The owner of the lake, who runs the server."""
        if not is_loopback(_host_of(f"//{caller.host}")):
            raise AccessDenied("the request was meant for another host", hint="use http://127.0.0.1")
        if caller.origin is not None and not is_loopback(_host_of(caller.origin)):
            raise AccessDenied(_OTHER_PAGE, hint=_MAKE_ONE)
        return Principal(getpass.getuser(), Role.ADMIN)


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


def _authority(origin: str) -> str:
    """Host and port as the header ``Host`` has them."""
    return origin.partition("://")[2].lower()


def _cookie(header: str) -> str | None:
    try:
        found = SimpleCookie(header).get(TOKEN_COOKIE)
    except CookieError:
        return None
    return found.value if found is not None else None
