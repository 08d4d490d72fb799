"""One run of a pipe or sync on a server: a statement of its creator, on the cluster of the pipe."""

from __future__ import annotations

from collections.abc import Callable

from headrace.features.pipes.model import Pipe
from headrace.features.syncs.model import Sync
from headrace.model.access_token import acting_for
from headrace.server.sessions import ClientSession, Sessions
from headrace.server.statements import Statement
from headrace.sql.parsed import ParsedStatement


class PipeWork:
    def __init__(
        self,
        sessions: Sessions,
        submit: Callable[[ClientSession, str], Statement],
        end: Callable[[ClientSession], None],
    ) -> None:
        self._sessions = sessions
        self._submit = submit
        self._end = end

    def run(self, pipe: Pipe | Sync) -> None:
        kind = "PIPE" if isinstance(pipe, Pipe) else "SYNC"
        session = self._sessions.open(acting_for(pipe.creator))
        session.cluster = pipe.settings.cluster
        session.journal.note(ParsedStatement(f"SET query_tag = {pipe.tag}"))
        try:
            statement = self._submit(session, f"EXECUTE {kind} {pipe.name.sql}")
            statement.ended.result()
            if statement.error is not None:
                raise statement.error
        finally:
            self._end(session)
