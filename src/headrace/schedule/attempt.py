"""One attempt of a run while it is under way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from headrace.model.task import RunState, Task, TaskRun
from headrace.schedule.run_log import RunLog


class Attempt:
    """Whoever carries it out writes here; whoever watches it stops it here."""

    def __init__(self, task: Task, run: TaskRun, log: RunLog | None = None) -> None:
        self.task = task
        self.run = run
        self.log = log or RunLog()
        self.job_ids: list[str] = []
        self.stopped_as: RunState | None = None
        """Set once it is to end, and as what."""
        self.stopped_because = ""
        self._stop: Callable[[], None] | None = None
        self._reported = ("", 0)
        self._lock = threading.Lock()

    def progress(self) -> TaskRun | None:
        """The run with its log and jobs so far; None if nothing is new since the last call."""
        found = self.log.text, len(self.job_ids)
        if found == self._reported:
            return None
        self._reported = found
        return replace(self.run, log=found[0], job_ids=tuple(self.job_ids))

    def on_stop(self, stop: Callable[[], None] | None) -> None:
        """``stop`` ends what is being done from now on; called at once if it is to end already."""
        with self._lock:
            self._stop = stop
            is_stopped = self.stopped_as is not None
        if stop is not None and is_stopped:
            stop()

    def stop(self, state: RunState, because: str) -> None:
        """The first one that says so decides."""
        with self._lock:
            if self.stopped_as is not None:
                return
            self.stopped_as, self.stopped_because = state, because
            stop = self._stop
        if stop is not None:
            stop()
