"""So many at a time, the others in the order they came."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class FairQueue:
    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._running = 0
        self._queue: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    @property
    def running(self) -> int:
        return self._running

    @property
    def waiting(self) -> int:
        return len(self._queue)

    def allow(self, at_once: int) -> None:
        with self._lock:
            self._at_once = at_once
            self._admit()

    @contextmanager
    def turn(self, queued: Callable[[], None]) -> Iterator[None]:
        """``queued`` is called if one has to wait."""
        mine = threading.Event()
        with self._lock:
            self._queue.append(mine)
            self._admit()
        try:
            if not mine.is_set():
                queued()
            mine.wait()
            yield
        finally:
            with self._lock:
                if mine.is_set():
                    self._running -= 1
                else:
                    self._queue.remove(mine)
                self._admit()

    def _admit(self) -> None:
        while self._queue and self._running < self._at_once:
            self._running += 1
            self._queue.popleft().set()
