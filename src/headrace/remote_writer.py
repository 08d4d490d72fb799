"""Rows streamed into a table of a lake that a server has open."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from urllib.parse import quote

import pyarrow as pa

from headrace.api import Api
from headrace.model.names import TableName
from headrace.stream_writer import WriteMode, WriterStart
from headrace.wire import ARROW_STREAM


class RemoteWriter:
    def __init__(self, api: Api, table: TableName) -> None:
        self._api = api
        self._path = f"/stream-writers/{quote(str(table), safe='')}"

    def start(self, client: str) -> WriterStart:
        state = self._api.get(self._path, client=client)
        columns = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(state["columns"])))
        return WriterStart(columns, state["last_sequence"])

    def write(self, client: str, sequence: int, mode: WriteMode, key: Sequence[str], rows: pa.Table) -> None:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, rows.schema) as stream:
            stream.write_table(rows)
        self._api.ask(
            "POST",
            self._path,
            params={"client": client, "sequence": sequence, "mode": mode, "key": list(key)},
            headers={"Content-Type": ARROW_STREAM},
            content=bytes(sink.getvalue()),
        )

    def flush(self) -> None:
        self._api.ask("POST", f"{self._path}/flush")

    def end(self, client: str) -> None:
        self._api.ask("DELETE", self._path, params={"client": client})
