"""The rows of a statement that a server runs: read as they come, from the connection."""

from __future__ import annotations

import io
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import httpx
import pyarrow as pa

from headrace.errors import NotSupportedError, OperationalError
from headrace.result import END_OF_STREAM, from_stream

OpenRows = Callable[[int], httpx.Response]
"""Requests the rows from the one with this number on."""


class RemoteRows:
    """A small result is fetched at once; a large one when it is read, each time anew."""

    def __init__(self, open_rows: OpenRows, types: list[str]) -> None:
        self._open = open_rows
        self._types = types
        self._table: pa.Table | None = None
        self._body: _Body | None = None
        """Opened, and not yet read."""
        response = open_rows(0)
        if "content-length" in response.headers:
            with closing(response):
                self._table = from_stream(response.read())
            self._schema = self._table.schema
        else:
            self._body = _Body(response)
            self._schema = self._body.schema
            weakref.finalize(self, response.close)

    @property
    def types(self) -> list[tuple[str, str]]:
        return list(zip(self._schema.names, self._types, strict=True))

    def arrow(self) -> pa.Table:
        if self._table is None:
            self._table = self.reader().read_all()
        return self._table

    def reader(self) -> pa.RecordBatchReader:
        if self._table is not None:
            return self._table.to_reader()
        body, self._body = self._body, None
        return pa.RecordBatchReader.from_batches(self._schema, self._batches(body))

    def spark(self) -> Any:
        raise NotSupportedError(
            "a connection to a server has no Spark session",
            hint="use .df() or .arrow(), or connect to the lake's directory",
        )

    def _batches(self, body: _Body | None) -> Iterator[pa.RecordBatch]:
        """Where the stream is cut off, the rest is requested; if there is none, that says why."""
        row = 0
        while body is None or not body.is_whole:
            before = row
            body = body or _Body(self._open(row))
            with closing(body):
                for batch in body.batches():
                    row += batch.num_rows
                    yield batch
            if not body.is_whole:
                if row == before:
                    raise _cut_off()
                body = None


def _cut_off() -> OperationalError:
    return OperationalError(
        "the connection to the server was lost before all rows were read", hint="run the statement again"
    )


class _Body(io.RawIOBase):
    """The body of a response as a file, which remembers whether it has ended as a stream of Arrow ends."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._parts = response.iter_bytes()
        self._rest = memoryview(b"")
        self._tail = b""
        try:
            self._reader: pa.RecordBatchReader = pa.ipc.open_stream(io.BufferedReader(self))
        except (pa.ArrowInvalid, OSError):
            self.close()
            raise _cut_off() from None

    @property
    def schema(self) -> pa.Schema:
        return self._reader.schema

    @property
    def is_whole(self) -> bool:
        return self._tail == END_OF_STREAM

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Up to the end, or to where it is cut off."""
        try:
            for batch in self._reader:
                if batch.num_rows:
                    yield batch
        except (pa.ArrowInvalid, OSError):
            if self.is_whole:
                raise

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        while not self._rest:
            try:
                part = next(self._parts)
            except (StopIteration, httpx.HTTPError):
                return 0
            self._rest = memoryview(part)
            self._tail = (self._tail + part[-len(END_OF_STREAM) :])[-len(END_OF_STREAM) :]
        count = min(len(target), len(self._rest))
        target[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def close(self) -> None:
        self._response.close()
        super().close()
