"""The rows of a statement as an HTTP response, which is sent as they come: an Arrow stream, or JSON.

The client's reading sets the pace: the next part is read from the result when the last one was sent. A
response that cannot be completed is cut off, so that no client takes it for a whole one; the same request
again gets the error.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping

import pyarrow as pa
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from headrace.errors import Error
from headrace.model.events import log_event
from headrace.model.json_value import json_value
from headrace.result import END_OF_STREAM
from headrace.results.source import Chunk, Message, RowSource
from headrace.server.statements import Statement

Messages = AsyncIterator[Message | None]


class RowReading:
    """One pass over the rows of a statement, or over a part of them."""

    def __init__(self, statement: Statement, source: RowSource, offset: int, limit: int | None) -> None:
        self.statement = statement
        self.schema: pa.Schema = source.schema
        self._source = source
        self._row = offset
        self._stop = None if limit is None else offset + limit
        self._next: Chunk | None = None

    async def begin(self) -> None:
        """An error that comes here can still be the whole answer."""
        self._next = await self._read()

    async def messages(self) -> Messages:
        """None where there are no new rows yet."""
        is_last = False
        while not is_last and (self._stop is None or self._row < self._stop):
            chunk, self._next = self._next or await self._read(), None
            for message in chunk.rows_between(self._row, self._stop, self.schema):
                yield message
            if not chunk.messages:
                yield None
            self._row, is_last = max(self._row, chunk.next_row), chunk.is_last

    async def _read(self) -> Chunk:
        self.statement.note_reading()
        return await asyncio.wrap_future(self._source.read(self._row))


class RowStream(StreamingResponse):
    def __init__(
        self,
        reading: RowReading,
        parts: AsyncIterator[bytes] | AsyncIterator[str],
        media_type: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(parts, media_type=media_type, headers=headers)
        self._statement = reading.statement
        self._is_over = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            if not self._is_over:
                self._statement.abandoned_at = time.monotonic()

    async def stream_response(self, send: Send) -> None:
        try:
            await super().stream_response(send)
        except Error as error:
            log_event("result stream cut off", id=self._statement.job.job_id, error=type(error).__name__)
        self._is_over = True


async def arrow_parts(reading: RowReading) -> AsyncIterator[bytes]:
    """While there are no new rows, an empty batch shows that the server is alive."""
    empty = Message.of(pa.RecordBatch.from_pylist([], reading.schema)).data
    yield bytes(reading.schema.serialize())
    async for message in reading.messages():
        yield empty if message is None else message.data
    yield END_OF_STREAM


async def json_parts(reading: RowReading) -> AsyncIterator[str]:
    named = zip(reading.schema.names, reading.statement.types, strict=True)
    columns = _as_json([{"name": name, "type": kind} for name, kind in named])
    yield f'{{"columns":{columns},"rows":['
    separator = ""
    async for message in reading.messages():
        if message is None:
            yield " "
        elif message.rows:
            yield separator + await run_in_threadpool(_json_rows, message, reading.schema)
            separator = ","
    yield "]}"


def _json_rows(message: Message, schema: pa.Schema) -> str:
    columns = [column.to_pylist() for column in message.batch(schema).columns]
    return _as_json([[json_value(value) for value in row] for row in zip(*columns, strict=True)])[1:-1]


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
