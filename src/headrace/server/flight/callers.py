"""Who sends a request: by the same tokens as over HTTP, and with the cookie of a session."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any

import pyarrow.flight as flight

from headrace.errors import InterfaceError
from headrace.model.access_token import Principal
from headrace.server.access import Access, Caller
from headrace.server.flight.cookies import SessionCookies
from headrace.server.flight.errors import as_flight_errors

COOKIE = "headrace_session"
CALLER = "headrace.caller"
"""The name by which a request knows who sends it."""
Headers = Mapping[str, Sequence[str | bytes]]


@dataclass(frozen=True)
class FlightCaller:
    principal: Principal
    session: str | None
    """What its cookie names; None without a cookie."""

    @property
    def user(self) -> str:
        return self.principal.name


class CallerOfRequest(flight.ServerMiddleware):  # type: ignore[misc]
    def __init__(self, caller: FlightCaller, answer: Mapping[str, str]) -> None:
        self.caller = caller
        self._answer = answer

    def sending_headers(self) -> Mapping[str, str]:
        return self._answer


class CallerFactory(flight.ServerMiddlewareFactory):  # type: ignore[misc]
    """Admits a request, or refuses it before anything of it is read.

    A client that keeps cookies gets one with the first answer. One that does not gets it in vain.
    """

    def __init__(self, access: Access, address: str, cookies: SessionCookies) -> None:
        self._access = access
        self._address = address
        self._cookies = cookies

    def start_call(self, info: Any, headers: Headers) -> CallerOfRequest:
        with as_flight_errors():
            authorization = bearer(first(headers, "authorization"))
            principal = self._access.principal(Caller(self._address, authorization))
            cookie = _cookie(first(headers, "cookie"))
            answer = {}
            if authorization is not None and info.method is flight.FlightMethod.HANDSHAKE:
                answer["authorization"] = authorization  # to be sent with all further requests
            if cookie is None:
                answer["set-cookie"] = f"{COOKIE}={self._cookies.issue(principal.name)}; Path=/; HttpOnly"
                return CallerOfRequest(FlightCaller(principal, None), answer)
            session = self._cookies.session_in(cookie, principal.name)
            return CallerOfRequest(FlightCaller(principal, session), answer)


class Handshake(flight.ServerAuthHandler):  # type: ignore[misc]
    """Some drivers ask for a handshake; by then the request was admitted like any other."""

    def authenticate(self, outgoing: Any, incoming: Any) -> None:
        """Its answer is in the headers."""

    def is_valid(self, token: bytes) -> bytes:
        return b""


def bearer(authorization: str | None) -> str | None:
    """Drivers that know a user and a password send the token as the password; the user's name is free."""
    scheme, _, encoded = (authorization or "").partition(" ")
    if scheme.lower() != "basic":
        return authorization
    try:
        _, _, token = base64.b64decode(encoded.strip()).decode().partition(":")
    except ValueError:
        raise InterfaceError(
            "the user and password of the request cannot be read", hint="send the token as the password"
        ) from None
    return f"Bearer {token}"


def first(headers: Headers, name: str) -> str | None:
    found = next(iter(headers.get(name, ())), None)
    return found.decode(errors="replace") if isinstance(found, bytes) else found


def _cookie(header: str | None) -> str | None:
    try:
        found = SimpleCookie(header or "").get(COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value
