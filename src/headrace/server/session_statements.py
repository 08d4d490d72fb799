"""Statements that the server runs for a user in a session of its own, to their end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from headrace.model.access_token import acting_for
from headrace.model.parameters import Parameters
from headrace.server.sessions import ClientSession, Sessions
from headrace.server.statements import Statement


class Submission(Protocol):
    def submit(self, session: ClientSession, text: str, parameters: Parameters | None) -> Statement: ...
    def end_session(self, session: ClientSession) -> None: ...


@dataclass(frozen=True)
class SessionStatements:
    sessions: Sessions
    statements: Submission

    @asynccontextmanager
    async def session(self, user: str) -> AsyncIterator[ClientSession]:
        session = self.sessions.open(acting_for(user))
        try:
            yield session
        finally:
            await asyncio.to_thread(self.statements.end_session, session)

    def begin(self, text: str, user: str) -> Statement:
        """In a new session, which is closed when it was idle for long."""
        return self.statements.submit(self.sessions.open(acting_for(user)), text, None)

    async def run(self, session: ClientSession, text: str) -> tuple[str, ...]:
        """Its notices; raises its error."""
        statement = await asyncio.to_thread(self.statements.submit, session, text, None)
        await asyncio.wrap_future(statement.ended)
        if statement.error is not None:
            raise statement.error
        return statement.answer.notices if statement.answer else ()
