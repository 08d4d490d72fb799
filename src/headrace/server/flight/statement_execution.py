"""A statement of a Flight client, from its text to rows that can be fetched."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from headrace.errors import Error, InterfaceError
from headrace.model.parameters import Parameters
from headrace.results.source import RowSource
from headrace.server.flight.callers import FlightCaller
from headrace.server.flight.flight_sessions import FlightSessions
from headrace.server.flight.row_batches import row_stream
from headrace.server.sessions import ClientSession
from headrace.server.statement_runner import parsed_alone
from headrace.server.statements import Statement, Statements
from headrace.sql.parsed import ParsedStatement

_LOOK_SECONDS = 0.25
"""So soon a client is noticed that has gone."""


class Runner(Protocol):
    def submit_parsed(
        self, session: ClientSession, parsed: ParsedStatement, parameters: Parameters | None
    ) -> Statement: ...
    def describe(
        self, session: ClientSession, parsed: ParsedStatement, parameters: Parameters | None
    ) -> pa.Schema: ...
    def cancel(self, statement: Statement, reason: Error | None = None) -> None: ...


@dataclass(frozen=True)
class StatementExecution:
    sessions: FlightSessions
    runner: Runner
    statements: Statements

    def start(
        self,
        text: str,
        parameters: Parameters | None,
        caller: FlightCaller,
        is_cancelled: Callable[[], bool],
    ) -> Statement:
        """Returns as soon as there are rows to fetch, or when the statement has ended."""
        statement = self._submit(text, parameters, caller)
        return self._awaited(statement, statement.readable, is_cancelled)

    def run(
        self,
        text: str,
        parameters: Parameters | None,
        caller: FlightCaller,
        is_cancelled: Callable[[], bool],
    ) -> int:
        """To the end; how many rows it has written, zero if that is not known."""
        return self.finish(self._submit(text, parameters, caller), is_cancelled)

    def finish(self, statement: Statement, is_cancelled: Callable[[], bool]) -> int:
        self._awaited(statement, statement.ended, is_cancelled)
        if statement.rows is not None:  # which the client has not asked for
            statement.rows.release()
        return rows_written(statement)

    def _awaited(
        self, statement: Statement, future: Future[None], is_cancelled: Callable[[], bool]
    ) -> Statement:
        """Housekeeping ends a statement that takes too long."""
        while not wait([future], _LOOK_SECONDS).done:
            if is_cancelled():
                self.runner.cancel(statement)
        if statement.error is not None:
            raise statement.error
        return statement

    def rows(self, job_id: str, caller: FlightCaller, is_cancelled: Callable[[], bool]) -> Any:
        """Of a statement of the same user."""
        statement = self.statements.find(job_id, caller.user)
        return row_stream(statement, _source(statement), is_cancelled)

    def cancel(self, job_id: str, caller: FlightCaller) -> bool:
        """Whether there was something to cancel."""
        statement = self.statements.find(job_id, caller.user)
        if statement.ended.done():
            return False
        self.runner.cancel(statement)
        return True

    def describe(
        self, parsed: ParsedStatement, parameters: Parameters | None, caller: FlightCaller
    ) -> pa.Schema:
        return self.runner.describe(self.sessions.of(caller), parsed, parameters)

    def _submit(self, text: str, parameters: Parameters | None, caller: FlightCaller) -> Statement:
        parsed = parsed_alone(text)
        self.sessions.expect_kept(caller, parsed)
        return self.runner.submit_parsed(self.sessions.of(caller), parsed, parameters)


def schema_of(statement: Statement) -> pa.Schema:
    return _source(statement).schema


def rows_written(statement: Statement) -> int:
    answer = statement.answer
    has_rows = bool(statement.types)
    return 0 if answer is None or has_rows else answer.row_count or 0


def row_count(statement: Statement) -> int:
    """As FlightInfo has it: -1 if it is not known yet."""
    answer = statement.answer
    return -1 if answer is None or answer.row_count is None else answer.row_count


def _source(statement: Statement) -> RowSource:
    if statement.error is not None:
        raise statement.error
    if statement.rows is None:
        raise InterfaceError(f"statement {statement.job.job_id} has not ended yet")
    return statement.rows
