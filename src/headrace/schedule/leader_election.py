"""Which of several servers schedules."""

from __future__ import annotations

import math
import secrets
import time
from contextlib import suppress

from headrace.catalog.leases import SCHEDULER_LEASE, Leases
from headrace.errors import Error
from headrace.model.clock import system_clock

LEASE_SECONDS = 10.0


class Leadership:
    """By a lease that is renewed at each look; whoever looks after it ran out has it next."""

    def __init__(self, leases: Leases, seconds: float = LEASE_SECONDS) -> None:
        self._leases = leases
        self._holder = secrets.token_hex(8)
        self._seconds = seconds
        self._taken_at = -math.inf

    def holds(self) -> bool:
        """Renews the lease once a third of it has passed."""
        now = time.monotonic()
        if now - self._taken_at < self._seconds / 3:
            return True
        held = self._leases.take(SCHEDULER_LEASE, self._holder, system_clock(), self._seconds)
        self._taken_at = now if held else -math.inf
        return held

    def release(self) -> None:
        """Where the database is out of reach, the lease runs out by itself."""
        with suppress(Error):
            self._leases.release(SCHEDULER_LEASE, self._holder)
