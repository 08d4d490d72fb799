"""What a server does now and then: it ends what takes too long and forgets whom it has not heard of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.errors import Cancelled, OperationalError
from headrace.model.repeating import Repeating

if TYPE_CHECKING:
    from headrace.server.service import Service

_LOOK_SECONDS = 1.0
_ABANDONED_SECONDS = 5.0
"""A client that disconnects while it reads the rows of a running statement may come back so soon."""


class Housekeeping(Repeating):
    def __init__(self, service: Service) -> None:
        super().__init__("housekeeping", _LOOK_SECONDS)
        self._service = service

    def look(self) -> None:
        self._stop_again()
        self._end_late()
        self._end_abandoned()
        self._forget_idle()
        self._service.statements.forget_old()
        if self._service.directory.database is not None:
            self._service.pool.follow(self._service.store.vclusters.all())

    def _stop_again(self) -> None:
        """A cancel is said again until the statement has ended: one may come between two jobs of it."""
        for statement in self._service.statements.running():
            if statement.stopped_by is not None:
                self._service.cancel(statement)

    def _end_late(self) -> None:
        seconds = self._service.directory.settings.statement_timeout_seconds
        if seconds == 0:
            return
        for statement in self._service.statements.late(seconds):
            late = OperationalError(
                f"the statement took longer than {seconds} seconds",
                hint="statement_timeout_seconds in lake.toml sets the limit",
            )
            self._service.cancel(statement, late)

    def _end_abandoned(self) -> None:
        for statement in self._service.statements.abandoned(_ABANDONED_SECONDS):
            gone = Cancelled("the client disconnected before it had read all rows")
            self._service.cancel(statement, gone)

    def _forget_idle(self) -> None:
        busy = {statement.session.id for statement in self._service.statements.running()}
        for session in self._service.sessions.forget_idle(busy):
            self._service.end(session)
