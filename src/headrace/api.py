"""The HTTP API of a server, as its clients ask it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import httpx

from headrace.errors import Error, InterfaceError, OperationalError
from headrace.wire import decode_error

_API = "/api/v1"
LONGEST_WAIT = 20
"""How many seconds one request may wait for something to happen; then another one asks."""
LONGEST_PAGE = 10_000
"""How many items of a list one response may have."""
_TIMEOUT = httpx.Timeout(10, read=LONGEST_WAIT + 20)


class Api:
    """Any thread may use it."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self._url = url.rstrip("/")
        headers = {"User-Agent": f"headrace/{version('headrace-client')}"}
        if token is not None:
            headers["Authorization"] = f"Bearer {_checked(token)}"
        try:
            self._http = httpx.Client(base_url=self._url, headers=headers, timeout=_TIMEOUT)
        except (httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise InterfaceError(
                f"invalid server URL: {error}", hint="use a URL such as http://host:8642"
            ) from None

    def close(self) -> None:
        self._http.close()

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        with self._reachable():
            answer = self._http.request(method, _API + path, **options)
        if answer.is_error:
            raise _refusal(answer, self._url)
        return answer

    def open(self, path: str, headers: Mapping[str, str], **parameters: Any) -> httpx.Response:
        """A response whose body is yet to be read; it must be closed."""
        with self._reachable():
            request = self._http.build_request("GET", _API + path, headers=dict(headers), params=parameters)
            answer = self._http.send(request, stream=True)
            if answer.is_error:
                answer.read()
                raise _refusal(answer, self._url)
        return answer

    @contextmanager
    def lines(self, path: str, headers: Mapping[str, str], **parameters: str) -> Iterator[Iterator[str]]:
        """Of a response that goes on as long as the server has something to say."""
        with (
            self._reachable(),
            self._http.stream("GET", _API + path, headers=dict(headers), params=parameters) as answer,
        ):
            if answer.is_error:
                answer.read()
                raise _refusal(answer, self._url)
            yield answer.iter_lines()

    @contextmanager
    def _reachable(self) -> Iterator[None]:
        try:
            yield
        except httpx.TimeoutException:
            raise OperationalError(f"the server at {self._url} did not answer in time") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise OperationalError(
                f"the server at {self._url} cannot be reached: {error}", hint="is `headrace serve` running?"
            ) from None

    def get(self, path: str, **parameters: Any) -> Any:
        return self.ask("GET", path, params=parameters).json()

    def items(self, path: str, **parameters: Any) -> Iterator[Any]:
        """Of a list, page after page."""
        page: str | None = None
        while True:
            found = self.get(path, **parameters, **({} if page is None else {"page": page}))
            yield from found["items"]
            page = found["next_page"]
            if page is None:
                return


def _checked(token: str) -> str:
    """Without white space around it. No message shows a token."""
    checked = token.strip()
    if not checked:
        raise InterfaceError(
            "the token is empty", hint="set HEADRACE_TOKEN to a token, or unset it if the server needs none"
        )
    if not (checked.isascii() and checked.isprintable()) or " " in checked:
        raise InterfaceError(
            "the token contains characters that are not valid in a token",
            hint="copy it again, without spaces or quotes",
        )
    return checked


def _refusal(answer: httpx.Response, url: str) -> Error:
    try:
        return decode_error(answer.json()["error"])
    except (ValueError, KeyError, TypeError):
        return OperationalError(f"the server at {url} answered {answer.status_code} {answer.reason_phrase}")
