"""The rows of one statement: written once, read any number of times, also while they are being written.

Rows come in segments, the partitions of a query, several of them at once; a reader sees one segment after the
other. What does not stay in memory is written to a file without a name, which is gone as soon as the process
is, however that ends.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from headrace.errors import Error, InterfaceError, InternalError, OperationalError
from headrace.result import END_OF_STREAM
from headrace.results.budget import Budget, Usage
from headrace.results.source import Chunk, Message
from headrace.results.spool_file import FilePlace, SpoolFile

CHUNK_BYTES = 4 << 20
"""A chunk ends with the batch that reaches this size."""
_WAIT_SECONDS = 60.0
RUN_AGAIN = "run the statement again"


@dataclass(frozen=True)
class _Batch:
    place: bytes | FilePlace
    rows: int

    def load(self) -> Message:
        data = self.place if isinstance(self.place, bytes) else self.place.read()
        return Message(data, self.rows)


@dataclass(eq=False)
class _Segment:
    """One that is not yet the next to be read, or is still written."""

    batches: list[_Batch] = field(default_factory=list)
    is_complete: bool = False


class Spool:
    """Any thread may use it."""

    def __init__(self, budget: Budget, directory: Path | None) -> None:
        """``directory`` is where files are made; None where the budget has room in memory for everything."""
        self.usage = Usage()
        self.schema = pa.schema([])
        self.last_used = time.monotonic()
        self._budget = budget
        self._directory = directory
        self._file: SpoolFile | None = None
        self._changed = threading.Condition()
        self._batches: list[_Batch] = []
        """In order, up to what has come of the segment that is read next."""
        self._ends: list[int] = []
        """The number of rows up to the end of each batch."""
        self._segments: dict[int, _Segment] = {}
        self._head = 0
        """The segment whose batches go into the list as they come; those of later ones wait."""
        self._head_start = 0
        self._rows_given = 0
        self._is_complete = False
        self._error: Error | None = None
        self._threshold: tuple[int, Callable[[], None]] | None = None

    @property
    def rows(self) -> int:
        return self._ends[-1] if self._ends else 0

    @property
    def is_complete(self) -> bool:
        return self._is_complete

    @property
    def error(self) -> Error | None:
        return self._error

    def notify_above(self, size: int, call: Callable[[], None]) -> None:
        """``call`` is called once, as soon as the spool holds more bytes than that."""
        self._threshold = size, call

    def begin(self, schema: pa.Schema) -> None:
        self.schema = schema

    def segment(self, number: int) -> SegmentWriter:
        """One that was begun before is written anew: Spark computes a partition again that it has lost."""
        segment = _Segment()
        with self._changed:
            self._expect_writable()
            if number < self._head:  # a second attempt of a task whose first one succeeded
                return SegmentWriter(self, segment)
            if number == self._head and len(self._batches) > self._head_start:
                self._take_back_head()
            self._segments[number] = segment
        return SegmentWriter(self, segment)

    def finish(self, segments: int) -> None:
        """All rows are there."""
        with self._changed:
            self._expect_writable()
            if self._head != segments:
                self._error = InternalError(f"{segments - self._head} of {segments} partitions are missing")
            self._is_complete = self._error is None
            self.last_used = time.monotonic()
            self._changed.notify_all()
            self._expect_writable()

    def fail(self, error: Error) -> None:
        """Rows that are there can be read, and then comes the error. The first one counts."""
        with self._changed:
            self._error = self._error or error
            self._is_complete = False
            self._changed.notify_all()

    def close(self, reason: str = "the rows of the statement are no longer available") -> None:
        """Its memory and its file are free at once; whoever reads or writes gets an error."""
        with self._changed:
            self._error = InterfaceError(reason, hint=RUN_AGAIN)
            self._is_complete = False
            self._batches, self._ends, self._segments, self._file = [], [], {}, None
            self._changed.notify_all()
        self._budget.give_back(self.usage)

    def store(self, segment: _Segment, message: Message) -> None:
        """Writes first and publishes then, so that nobody reads what is not there."""
        with self._changed:
            self._expect_writable()
        try:
            stays = self._budget.take(self.usage, len(message.data))
            place = message.data if stays else self._spool_file().append(message.data)
        except Error as error:
            self.fail(error)
            raise
        with self._changed:
            self._expect_writable()
            segment.batches.append(_Batch(place, message.rows))
            self._advance()
        self._announce()

    def complete(self, segment: _Segment) -> None:
        with self._changed:
            segment.is_complete = True
            self._advance()

    def read(self, row: int, wait_seconds: float) -> Chunk:
        """From the batch with the row on; no batch if none has come in time."""
        deadline = time.monotonic() + wait_seconds
        with self._changed:
            while row >= self.rows and not self._is_complete:
                if self._error is not None:
                    raise self._error
                left = deadline - time.monotonic()
                if left <= 0:
                    return Chunk((), row, is_last=False)
                self._changed.wait(left)
            chosen, first_row, is_last = self._choose(row)
        return Chunk(tuple(batch.load() for batch in chosen), first_row, is_last)

    def _choose(self, row: int) -> tuple[list[_Batch], int, bool]:
        start = stop = bisect_right(self._ends, row)
        size = 0
        while stop < len(self._batches) and size < CHUNK_BYTES:
            size += len(self._batches[stop].place)
            stop += 1
        first_row = self._ends[start - 1] if start else 0
        self._rows_given = max(self._rows_given, self._ends[stop - 1] if stop else 0)
        self.last_used = time.monotonic()
        return self._batches[start:stop], first_row, self._is_complete and stop == len(self._batches)

    def _advance(self) -> None:
        """Batches that are next move into the list."""
        while (segment := self._segments.get(self._head)) is not None:
            for batch in segment.batches:
                self._batches.append(batch)
                self._ends.append(self.rows + batch.rows)
            segment.batches.clear()
            if not segment.is_complete:
                break
            del self._segments[self._head]
            self._head += 1
            self._head_start = len(self._batches)
        self._changed.notify_all()

    def _take_back_head(self) -> None:
        start = self._ends[self._head_start - 1] if self._head_start else 0
        if self._rows_given > start:
            self._error = OperationalError(
                "a part of the result was lost and computed again after its rows were read", hint=RUN_AGAIN
            )
            self._changed.notify_all()
            raise self._error
        del self._batches[self._head_start :], self._ends[self._head_start :]

    def _expect_writable(self) -> None:
        if self._error is not None:
            raise self._error

    def _spool_file(self) -> SpoolFile:
        with self._changed:
            self._expect_writable()
            if self._file is None:
                self._file = SpoolFile(self._directory)
            return self._file

    def _announce(self) -> None:
        with self._changed:
            threshold = self._threshold
            if threshold is None or self.usage.total <= threshold[0]:
                return
            self._threshold = None
        threshold[1]()


class SegmentWriter:
    def __init__(self, spool: Spool, segment: _Segment) -> None:
        self._spool = spool
        self._segment = segment

    def append(self, message: Message) -> None:
        self._spool.store(self._segment, message)

    def end(self) -> None:
        self._spool.complete(self._segment)


def write_table(table: pa.Table, spool: Spool) -> None:
    """A table that is in memory anyway, as the only segment."""
    spool.begin(table.schema)
    segment = spool.segment(0)
    for batch in table.to_batches():
        segment.append(Message.of(batch))
    segment.end()
    spool.finish(1)


def read_batches(spool: Spool) -> Iterator[pa.RecordBatch]:
    """As they come; the error of the spool where there is one."""
    row, is_last = 0, False
    while not is_last:
        chunk = spool.read(row, _WAIT_SECONDS)
        for message in chunk.messages:
            yield message.batch(spool.schema)
        row, is_last = chunk.next_row, chunk.is_last


def whole_stream(spool: Spool) -> bytes:
    """Of a small result that is complete: Arrow's streaming format."""
    messages = spool.read(0, 0).messages
    return b"".join((spool.schema.serialize(), *(each.data for each in messages), END_OF_STREAM))
