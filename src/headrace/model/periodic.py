"""Work that is repeated at an interval, in a thread of its own, and whether it still does."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod

from headrace.errors import Error
from headrace.model.events import log_event

_LATE_INTERVALS = 5
_LATE_SECONDS = 30.0
"""A round may take that long, however short the interval is."""


class PeriodicLoop(ABC):
    """No exception ends it: each is logged with its trace, told in ``trouble``, and the next round comes."""

    def __init__(self, name: str, look_seconds: float) -> None:
        self._name = name
        self.look_seconds = look_seconds
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._last_round = time.monotonic()
        self.trouble: str | None = None
        """Why the last look failed."""

    @abstractmethod
    def look(self) -> None: ...

    def start(self) -> None:
        self._last_round = time.monotonic()
        self._thread = threading.Thread(target=self._run, daemon=True, name=self._name)
        self._thread.start()

    def stop_looking(self, *, join: bool = True) -> None:
        """Waits for a look that is going on, unless it may take long."""
        self._stopping.set()
        if join and self._thread is not None:
            self._thread.join()

    def problem(self, now: float | None = None) -> str | None:
        """Why it cannot be relied on; None where it works or was not started. ``now`` is monotonic."""
        if self._thread is None or self._stopping.is_set():
            return self.trouble
        if not self._thread.is_alive():
            return f"its thread has ended; restart the server{_after(self.trouble)}"
        age = (time.monotonic() if now is None else now) - self._last_round
        if age > self.look_seconds + max(_LATE_INTERVALS * self.look_seconds, _LATE_SECONDS):
            return f"its last round ended {age:.0f} seconds ago{_after(self.trouble)}"
        return self.trouble

    def report(self, error: Exception) -> None:
        """Logs what went wrong, once for as long as it stays the same."""
        trouble = (
            error.message if isinstance(error, Error) else f"{type(error).__name__}: see the server's log"
        )
        if trouble != self.trouble:
            log_event("loop failed", level=logging.ERROR, exception=error, loop=self._name)
        self.trouble = trouble

    def _run(self) -> None:
        while not self._stopping.wait(self.look_seconds):
            try:
                self.look()
            except Exception as error:  # noqa: BLE001  (the thread must outlive whatever goes wrong)
                self.report(error)
            else:
                self._works()
            self._last_round = time.monotonic()

    def _works(self) -> None:
        if self.trouble is not None:
            log_event("loop works again", loop=self._name)
        self.trouble = None


def _after(trouble: str | None) -> str:
    return f"; before that: {trouble}" if trouble else ""
