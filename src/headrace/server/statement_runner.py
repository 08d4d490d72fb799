"""Statements of sessions: checked, then executed by the server itself or by the cluster of the session."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from headrace.catalog.store import MetadataStore
from headrace.cluster.messages import Describe, Execute, IngestFile, StatementReply
from headrace.cluster.pool import Pool
from headrace.errors import (
    AccessDenied,
    Cancelled,
    ClusterLost,
    Error,
    InterfaceError,
    NotFound,
    OperationalError,
)
from headrace.features.dynamic_tables.grammar_statements import RefreshDynamicTable
from headrace.model.access_token import acting_for
from headrace.model.counted import counted
from headrace.model.events import log_refresh
from headrace.model.job import JobState
from headrace.model.parameters import Parameters
from headrace.result import from_stream
from headrace.server.rights import check_statement
from headrace.server.sessions import ClientSession, Sessions
from headrace.server.statements import Statement, Statements
from headrace.sql.parsed import ParsedStatement
from headrace.sql.parsing.statements import Statement as Node
from headrace.sql.tokens.split import split_tokens
from headrace.sql.tokens.statement_limits import expect_readable
from headrace.views.jobs import find_job, may_manage


class Handler(Protocol):
    """Executes some kinds of statements without a cluster."""

    def answer(
        self, statement: Node, text: str, session: ClientSession, job_id: str
    ) -> StatementReply | None:
        """None where the statement is for a cluster."""


@dataclass(frozen=True)
class SentRows:
    """Rows that a client has sent, to be written by one statement."""

    write: str
    """The statement up to its query."""
    columns: tuple[str, ...]
    file: Path
    count: int


class StatementRunner:
    def __init__(
        self,
        sessions: Sessions,
        statements: Statements,
        pool: Pool,
        store: MetadataStore,
        check: Callable[[ParsedStatement], None],
        before: Callable[[ClientSession, str], list[str]],
    ) -> None:
        """``check`` refuses what a statement of a client must not do.

        ``before`` does what is due before a cluster runs a statement; its answer becomes notices.
        """
        self._sessions = sessions
        self._statements = statements
        self._pool = pool
        self._store = store
        self._check = check
        self._before = before
        self._handlers: tuple[Handler, ...] = ()
        self._on_cancel: Callable[[str], None] = lambda _: None

    def use(self, *handlers: Handler, on_cancel: Callable[[str], None]) -> None:
        """The first handler that answers a statement has executed it.

        ``on_cancel`` ends what the statement of an id waits for, if that does not run on a cluster.
        """
        self._handlers, self._on_cancel = handlers, on_cancel

    def submit(self, session: ClientSession, text: str, parameters: Parameters | None) -> Statement:
        return self.submit_parsed(session, parsed_alone(text), parameters)

    def submit_parsed(
        self, session: ClientSession, parsed: ParsedStatement, parameters: Parameters | None
    ) -> Statement:
        check_statement(parsed, session.principal)
        self._check(parsed)
        return self._statements.submit(
            session, parsed, lambda statement: self._run(statement, parsed, parameters)
        )

    def submit_rows(self, session: ClientSession, rows: SentRows) -> Statement:
        """Once the statement has ended the file is not read any more."""
        text = f"{rows.write} /* {counted(rows.count, 'row')} of a client */"
        return self._statements.submit(
            session, ParsedStatement(text), lambda statement: self._write_rows(statement, rows)
        )

    def describe(
        self, session: ClientSession, parsed: ParsedStatement, parameters: Parameters | None
    ) -> pa.Schema:
        """Of the result that a statement would have which changes nothing."""
        check_statement(parsed, session.principal)
        self._check(parsed)
        session.touch()
        job = secrets.token_hex(16)
        for handler in self._handlers:
            answered = handler.answer(parsed.node, parsed.text, session, job)
            if answered is not None:
                return pa.ipc.open_stream(answered.rows).schema
        request = _request(job, session, parsed.text, parameters)
        described = self._pool.cluster(session.cluster).plan(
            job, lambda process: process.describe(Describe(request))
        )
        return pa.ipc.read_schema(pa.py_buffer(described.schema))

    def cancel(self, statement: Statement, reason: Error | None = None) -> None:
        self._on_cancel(statement.job.job_id)
        self._statements.stop(statement, reason or Cancelled("the statement was cancelled"))
        with suppress(NotFound, ClusterLost):  # then it ends anyway
            self._pool.cluster(statement.job.cluster).cancel(statement.job.job_id)

    def cancel_job(self, job_id: str, user: str) -> None:
        """Of whatever kind; one that has ended is left alone, and a statement of another user too."""
        if not may_manage(find_job(job_id, self._store), user):
            raise AccessDenied(
                f"job {job_id} is a statement of another user",
                hint="only its creator and the owner of the lake can cancel it",
            )
        for statement in self._statements.running():
            if statement.job.job_id == job_id:
                self.cancel(statement)
                return
        for cluster in self._pool.clusters():
            cluster.cancel(job_id)

    def cancel_all(self) -> None:
        """All but refreshes, which may end."""
        for statement in self._statements.running():
            if not ParsedStatement(statement.job.statement).starts_with("REFRESH", "DYNAMIC"):
                self.cancel(statement, OperationalError("the server is being shut down"))

    def wait_for_all(self, until: float) -> None:
        """Up to a moment of the monotonic clock."""
        left = max(0.0, until - time.monotonic())
        wait([each.ended for each in self._statements.running()], left)

    def progress(self, statement: Statement) -> str | None:
        if statement.job.state is not JobState.RUNNING:
            return None
        return self._pool.cluster(statement.job.cluster).progress(statement.job.job_id)

    def end_session(self, session: ClientSession) -> None:
        self._sessions.close(session)
        self._statements.release_rows(session)
        for cluster in self._pool.clusters():
            with suppress(ClusterLost):  # the session went with it
                cluster.end_session(session.id)

    def run_as(self, user: str, text: str) -> None:
        """A statement of the server itself, in a session of its own, to its end."""
        session = self._sessions.open(acting_for(user))
        try:
            statement = self.submit(session, text, None)
            statement.ended.result()
            if statement.error is not None:
                raise statement.error
        finally:
            self.end_session(session)

    def _run(
        self, statement: Statement, parsed: ParsedStatement, parameters: Parameters | None
    ) -> StatementReply:
        session, job, node = statement.session, statement.job, parsed.node
        for handler in self._handlers:
            answered = handler.answer(node, job.statement, session, job.job_id)
            if answered is not None:
                return answered
        request = _request(job.job_id, session, job.statement, parameters)
        notices = self._before(session, job.statement)
        answer = self._pool.cluster(job.cluster).run(
            job.job_id,
            lambda process: process.execute(request, partial(self._statements.open_rows, statement)),
            lambda state: self._statements.note(statement, state),
        )
        if isinstance(node, RefreshDynamicTable) and answer.rows is not None:
            self._log_refreshes(answer.rows)
        answer = replace(answer, notices=(*notices, *answer.notices))
        session.journal.note(parsed)
        session.workspace, session.schema = answer.workspace, answer.schema
        return answer

    def _write_rows(self, statement: Statement, rows: SentRows) -> StatementReply:
        job = statement.job
        request = IngestFile(job.job_id, job.creator, rows.file, rows.write, rows.columns)
        notices = self._before(statement.session, job.statement)
        answer = self._pool.cluster(job.cluster).run(
            job.job_id,
            lambda process: process.ingest(request),
            lambda state: self._statements.note(statement, state),
        )
        return replace(answer, notices=(*notices, *answer.notices), row_count=rows.count)

    def _log_refreshes(self, stream: bytes) -> None:
        """Those that a statement has run and answers with."""
        rows = from_stream(stream)
        for job_id in rows.column("job_id").to_pylist() if "job_id" in rows.column_names else ():
            row = self._store.refreshes.find(job_id)
            if row is not None:
                log_refresh(row)


def _request(job_id: str, session: ClientSession, text: str, parameters: Parameters | None) -> Execute:
    return Execute(
        job_id, session.id, session.user, session.role, text, parameters, session.journal.statements
    )


def parsed_alone(text: str) -> ParsedStatement:
    """The one statement of a text."""
    found = split_tokens(text, expect_readable(text))
    if len(found) != 1:
        raise InterfaceError(
            "only one statement at a time is supported", hint="send the statements of a script separately"
        )
    return ParsedStatement.of(found[0])
