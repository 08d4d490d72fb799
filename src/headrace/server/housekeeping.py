"""What a server does now and then: it ends what takes too long and forgets whom it has not heard of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from headrace.errors import Cancelled, Error, OperationalError
from headrace.model.periodic import PeriodicLoop
from headrace.server.sessions import ClientSession, Sessions
from headrace.server.statements import Statement, Statements

_LOOK_SECONDS = 1.0
_ABANDONED_SECONDS = 5.0
"""A client that disconnects while it reads the rows of a running statement may come back so soon."""


class Ending(Protocol):
    def cancel(self, statement: Statement, reason: Error | None = None) -> None: ...
    def end_session(self, session: ClientSession) -> None: ...


class Housekeeping(PeriodicLoop):
    def __init__(
        self,
        sessions: Sessions,
        statements: Statements,
        ending: Ending,
        timeout_seconds: int,
        follow_clusters: Callable[[], None],
    ) -> None:
        """``timeout_seconds``: 0 is no limit. ``follow_clusters`` finds what other servers have changed."""
        super().__init__("housekeeping", _LOOK_SECONDS)
        self._sessions = sessions
        self._statements = statements
        self._ending = ending
        self._timeout_seconds = timeout_seconds
        self._follow_clusters = follow_clusters

    def look(self) -> None:
        self._stop_again()
        self._end_late()
        self._end_abandoned()
        self._forget_idle()
        self._statements.forget_old()
        self._follow_clusters()

    def _stop_again(self) -> None:
        """A cancel is said again until the statement has ended: one may come between two jobs of it."""
        for statement in self._statements.running():
            if statement.stopped_by is not None:
                self._ending.cancel(statement)

    def _end_late(self) -> None:
        seconds = self._timeout_seconds
        if seconds == 0:
            return
        for statement in self._statements.late(seconds):
            late = OperationalError(
                f"the statement took longer than {seconds} seconds",
                hint="statement_timeout_seconds in lake.toml sets the limit",
            )
            self._ending.cancel(statement, late)

    def _end_abandoned(self) -> None:
        for statement in self._statements.abandoned(_ABANDONED_SECONDS):
            gone = Cancelled("the client disconnected before it had read all rows")
            self._ending.cancel(statement, gone)

    def _forget_idle(self) -> None:
        busy = {statement.session.id for statement in self._statements.running()}
        for session in self._sessions.forget_idle(busy):
            self._ending.end_session(session)
