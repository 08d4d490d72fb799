"""The rows of a statement as a file: CSV or Parquet, sent as they come."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from starlette.concurrency import run_in_threadpool

from headrace.errors import NotSupportedError
from headrace.model.json_value import json_value
from headrace.results.source import Message
from headrace.server.row_stream import RowReading


class FileFormat(StrEnum):
    CSV = "csv"
    PARQUET = "parquet"


MEDIA_TYPES = {FileFormat.CSV: "text/csv", FileFormat.PARQUET: "application/vnd.apache.parquet"}


async def csv_parts(reading: RowReading) -> AsyncIterator[bytes]:
    """With a header; values are written as in JSON, NULL as nothing."""
    yield _csv([list(reading.schema.names)])
    async for message in reading.messages():
        if message is not None:
            yield await run_in_threadpool(_csv_rows, message, reading.schema)


async def parquet_parts(reading: RowReading) -> AsyncIterator[bytes]:
    sink = _Sink()
    writer = pq.ParquetWriter(sink, reading.schema)
    async for message in reading.messages():
        if message is not None:
            await run_in_threadpool(writer.write_batch, message.batch(reading.schema))
            yield sink.take()
    await run_in_threadpool(writer.close)
    yield sink.take()


class _Sink(io.RawIOBase):
    """Holds what was written and not yet taken."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def write(self, data: Any, /) -> int:
        part = bytes(data)
        self._parts.append(part)
        self._position += len(part)
        return len(part)

    def take(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


def check_parquet(schema: pa.Schema) -> None:
    """Raises where a column has a type that Parquet does not have."""
    try:
        pq.ParquetWriter(_Sink(), schema).close()
    except pa.ArrowException as error:
        raise NotSupportedError(
            f"the result cannot be written as Parquet: {error}", hint="cast the column, or use CSV"
        ) from None


def _csv_rows(message: Message, schema: pa.Schema) -> bytes:
    columns = [column.to_pylist() for column in message.batch(schema).columns]
    return _csv([[_cell(value) for value in row] for row in zip(*columns, strict=True)])


def _cell(value: object) -> object:
    """What JSON writes as an object or a list is its text."""
    found = json_value(value)
    return json.dumps(found, ensure_ascii=False) if isinstance(found, dict | list | bool) else found


def _csv(rows: list[list[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()
