"""Change scans that results still read from: a SELECT is fetched after its statement has ended."""

from __future__ import annotations

import weakref
from collections import deque
from contextlib import ExitStack, suppress

from headrace.lake.spark.spark_rows import SparkRows


class HeldScans:
    """Closed once their result is gone, by whoever comes next: Java is not called while objects end."""

    def __init__(self) -> None:
        self._held: set[ExitStack] = set()
        self._over: deque[ExitStack] = deque()

    def hold(self, rows: SparkRows, scans: ExitStack) -> None:
        self._held.add(scans)
        weakref.finalize(rows.spark(), self._over.append, scans)

    def close_unused(self) -> None:
        with suppress(IndexError):
            while True:
                self._close(self._over.popleft())

    def close(self) -> None:
        for scans in list(self._held):
            self._close(scans)

    def _close(self, scans: ExitStack) -> None:
        self._held.discard(scans)
        scans.close()
