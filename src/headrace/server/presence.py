"""Servers of one lake, known to each other by leases; what one leaves behind the others end."""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import replace

from headrace.catalog.leases import Leases
from headrace.errors import Error
from headrace.features.jobs.store import Jobs
from headrace.model.clock import Clock
from headrace.model.events import log_event
from headrace.model.job import Job, JobState
from headrace.model.periodic import PeriodicLoop

LEASE_SECONDS = 30.0
_LOOK_SECONDS = LEASE_SECONDS / 5
_PREFIX = "server "
_INTERRUPTED = "the server stopped before the statement ended"


class Presence(PeriodicLoop):
    def __init__(self, jobs: Jobs, leases: Leases, clock: Clock, *, alone: bool) -> None:
        """``alone``: no other server can have the lake open."""
        super().__init__("presence", _LOOK_SECONDS)
        self._jobs = jobs
        self._leases = leases
        self._clock = clock
        self._alone = alone
        self._server = secrets.token_hex(8)

    def record(self, job: Job) -> None:
        """As one of this server's."""
        self._jobs.record(replace(job, server=self._server))

    def look(self) -> None:
        now = self._clock()
        leases = self._leases
        leases.take(_PREFIX + self._server, self._server, now, LEASE_SECONDS)
        present = {self._server}
        for lease in leases.holders_of(_PREFIX):
            if lease.holder != self._server and (self._alone or lease.until <= now):
                leases.release(lease.key, lease.holder)
                log_event("lease", lease="server", of=lease.holder, held=False)
            else:
                present.add(lease.holder)
        for job in self._jobs.unended():
            if job.server not in present:
                ended = replace(job, state=JobState.FAILED, end_time=now, error_message=_INTERRUPTED)
                self._jobs.record(ended)

    def leave(self) -> None:
        """Where the database is out of reach, the lease runs out by itself."""
        self.stop_looking()
        with suppress(Error):
            self._leases.release(_PREFIX + self._server, self._server)
