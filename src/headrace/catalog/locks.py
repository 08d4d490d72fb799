"""Who works on what, among all that use one PostgreSQL."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import Connection, Engine, NullPool, TextClause, text
from sqlalchemy.exc import DBAPIError

from headrace.catalog.engine import connect
from headrace.catalog.failures import plainly

_POLL_SECONDS = 0.05
_TAKE = text("SELECT pg_try_advisory_lock(:key)")
_SHARE = text("SELECT pg_try_advisory_lock_shared(:key)")
_RELEASE = text("SELECT pg_advisory_unlock_all()")


class AdvisoryLocks:
    """Each is held by a connection of its own: the server lets go of what a lost one held."""

    def __init__(self, url: str) -> None:
        self._engine: Engine = connect(url, pool=NullPool)

    @contextmanager
    def hold(self, key: str, seconds: float, part: str | None = None) -> Iterator[bool]:
        """Held inside the block, unless it says False: someone else had it all the while."""
        wanted = [(_TAKE, key)] if part is None else [(_SHARE, key), (_TAKE, f"{key} {part}")]
        deadline = time.monotonic() + seconds
        with plainly():
            connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            with plainly():
                held = all(_taken(connection, how, _number(what), deadline) for how, what in wanted)
            yield held
        finally:
            _release(connection)


def _taken(connection: Connection, how: TextClause, number: int, deadline: float) -> bool:
    while not connection.execute(how, {"key": number}).scalar_one():
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _release(connection: Connection) -> None:
    """Before the connection ends: the server takes a moment to see that it has."""
    with suppress(DBAPIError):  # the connection was lost, and its locks with it
        connection.execute(_RELEASE)
    connection.close()


def _number(key: str) -> int:
    digest = hashlib.sha256(f"headrace {key}".encode()).digest()
    return int.from_bytes(digest[:8], signed=True)
