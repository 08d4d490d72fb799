"""A table that is streamed into, and what that takes."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import psutil
import pyarrow as pa
from tests.server.served import Served

from headrace.connection import Connection
from headrace.stream_writer import StreamWriter


@dataclass(frozen=True)
class Sample:
    seconds: float
    rows: int
    seen_seconds: float
    """How long a SELECT took that has seen the last row."""
    memory_mb: float
    pending_rows: int
    answers: list[float] = field(default_factory=list)
    """Seconds of the writes since the last sample."""

    def line(self) -> str:
        return (
            f"{self.seconds:.0f} s: {self.rows:,} rows, {self.pending_rows:,} pending before SELECT,"
            f" seen in {self.seen_seconds:.2f} s, {self.memory_mb:,.0f} MB"
        )


class StreamedTable:
    def __init__(self, served: Served, connection: Connection) -> None:
        self._served = served
        self._connection = connection
        connection.sql("CREATE SCHEMA ods")
        connection.sql("CREATE TABLE ods.events (id BIGINT, device STRING, value DOUBLE, note STRING)")
        self._answers: deque[float] = deque()
        self._written = 0
        self._lock = threading.Lock()

    def writer(self) -> StreamWriter:
        return self._connection.stream("ods.events")

    def write(self, writer: StreamWriter, rows: pa.Table) -> None:
        start = time.monotonic()
        writer.write(rows)
        self._answers.append(time.monotonic() - start)
        with self._lock:
            self._written += rows.num_rows

    @property
    def written(self) -> int:
        """Rows that were acknowledged."""
        with self._lock:
            return self._written

    def sample(self, seconds: float, rows: int) -> Sample:
        shown = self._served.get("/api/v1/stream-writers").json()["items"]
        pending = sum(each["pending_rows"] for each in shown)
        wanted = self.written
        start = time.monotonic()
        seen = self.count()
        took = time.monotonic() - start
        if seen < wanted:
            raise AssertionError(f"SELECT has seen {seen} of {wanted} rows that were acknowledged")
        answers = [self._answers.popleft() for _ in range(len(self._answers))]
        return Sample(seconds, rows, took, self._memory(), pending, answers)

    def count(self) -> int:
        return int(self._connection.sql("SELECT count(*) FROM ods.events").fetchall()[0][0])

    def _memory(self) -> float:
        found = 0
        for process in self._served.processes():
            with suppress(psutil.NoSuchProcess):
                found += process.memory_info().rss
        return found / 2**20


def percentile(values: Sequence[float], percent: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
