"""Who works on which table: one on the whole of it, or one on each of some partitions."""

from __future__ import annotations

import threading
import time
from collections import defaultdict


class TableLocks:
    """Whoever waits for a whole table comes before those who want a partition of it later."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._held: dict[str, set[str | None]] = defaultdict(set)
        """By table: keys of partitions, or None for the whole."""
        self._waiting: dict[str, int] = defaultdict(int)
        """How many wait for the whole of a table."""

    def acquire(self, table_id: str, partition: str | None, seconds: float) -> bool:
        """False if others did not end in time."""
        deadline = time.monotonic() + seconds
        with self._changed:
            self._waiting[table_id] += partition is None
            try:
                while not self._is_free(table_id, partition):
                    if not self._changed.wait(deadline - time.monotonic()):
                        return False
                self._held[table_id].add(partition)
            finally:
                self._waiting[table_id] -= partition is None
                self._changed.notify_all()
        return True

    def release(self, table_id: str, partition: str | None) -> None:
        with self._changed:
            self._held[table_id].discard(partition)
            self._changed.notify_all()

    def _is_free(self, table_id: str, partition: str | None) -> bool:
        held = self._held[table_id]
        if partition is None:
            return not held
        return not held & {None, partition} and not self._waiting[table_id]
