"""Rows streamed into a table of a lake that this process has open."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from headrace.ingest.stream_writers.requests import WriteRequest
from headrace.ingest.stream_writers.stream_writes import StreamWrites
from headrace.lake.write_ahead.segment import WriteMode
from headrace.model.arrow_rows import fitted
from headrace.model.names import TableName
from headrace.stream_writer import WriteMode as ModeName
from headrace.stream_writer import WriterStart


class EmbeddedWriter:
    def __init__(self, writes: StreamWrites, table: TableName) -> None:
        self._writes = writes
        self._table = table

    def start(self, client: str) -> WriterStart:
        state = self._writes.state(self._table, client)
        return WriterStart(state.target.schema, state.last_sequence)

    def write(self, client: str, sequence: int, mode: ModeName, key: Sequence[str], rows: pa.Table) -> None:
        request = WriteRequest(client, sequence, WriteMode(mode), tuple(key))
        self._writes.write(self._table, request, lambda schema: fitted(rows, schema))

    def flush(self) -> None:
        self._writes.flush(self._table)

    def end(self, client: str) -> None:
        self._writes.end(self._table, client)
