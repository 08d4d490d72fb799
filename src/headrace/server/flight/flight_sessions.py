"""Which session the statements of a client run in."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from headrace.cluster.journal import changes_session
from headrace.errors import InterfaceError
from headrace.model.access_token import Principal
from headrace.server.flight.callers import FlightCaller
from headrace.server.sessions import ClientSession, Sessions
from headrace.sql.parsed import ParsedStatement

_MOST_KNOWN = 10_000


class FlightSessions:
    """A client that keeps cookies has a session of its own, from its first statement on.

    All others of a user share one, in which nothing may be set: none of them could rely on it.
    """

    def __init__(self, sessions: Sessions, end: Callable[[ClientSession], None]) -> None:
        self._sessions = sessions
        self._end = end
        self._lock = threading.Lock()
        self._named: OrderedDict[tuple[str, str], str] = OrderedDict()
        """The ids of sessions by user and cookie; of one that has ended, too, as its client may not know."""
        self._shared: dict[Principal, str] = {}

    def of(self, caller: FlightCaller) -> ClientSession:
        with self._lock:
            return self._shared_by(caller.principal) if caller.session is None else self._own(caller)

    def expect_kept(self, caller: FlightCaller, statement: ParsedStatement) -> None:
        """What changes a session would change that of others, and be forgotten by this client."""
        if changes_session(statement) or statement.is_block or statement.executed_strings:
            self.expect_session(caller, statement.kind)

    def expect_session(self, caller: FlightCaller, what: str) -> None:
        if caller.session is None:
            raise InterfaceError(
                f"{what} requires a session, which this client does not keep",
                hint="make it accept cookies: in ADBC adbc.flight.sql.rpc.with_cookie_middleware = true",
            )

    def close(self, caller: FlightCaller) -> None:
        with self._lock:
            known = None if caller.session is None else self._named.get((caller.user, caller.session))
            session = None if known is None else self._find(known, caller.principal)
        if session is not None:
            self._end(session)

    def _own(self, caller: FlightCaller) -> ClientSession:
        key = (caller.user, caller.session or "")
        known = self._named.get(key)
        if known is not None:
            return self._sessions.find(known, caller.principal)
        session = self._sessions.open(caller.principal)
        self._named[key] = session.id
        if len(self._named) > _MOST_KNOWN:
            self._named.popitem(last=False)
        return session

    def _shared_by(self, user: Principal) -> ClientSession:
        """A new one where it was idle for so long that it has ended."""
        known = self._shared.get(user)
        session = None if known is None else self._find(known, user)
        if session is None:
            session = self._sessions.open(user)
            self._shared[user] = session.id
        return session

    def _find(self, session: str, user: Principal) -> ClientSession | None:
        try:
            return self._sessions.find(session, user)
        except InterfaceError:
            return None
