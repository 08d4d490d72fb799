"""A lake that a server has open: no Spark here."""

from __future__ import annotations

import threading
from importlib.metadata import version
from typing import Any

import httpx
import pyarrow as pa

from headrace.connection import Connection, Parameters
from headrace.errors import Error, InterfaceError, NotSupportedError, OperationalError
from headrace.result import Result, from_stream
from headrace.sql.split import StatementText
from headrace.sql.text import moved
from headrace.wire import ARROW_STREAM, decode_error, encode_parameters

_API = "/api/v1"
_WAIT_SECONDS = 20
"""How long one request may wait for a statement to end; then another one asks."""
_TIMEOUT = httpx.Timeout(10, read=_WAIT_SECONDS + 20)


class RemoteConnection(Connection):
    def __init__(self, url: str, token: str | None = None) -> None:
        self._url = url.rstrip("/")
        headers = {"User-Agent": f"headrace/{version('headrace')}"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        self._http: httpx.Client | None = httpx.Client(base_url=self._url, headers=headers, timeout=_TIMEOUT)
        self._running: set[str] = set()
        self._lock = threading.Lock()
        try:
            opened = self._ask("POST", "/sessions").json()
        except BaseException:
            self._http.close()
            raise
        self._session: str = opened["session"]
        self._workspace: str = opened["workspace"]
        self._schema: str = opened["schema"]

    def cancel(self) -> None:
        with self._lock:
            running = list(self._running)
        for job in running:
            self._ask("POST", f"/statements/{job}/cancel")

    def progress(self) -> str | None:
        with self._lock:
            running = list(self._running)
        for job in running:
            told = self._ask("GET", f"/statements/{job}").json()
            if told["progress"] is not None or told["state"] != "RUNNING":
                return str(told["progress"] or told["state"].replace("_", " ").lower())
        return None

    def table_names(self) -> list[str]:
        found = self._ask("GET", f"/schemas/{self._workspace}/{self._schema}/objects").json()
        return sorted(each["name"] for each in found["objects"])

    @property
    def workspace(self) -> str:
        return self._workspace

    @property
    def schema(self) -> str:
        return self._schema

    def close(self) -> None:
        http, self._http = self._http, None
        if http is not None:
            try:
                http.delete(f"{_API}/sessions/{self._session}")
            except httpx.HTTPError:
                pass
            finally:
                http.close()

    def _expect_open(self) -> None:
        if self._http is None:
            raise InterfaceError("the connection is closed")

    def _execute(self, script: str, statement: StatementText, parameters: Parameters | None) -> Result:
        try:
            return self._answer(statement.text, parameters)
        except Error as error:
            if error.place is not None:
                error.place = moved(error.place, statement.text, script, statement.offset)
            raise

    def _answer(self, text: str, parameters: Parameters | None) -> Result:
        asked = {
            "session": self._session,
            "statement": text,
            "parameters": encode_parameters(parameters),
            "wait_seconds": _WAIT_SECONDS,
        }
        told = self._ask("POST", "/statements", json=asked).json()
        job = told["job_id"]
        with self._lock:
            self._running.add(job)
        try:
            while not told["ended"]:
                told = self._ask("GET", f"/statements/{job}", params={"wait_seconds": _WAIT_SECONDS}).json()
        finally:
            with self._lock:
                self._running.discard(job)
        if told["error"] is not None:
            raise decode_error(told["error"])
        self._workspace, self._schema = told["workspace"], told["schema"]
        return Result(_RemoteRows(self._rows(job), told["types"]), tuple(told["notices"]))

    def _rows(self, job: str) -> pa.Table:
        answer = self._ask("GET", f"/statements/{job}/rows", headers={"Accept": ARROW_STREAM})
        return from_stream(answer.content)

    def _ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        self._expect_open()
        http = self._http
        if http is None:
            raise InterfaceError("the connection is closed")
        try:
            answer = http.request(method, _API + path, **options)
        except httpx.TimeoutException:
            raise OperationalError(f"the server at {self._url} does not answer") from None
        except httpx.HTTPError as error:
            raise OperationalError(
                f"the server at {self._url} cannot be reached: {error}", hint="is `headrace serve` running?"
            ) from None
        if answer.is_error:
            raise _refusal(answer, self._url)
        return answer


class _RemoteRows:
    def __init__(self, table: pa.Table, types: list[str]) -> None:
        self._table = table
        self._types = types

    @property
    def types(self) -> list[tuple[str, str]]:
        return list(zip(self._table.column_names, self._types, strict=True))

    def arrow(self) -> pa.Table:
        return self._table

    def spark(self) -> Any:
        raise NotSupportedError(
            "a connection to a server has no Spark of its own",
            hint="use .df() or .arrow(), or connect to the lake's directory",
        )


def _refusal(answer: httpx.Response, url: str) -> Error:
    try:
        return decode_error(answer.json()["error"])
    except (ValueError, KeyError, TypeError):
        return OperationalError(f"the server at {url} answered {answer.status_code} {answer.reason_phrase}")
