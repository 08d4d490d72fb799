"""The results that a process stores: found by their statements, limited together."""

from __future__ import annotations

import threading
import time

from headrace.errors import InterfaceError, OperationalError
from headrace.results.budget import ResultLimits, Usage
from headrace.results.spool import RUN_AGAIN, Spool

_IN_USE_SECONDS = 60.0
"""A result that was completed or read so recently is not deleted to make room for others."""


class Spools:
    """Any thread may use it. To make room, complete results are deleted, the longest unused first."""

    def __init__(self, limits: ResultLimits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._spools: dict[str, Spool] = {}
        self._sessions: dict[str, str] = {}
        """By the ids of statements."""
        self._usage = Usage()

    def open(self, job: str, session: str = "") -> Spool:
        spool = Spool(self, self._limits.directory)
        with self._lock:
            self._spools[job] = spool
            self._sessions[job] = session
        return spool

    def find(self, job: str) -> Spool:
        with self._lock:
            spool = self._spools.get(job)
        if spool is None:
            raise InterfaceError(f"the rows of statement {job} are no longer available", hint=RUN_AGAIN)
        return spool

    def release(self, job: str) -> None:
        with self._lock:
            spool = self._spools.pop(job, None)
            self._sessions.pop(job, None)
        if spool is not None:
            spool.close()

    def release_session(self, session: str) -> None:
        """Results that are being computed are left to whoever computes them."""
        with self._lock:
            jobs = [
                job
                for job, spool in self._spools.items()
                if self._sessions[job] == session and spool.is_complete
            ]
        for job in jobs:
            self.release(job)

    def take(self, usage: Usage, size: int) -> bool:
        self._limits.expect_result_within(usage.total + size)
        self._make_room(size)
        with self._lock:
            in_memory = self._limits.fits_in_memory(usage.memory + size, self._usage.memory + size)
            for counted in (usage, self._usage):
                if in_memory:
                    counted.memory += size
                else:
                    counted.disk += size
        return in_memory

    def give_back(self, usage: Usage) -> None:
        with self._lock:
            self._usage.memory -= usage.memory
            self._usage.disk -= usage.disk
            usage.memory = usage.disk = 0

    def _make_room(self, size: int) -> None:
        while self._is_full(size):
            with self._lock:
                unused = [job for job, spool in self._spools.items() if _is_unused(spool)]
                oldest = min(unused, key=lambda job: self._spools[job].last_used, default=None)
            if oldest is None:
                raise OperationalError(
                    f"the results that are being read or computed are larger than {self._limits.total_mb} MB",
                    hint="try again when some have been read; results_total_mb in lake.toml sets the limit",
                )
            self.release(oldest)

    def _is_full(self, size: int) -> bool:
        return self._usage.total + size > self._limits.total_mb << 20


def _is_unused(spool: Spool) -> bool:
    return spool.is_complete and time.monotonic() - spool.last_used > _IN_USE_SECONDS
