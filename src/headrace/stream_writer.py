"""Rows streamed into a table: each write is durable when it returns, and in the table once."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Protocol, Self

import pyarrow as pa

from headrace.errors import (
    AccessDenied,
    DataError,
    Error,
    InterfaceError,
    OperationalError,
    SequenceGap,
)
from headrace.model.arrow_rows import as_table
from headrace.model.client_positions import checked_client

WriteMode = Literal["append", "upsert"]
_LARGEST_PART = 4 << 20
"""Bytes of one request, about."""
_FIRST_BREAK_SECONDS = 0.1
_LONGEST_BREAK_SECONDS = 2.0
_FINAL = (AccessDenied, SequenceGap)
"""What does not go away by waiting."""


@dataclass(frozen=True)
class WriterStart:
    """What a writer has to know before it writes."""

    columns: pa.Schema
    last_sequence: int


class WriterTransport(Protocol):
    """How requests reach the table."""

    def start(self, client: str) -> WriterStart: ...

    def write(self, client: str, sequence: int, mode: WriteMode, key: Sequence[str], rows: pa.Table) -> None:
        """Returns when the rows are durable."""

    def flush(self) -> None:
        """Returns when all rows are in the table."""

    def end(self, client: str) -> None:
        """The client will not write again."""


class StreamWriter:
    """Any thread may use it; requests go one after the other."""

    def __init__(
        self,
        transport: WriterTransport,
        mode: WriteMode,
        key: Sequence[str],
        client: str | None,
        retry_seconds: float,
    ) -> None:
        if mode not in ("append", "upsert"):
            raise InterfaceError(f"{mode!r} is not a mode", hint="modes are append and upsert")
        if isinstance(key, str):
            raise InterfaceError("key must be a list of columns", hint=f"key=[{key!r}]")
        self._transport = transport
        self._mode = mode
        self._key = tuple(key)
        self._is_own_client = client is None
        self.client = uuid.uuid4().hex if client is None else checked_client(client)
        self._retry_seconds = retry_seconds
        self._lock = threading.Lock()
        self._is_closed = False
        start: WriterStart = self._repeated(lambda: transport.start(self.client))
        self._columns, self._sequence = start.columns, start.last_sequence
        self._unanswered: pa.Table | None = None
        """The rows of a request that may have arrived or not."""

    @property
    def sequence(self) -> int:
        """The number of the last request that is durable."""
        return self._sequence

    def write(self, rows: Any) -> None:
        """Dicts, one dict, a DataFrame, or Arrow; durable when this returns.

        After an error, write the same rows again: they are kept once.
        """
        with self._lock:
            self._expect_open()
            for part in _parts(self._table(rows)):
                if self._unanswered is not None:
                    before = self._unanswered
                    self._send(before)
                    if before.equals(part):
                        continue
                self._send(part)

    def flush(self) -> None:
        """Commits what was written: it is in the Iceberg table when this returns."""
        with self._lock:
            self._expect_open()
            if self._unanswered is not None:
                self._send(self._unanswered)
            self._repeated(self._transport.flush)

    def close(self) -> None:
        """What was written stays durable, and is committed as all other rows are."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            if self._is_own_client:
                self._repeated(lambda: self._transport.end(self.client))

    def _table(self, rows: Any) -> pa.Table:
        try:
            return as_table(rows, self._columns)
        except DataError:
            columns = self._transport.start(self.client).columns
            if columns.equals(self._columns, check_metadata=True):
                raise
            self._columns = columns  # the table was altered
            return as_table(rows, columns)

    def _send(self, rows: pa.Table) -> None:
        self._unanswered = rows
        try:
            self._repeated(
                lambda: self._transport.write(self.client, self._sequence + 1, self._mode, self._key, rows)
            )
        except OperationalError:
            raise
        except Error:
            self._unanswered = None  # it was refused, and nothing of it is kept
            raise
        self._sequence += 1
        self._unanswered = None

    def _repeated(self, work: Any) -> Any:
        """As long as the server cannot be reached, or asks to wait."""
        until = time.monotonic() + self._retry_seconds
        seconds = _FIRST_BREAK_SECONDS
        while True:
            try:
                return work()
            except OperationalError as error:
                if isinstance(error, _FINAL) or time.monotonic() + seconds > until:
                    raise
            time.sleep(seconds)
            seconds = min(2 * seconds, _LONGEST_BREAK_SECONDS)

    def _expect_open(self) -> None:
        if self._is_closed:
            raise InterfaceError("the writer is closed")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _parts(rows: pa.Table) -> Iterator[pa.Table]:
    """Of a size that a request may have."""
    count = rows.num_rows
    if count == 0:
        return
    step = max(1, count * _LARGEST_PART // max(rows.nbytes, 1))
    for start in range(0, count, step):
        yield rows.slice(start, step)
