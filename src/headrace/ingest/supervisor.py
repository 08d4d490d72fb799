"""Runs pipes and syncs when they are due: each on one of the lake's servers, which holds its lease."""

from __future__ import annotations

import logging
import math
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Generic, Protocol, TypeVar
from zoneinfo import ZoneInfo

from headrace.catalog.leases import Leases
from headrace.errors import Error, InternalError
from headrace.features.pipes.model import Pipe
from headrace.features.syncs.model import Sync, SyncMode
from headrace.model.clock import Clock, system_clock
from headrace.model.events import log_event
from headrace.model.periodic import PeriodicLoop
from headrace.model.schedule_moments import moment_before
from headrace.model.task import IntervalSchedule

LEASE_SECONDS = 15.0
"""Another server takes over that long after this one has died."""
LOOK_SECONDS = 1.0
_LONGEST_BREAK = 10
"""Intervals between two runs of a pipe that fails."""
_RETRY = timedelta(minutes=1)
"""Of a batch sync, whose schedule may be a day."""
_UTC = ZoneInfo("UTC")


T = TypeVar("T", Pipe, Sync)


class Store(Protocol[T]):
    def all(self) -> list[T]: ...

    def record(self, pipe: T, progress: Any, /) -> None: ...


def is_due(pipe: Pipe | Sync, now: datetime, zone: ZoneInfo) -> bool:
    """A pipe that fails is run less often, the longer it has failed; ``zone`` is the lake's."""
    if pipe.settings.is_paused:
        return False
    if isinstance(pipe, Sync) and pipe.mode is SyncMode.BATCH:
        return _is_batch_due(pipe, now, zone)
    last, settings = pipe.progress.last_run_at, pipe.settings
    if last is None:
        return now >= pipe.created_at + timedelta(seconds=settings.initial_delay_seconds)
    breaks = min(pipe.progress.failures + 1, _LONGEST_BREAK)
    return now >= last + timedelta(seconds=settings.interval_seconds * breaks)


def _is_batch_due(sync: Sync, now: datetime, zone: ZoneInfo) -> bool:
    """At the moments of its schedule, and when it was created unless that says otherwise.

    A run that has failed is repeated after a minute, and later and later, without waiting for the schedule.
    """
    schedule, last, failures = sync.settings.schedule, sync.progress.last_run_at, sync.progress.failures
    if schedule is None:
        return False
    if last is not None and failures:
        return now >= last + _RETRY * min(failures, _LONGEST_BREAK)
    moment = moment_before(schedule, now, zone)
    if last is None and isinstance(schedule, IntervalSchedule):
        return moment is not None
    return moment is not None and moment > (last or sync.created_at)


class PipeSupervisor(PeriodicLoop, Generic[T]):
    def __init__(
        self,
        pipes: Store[T],
        leases: Leases,
        run: Callable[[T], None],
        clock: Clock,
        look_seconds: float = LOOK_SECONDS,
        lease_seconds: float = LEASE_SECONDS,
        kind: str = "pipe",
        zone: ZoneInfo = _UTC,
    ) -> None:
        """``run`` returns when the pipe, or whatever ``kind`` it is, has been run once."""
        super().__init__(f"{kind}s", look_seconds)
        self._kind = kind
        self._pipes: Store[T] = pipes
        self._leases = leases
        self._run_once: Callable[[T], None] = run
        self._clock = clock
        self._zone = zone
        self._lease_seconds = lease_seconds
        self._holder = secrets.token_hex(8)
        self._renewed_at: dict[str, float] = {}
        """Of leases that are held, by the monotonic clock."""
        self._running: dict[str, threading.Thread] = {}

    def look(self) -> None:
        now = self._clock()
        self._running = {key: thread for key, thread in self._running.items() if thread.is_alive()}
        known = {pipe.id: pipe for pipe in self._pipes.all()}
        for pipe_id in self._renewed_at.keys() - known.keys() - self._running.keys():
            self._release(pipe_id)
        for pipe in known.values():
            if pipe.id in self._running:
                self._holds(pipe.id)
            elif not pipe.settings.is_paused and self._holds(pipe.id) and is_due(pipe, now, self._zone):
                self._start(pipe)

    def stop(self, seconds: float) -> None:
        """Lets runs end, up to a limit; another server can go on at once."""
        self.stop_looking()
        until = time.monotonic() + seconds
        for thread in self._running.values():
            thread.join(max(0.0, until - time.monotonic()))
        for pipe_id in list(self._renewed_at):
            self._release(pipe_id)

    def _holds(self, pipe_id: str) -> bool:
        """Renews the lease once a third of it has passed."""
        now = time.monotonic()
        if now - self._renewed_at.get(pipe_id, -math.inf) < self._lease_seconds / 3:
            return True
        if self._leases.take(self._lease(pipe_id), self._holder, system_clock(), self._lease_seconds):
            self._renewed_at[pipe_id] = now
            return True
        self._renewed_at.pop(pipe_id, None)
        return False

    def _release(self, pipe_id: str) -> None:
        """Where the database is out of reach, the lease runs out by itself."""
        self._renewed_at.pop(pipe_id, None)
        with suppress(Error):
            self._leases.release(self._lease(pipe_id), self._holder)

    def _start(self, pipe: T) -> None:
        thread = threading.Thread(
            target=self._run_pipe, args=(pipe,), daemon=True, name=f"{self._kind} {pipe.name}"
        )
        self._running[pipe.id] = thread
        thread.start()

    def _run_pipe(self, pipe: T) -> None:
        started = self._clock()
        try:
            self._run_once(pipe)
        except Error as error:
            log_event(f"{self._kind} failed", subject=f"{self._kind} {pipe.name}", error=error.message)
            self._record_failure(pipe, error, started)
        except Exception as problem:  # noqa: BLE001  (nobody else hears of it)
            subject = f"{self._kind} {pipe.name}"
            log_event(f"{self._kind} failed", level=logging.ERROR, exception=problem, subject=subject)
            self._record_failure(pipe, InternalError.of(problem), started)

    def _record_failure(self, pipe: T, error: Error, started: datetime) -> None:
        """Unless the run itself has: it had not begun if there was no cluster for it."""
        current = next((each for each in self._pipes.all() if each.id == pipe.id), None)
        if current is not None and current.progress == pipe.progress:
            failures = current.progress.failures + 1
            progress = replace(
                current.progress, last_run_at=started, failures=failures, last_error=error.message
            )
            self._pipes.record(current, progress)

    def _lease(self, pipe_id: str) -> str:
        return f"{self._kind}:{pipe_id}"
