"""Conversations with a server: each has a schema it is in, a cluster it uses, and settings of its own."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Collection
from dataclasses import dataclass, field

from headrace.cluster.journal import Journal
from headrace.errors import InterfaceError
from headrace.model.access_token import Principal
from headrace.model.names import DEFAULT_SCHEMA, DEFAULT_WORKSPACE
from headrace.model.role import Role
from headrace.model.vcluster import DEFAULT_VCLUSTER

IDLE_SECONDS = 3600


@dataclass
class ClientSession:
    id: str
    user: str
    role: Role
    cluster: str = DEFAULT_VCLUSTER
    workspace: str = DEFAULT_WORKSPACE
    schema: str = DEFAULT_SCHEMA
    journal: Journal = field(default_factory=Journal)
    used_at: float = field(default_factory=time.monotonic)

    @property
    def principal(self) -> Principal:
        return Principal(self.user, self.role)

    def touch(self) -> None:
        self.used_at = time.monotonic()


class Sessions:
    def __init__(self) -> None:
        self._sessions: dict[str, ClientSession] = {}
        self._lock = threading.Lock()

    def open(self, user: Principal) -> ClientSession:
        session = ClientSession(secrets.token_urlsafe(18), user.name, user.role)
        with self._lock:
            self._sessions[session.id] = session
        return session

    def find(self, session_id: str, user: Principal) -> ClientSession:
        """A session is known to whoever opened it alone, in the role of that time."""
        with self._lock:
            session = self._sessions.get(session_id)
        if session is None or session.principal != user:
            raise InterfaceError("the session no longer exists", hint="connect again")
        session.touch()
        return session

    def close(self, session: ClientSession) -> None:
        with self._lock:
            self._sessions.pop(session.id, None)

    def forget_idle(self, busy: Collection[str], seconds: float = IDLE_SECONDS) -> list[ClientSession]:
        """Those that were closed for it; ``busy`` are the ids of sessions that wait for a statement."""
        limit = time.monotonic() - seconds
        with self._lock:
            idle = [
                session
                for session in self._sessions.values()
                if session.used_at < limit and session.id not in busy
            ]
            for session in idle:
                del self._sessions[session.id]
        return idle

    def __len__(self) -> int:
        return len(self._sessions)
