"""What an adapter for clients reads: any stored result, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import pyarrow as pa

from headrace.result import from_stream

INLINE_BYTES = 1 << 20
"""Results up to this size are handed on as a whole, as most are; larger ones are read in parts."""


class Message(NamedTuple):
    """One record batch as an encapsulated message of Arrow's IPC format."""

    data: bytes
    rows: int

    @classmethod
    def of(cls, batch: pa.RecordBatch) -> Message:
        return cls(batch.serialize().to_pybytes(), batch.num_rows)

    def batch(self, schema: pa.Schema) -> pa.RecordBatch:
        return pa.ipc.read_record_batch(pa.py_buffer(self.data), schema)


@dataclass(frozen=True)
class Chunk:
    """Consecutive batches of a result. None, and not the last chunk: there are no new rows yet."""

    messages: tuple[Message, ...]
    first_row: int
    """The number of the first row of the first batch."""
    is_last: bool

    @property
    def next_row(self) -> int:
        return self.first_row + sum(message.rows for message in self.messages)

    def rows_between(self, start: int, stop: int | None, schema: pa.Schema) -> Iterator[Message]:
        """Batches at the limits are cut."""
        row = self.first_row
        for message in self.messages:
            after = row + message.rows
            first = max(row, start)
            last = after if stop is None else min(after, stop)
            if (first, last) == (row, after):
                yield message
            elif first < last:
                yield Message.of(message.batch(schema).slice(first - row, last - first))
            row = after


class RowSource(Protocol):
    """The rows of a statement, which may still run."""

    @property
    def schema(self) -> pa.Schema: ...

    def read(self, row: int) -> Future[Chunk]:
        """From the batch that contains the row on. It fails where the statement failed after that row.

        It waits for rows, but for a few seconds only, so that whoever reads can tell that it is alive.
        """

    def release(self) -> None:
        """Nobody will read the rows any more."""


class InlineRows:
    """A small result, stored as a whole."""

    def __init__(self, stream: bytes) -> None:
        self.stream = stream

    @property
    def schema(self) -> pa.Schema:
        return pa.ipc.open_stream(self.stream).schema

    def read(self, row: int) -> Future[Chunk]:
        rest = from_stream(self.stream).slice(row)
        done: Future[Chunk] = Future()
        done.set_result(Chunk(tuple(map(Message.of, rest.to_batches())), row, is_last=True))
        return done

    def release(self) -> None:
        """It ends with its statement."""
