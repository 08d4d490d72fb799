"""A lake that a server has open: no Spark here."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx

from headrace.api import LONGEST_PAGE, LONGEST_WAIT, Api
from headrace.connection import Connection, Parameters
from headrace.errors import Error, InterfaceError
from headrace.model.names import TableName
from headrace.remote_rows import RemoteRows
from headrace.remote_writer import RemoteWriter
from headrace.result import Result
from headrace.sql.tokens.positions import moved
from headrace.sql.tokens.split import StatementText
from headrace.stream_writer import WriterTransport
from headrace.wire import ARROW_STREAM, decode_error, encode_parameters

_FIRST_WAIT_SECONDS = 0.5
"""How long a statement may take before its id is state, by which it can be watched and cancelled."""


@dataclass(eq=False)
class _Asked:
    """A statement that a thread waits for."""

    job: str | None = None
    is_cancelled: bool = False
    """Before its id was known."""


class RemoteConnection(Connection):
    def __init__(self, url: str, token: str | None = None) -> None:
        self._api: Api | None = Api(url, token)
        self._running: set[_Asked] = set()
        self._lock = threading.Lock()
        try:
            opened = self._ask("POST", "/sessions").json()
        except BaseException:
            self._api.close()
            raise
        self._session: str = opened["session"]
        self._workspace: str = opened["workspace"]
        self._schema: str = opened["schema"]

    def cancel(self) -> None:
        self._expect_open()
        with self._lock:
            running = list(self._running)
            for asked in running:
                asked.is_cancelled = True
        for asked in running:
            self._cancel(asked)

    def progress(self) -> str | None:
        self._expect_open()
        with self._lock:
            jobs = [asked.job for asked in self._running if asked.job is not None]
        for job in jobs:
            state = self._ask("GET", f"/statements/{job}").json()
            words = None if state["ended"] else progress_words(state)
            if words is not None:
                return words
        return None

    def _writer_transport(self, table: TableName) -> WriterTransport:
        return RemoteWriter(self._open_api(), table)

    def table_names(self) -> list[str]:
        path = f"/schemas/{self._workspace}/{self._schema}/objects"
        return sorted(each["name"] for each in self._open_api().items(path, limit=LONGEST_PAGE))

    @property
    def workspace(self) -> str:
        return self._workspace

    @property
    def schema(self) -> str:
        return self._schema

    def close(self) -> None:
        api, self._api = self._api, None
        if api is not None:
            with suppress(Error):  # the server forgets it anyway
                api.ask("DELETE", f"/sessions/{self._session}")
            api.close()

    def _expect_open(self) -> None:
        self._open_api()

    def _open_api(self) -> Api:
        if self._api is None:
            raise InterfaceError("the connection is closed")
        return self._api

    def _execute(self, script: str, statement: StatementText, parameters: Parameters | None) -> Result:
        try:
            return self._answer(statement.text, parameters)
        except Error as error:
            if error.place is not None:
                error.place = moved(error.place, statement.text, script, statement.offset)
            raise

    def _answer(self, text: str, parameters: Parameters | None) -> Result:
        statement = {
            "session": self._session,
            "statement": text,
            "parameters": encode_parameters(parameters),
            "wait_seconds": _FIRST_WAIT_SECONDS,
            "wait_for": "rows",
        }
        asked = _Asked()
        with self._lock:
            self._running.add(asked)
        try:
            state = self._ask("POST", "/statements", json=statement).json()
            state = self._wait_for(asked, state)
            if state["error"] is not None:
                raise decode_error(state["error"])
            rows = RemoteRows(partial(self._open_rows, state["job_id"]), state["types"])
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                self._cancel(asked)
            self._forget(asked)
            raise
        if state["ended"]:
            self._forget(asked)
        else:
            weakref.finalize(rows, self._forget, asked)
        self._workspace, self._schema = state["workspace"], state["schema"]
        return Result(rows, tuple(state["notices"]), state["row_count"])

    def _wait_for(self, asked: _Asked, state: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            asked.job = state["job_id"]
        if asked.is_cancelled:
            self._cancel(asked)
        while not state["ended"] and not state["rows_ready"]:
            path = f"/statements/{asked.job}"
            wait = {"wait_seconds": LONGEST_WAIT, "wait_for": "rows"}
            state = self._ask("GET", path, params=wait).json()
        return state

    def _forget(self, asked: _Asked) -> None:
        with self._lock:
            self._running.discard(asked)

    def _cancel(self, asked: _Asked) -> None:
        if asked.job is not None:
            self._ask("POST", f"/statements/{asked.job}/cancel")

    def _open_rows(self, job: str, row: int) -> httpx.Response:
        return self._open_api().open(f"/statements/{job}/rows", {"Accept": ARROW_STREAM}, offset=row)

    def _ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self._open_api().ask(method, path, **options)


def progress_words(state: Mapping[str, Any]) -> str | None:
    """Of the state of a statement, as a server answers it."""
    if state["state"] == "RESUMING_CLUSTER":
        return f"starting cluster {state['cluster'].upper()} ..."
    if state["progress"] is not None or state["state"] != "RUNNING":
        return str(state["progress"] or state["state"].replace("_", " ").lower())
    return None
