"""Leases: one holder of a key at a time, however many processes ask.

Moments are the askers' own, so a lease must last much longer than their clocks differ.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, func, or_, select

from headrace.catalog.row_access import Read, Write, insert_on_conflict
from headrace.catalog.schema import leases
from headrace.model.lease import Lease

SCHEDULER_LEASE = "scheduler"
"""Of the server that refreshes a lake's tables on schedule."""


class Leases:
    """Each method is one statement."""

    def __init__(self, write: Write, read: Read) -> None:
        self._write = write
        self._read = read

    def take(self, key: str, holder: str, now: datetime, seconds: float) -> bool:
        """Whether ``holder`` has it from now on: it was free or expired, or its own and is renewed."""
        with self._write() as connection:
            wanted = insert_on_conflict(connection, leases).values(
                key=key, holder=holder, until=now + timedelta(seconds=seconds)
            )
            new = wanted.excluded
            taken = wanted.on_conflict_do_update(
                index_elements=["key"],
                set_={"holder": new.holder, "until": new.until},
                where=or_(leases.c.holder == new.holder, leases.c.until <= now),
            )
            return connection.execute(taken.returning(leases.c.key)).first() is not None

    def release(self, key: str, holder: str) -> None:
        """Nothing happens if another one has it by now."""
        with self._write() as connection:
            connection.execute(delete(leases).where(leases.c.key == key, leases.c.holder == holder))

    def holders_of(self, prefix: str) -> list[Lease]:
        """Of all keys that start so, the expired ones too, by key."""
        query = select(leases).where(func.substr(leases.c.key, 1, len(prefix)) == prefix)
        with self._read(leases, query) as found:
            return sorted((Lease(**row) for row in found), key=lambda lease: lease.key)
