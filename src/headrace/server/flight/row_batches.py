"""The rows of a statement as Flight sends them: batch by batch as they come, none of them kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from typing import Any

import pyarrow as pa
import pyarrow.flight as flight

from headrace.errors import Cancelled, Error
from headrace.results.source import Chunk, Message, RowSource
from headrace.server.flight.errors import as_flight_errors
from headrace.server.statements import Statement

LARGEST_BATCH = 4 << 20
"""Bytes. Clients refuse messages that are much larger: of ADBC's driver the limit is 16 MB."""
_READ_SECONDS = 60.0
"""A source answers within a few, whether it has rows or not."""
_END_SECONDS = 5.0


def row_stream(statement: Statement, rows: RowSource, is_cancelled: Callable[[], bool]) -> Any:
    return flight.GeneratorStream(rows.schema, _batches(statement, rows, is_cancelled))


def _batches(
    statement: Statement, rows: RowSource, is_cancelled: Callable[[], bool]
) -> Iterator[pa.RecordBatch]:
    """The client's reading sets the pace. If it stops before the end, the statement is cancelled soon."""
    is_over = False
    try:
        with as_flight_errors():
            for message in _messages(statement, rows, is_cancelled):
                yield from parts_of(message, rows.schema)
        is_over = True
    finally:
        if not is_over:
            statement.abandoned_at = time.monotonic()


def _messages(statement: Statement, rows: RowSource, is_cancelled: Callable[[], bool]) -> Iterator[Message]:
    row, is_last = 0, False
    while not is_last:
        if is_cancelled():
            raise Cancelled("the client has cancelled the request")
        statement.note_reading()
        chunk = _read(statement, rows, row)
        yield from chunk.rows_between(row, None, rows.schema)
        row, is_last = max(row, chunk.next_row), chunk.is_last


def _read(statement: Statement, rows: RowSource, row: int) -> Chunk:
    """Where the statement failed its own error says more than that its rows are gone."""
    try:
        return rows.read(row).result(_READ_SECONDS)
    except Error:
        wait([statement.ended], _END_SECONDS)
        if statement.error is not None:
            raise statement.error from None
        raise


def parts_of(message: Message, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """A row is never cut."""
    batch = message.batch(schema)
    count = min(message.rows, -(-len(message.data) // LARGEST_BATCH))
    if count <= 1:
        yield batch
        return
    size = -(-message.rows // count)
    for start in range(0, message.rows, size):
        yield batch.slice(start, size)
