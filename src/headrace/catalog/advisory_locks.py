"""Who works on what, among all that use one PostgreSQL."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Function, NullPool, func, select
from sqlalchemy.exc import DBAPIError, OperationalError

from headrace.catalog.database_engine import connect
from headrace.catalog.database_errors import database_errors

_LOCK_NOT_AVAILABLE = "55P03"
_LONGEST_WAIT_MS = 2**31 - 1
"""PostgreSQL counts timeouts in 32 bits: 24 days."""
_SPARE_MS = 10_000
_CLIENT_CHECK = select(func.set_config("client_connection_check_interval", "5s", False))
"""How often the server looks whether a client that waits still exists."""


@dataclass(frozen=True)
class _Lock:
    number: int
    is_shared: bool

    @property
    def attempt(self) -> Function[Any]:
        """Whether it is held now."""
        return (func.pg_try_advisory_lock_shared if self.is_shared else func.pg_try_advisory_lock)(
            self.number
        )

    @property
    def wait(self) -> Function[Any]:
        return (func.pg_advisory_lock_shared if self.is_shared else func.pg_advisory_lock)(self.number)


class AdvisoryLocks:
    """Each is held by a connection of its own: the server lets go of what a lost one held.

    Who waits is in the server's queue. Who waits for a whole comes before those who want a part later.
    """

    def __init__(self, url: str) -> None:
        self._engine: Engine = connect(url, pool=NullPool)

    @contextmanager
    def hold(self, key: str, seconds: float, part: str | None = None) -> Iterator[bool]:
        """Held inside the block, unless it says False: someone else had it all the while."""
        deadline = time.monotonic() + seconds
        with database_errors():
            connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            with database_errors():
                held = all(_acquire(connection, lock, deadline) for lock in _locks(key, part))
            yield held
        finally:
            _release(connection)


def _locks(key: str, part: str | None) -> list[_Lock]:
    """A part is held by a lock of its own, and keeps those out who want the whole."""
    if part is None:
        return [_Lock(_number(key), is_shared=False)]
    return [_Lock(_number(key), is_shared=True), _Lock(_number(f"{key} {part}"), is_shared=False)]


def _acquire(connection: Connection, lock: _Lock, deadline: float) -> bool:
    if connection.scalar(select(lock.attempt)):
        return True
    milliseconds = min(int(1000 * (deadline - time.monotonic())), _LONGEST_WAIT_MS - _SPARE_MS)
    if milliseconds <= 0:
        return False
    _limit_waiting(connection, milliseconds)
    with suppress(DBAPIError):  # before PostgreSQL 14, a killed client keeps its place until the limit
        connection.execute(_CLIENT_CHECK)
    try:
        connection.execute(select(lock.wait))
    except OperationalError as error:
        if getattr(error.orig, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
            return False
        raise
    return True


def _limit_waiting(connection: Connection, milliseconds: int) -> None:
    """Of this connection, which has limits for short statements; the other one must not come first."""
    limits = {"lock_timeout": milliseconds, "statement_timeout": milliseconds + _SPARE_MS}
    connection.execute(
        select(*(func.set_config(name, f"{value}ms", False) for name, value in limits.items()))
    )


def _release(connection: Connection) -> None:
    """Before the connection ends: the server takes a moment to see that it has."""
    if not connection.invalidated:
        with suppress(DBAPIError):  # the connection was lost, and its locks with it
            connection.execute(select(func.pg_advisory_unlock_all()))
    connection.close()


def _number(key: str) -> int:
    digest = hashlib.sha256(f"headrace {key}".encode()).digest()
    return int.from_bytes(digest[:8], signed=True)
