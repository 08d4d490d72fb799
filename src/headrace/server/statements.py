"""Statements on their way through the server: submitted, watched, cancelled, fetched."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from headrace.cluster.messages import StatementReply
from headrace.errors import Cancelled, Error, InterfaceError, InternalError, OperationalError
from headrace.model.clock import Clock
from headrace.model.events import log_event
from headrace.model.job import Job, JobKind, JobState
from headrace.model.job_id import new_job_id
from headrace.results.source import InlineRows, RowSource
from headrace.server.sessions import ClientSession
from headrace.sql.parsed import ParsedStatement

MOST_AT_ONCE = 200
KEPT_SECONDS = 600
"""How long the rows of an ended statement can be fetched."""
KEPT_BYTES = 256 << 20
"""Of all small results, which this process stores; of more than that the oldest go, those first that were
fetched. Large ones are stored by the processes of clusters."""

Work = Callable[["Statement"], StatementReply]


@dataclass
class Statement:
    session: ClientSession
    job: Job
    kind: str
    """Its first keyword. What else is read off the text is not kept: it takes 100 times the text's memory."""
    answer: StatementReply | None = None
    rows: RowSource | None = None
    """What can be read of its result."""
    types: tuple[str, ...] = ()
    error: Error | None = None
    ended: Future[None] = field(default_factory=Future)
    readable: Future[None] = field(default_factory=Future)
    """Done when there are rows to read, or when the statement has ended."""
    stopped_by: Error | None = None
    """Why it is not to go on."""
    fetched: bool = False
    submitted_at: float = field(default_factory=time.monotonic)
    ended_at: float = 0.0
    read_at: float = 0.0
    abandoned_at: float | None = None
    """When the client that read its rows disconnected before the end."""

    @property
    def size(self) -> int:
        """Of the rows that this process stores."""
        return len(self.answer.rows) if self.answer is not None and self.answer.rows is not None else 0

    def note_reading(self) -> None:
        self.fetched = True
        self.read_at = time.monotonic()
        self.abandoned_at = None
        self.session.touch()


class Statements:
    """Each runs in a thread of its own."""

    def __init__(self, clock: Clock, record: Callable[[Job], None]) -> None:
        self._clock = clock
        self._record = record
        self._statements: dict[str, Statement] = {}
        self._lock = threading.Lock()

    def submit(self, session: ClientSession, parsed: ParsedStatement, work: Work) -> Statement:
        now = self._clock()
        job = Job(
            new_job_id(now),
            JobKind.STATEMENT,
            parsed.text,
            session.cluster,
            session.user,
            JobState.QUEUED,
            now,
        )
        statement = Statement(session, job, parsed.kind)
        self.forget_old()
        with self._lock:
            if sum(not each.ended.done() for each in self._statements.values()) >= MOST_AT_ONCE:
                raise OperationalError(
                    f"{MOST_AT_ONCE} statements are running or waiting", hint="try again when some have ended"
                )
            self._statements[job.job_id] = statement
        self._record(job)
        threading.Thread(target=self._run, args=(statement, work), daemon=True).start()
        return statement

    def find(self, job_id: str, user: str) -> Statement:
        with self._lock:
            statement = self._statements.get(job_id)
        if statement is None or statement.job.creator != user:
            raise InterfaceError(
                f"statement {job_id} no longer exists",
                hint=f"rows are kept for {KEPT_SECONDS // 60} minutes",
            )
        statement.session.touch()
        return statement

    def running(self) -> list[Statement]:
        with self._lock:
            return [each for each in self._statements.values() if not each.ended.done()]

    def late(self, seconds: float) -> list[Statement]:
        """Those that run or wait for longer than so many seconds."""
        limit = time.monotonic() - seconds
        return [each for each in self.running() if each.submitted_at < limit]

    def abandoned(self, seconds: float) -> list[Statement]:
        """Those that run, and whose rows nobody has read since a client disconnected so long ago."""
        limit = time.monotonic() - seconds
        return [each for each in self.running() if each.abandoned_at and each.abandoned_at < limit]

    def note(self, statement: Statement, state: JobState) -> None:
        """What it waits for, or that it runs; a statement that is not to go on ends here."""
        with self._lock:
            if statement.stopped_by is not None:
                raise statement.stopped_by
            start = self._clock() if state is JobState.RUNNING else statement.job.start_time
            statement.job = replace(statement.job, state=state, start_time=start)
        self._record(statement.job)

    def open_rows(self, statement: Statement, rows: RowSource, types: tuple[str, ...]) -> None:
        """A large result can be read while the statement runs."""
        with self._lock:
            if statement.ended_at:
                rows.release()
                return
            statement.rows, statement.types = rows, types
        statement.readable.set_result(None)

    def release_rows(self, session: ClientSession) -> None:
        """Of the large results of a session that has ended."""
        with self._lock:
            ended = [each for each in self._statements.values() if each.session is session]
        for statement in ended:
            if statement.rows is not None and statement.ended.done():
                statement.rows.release()

    def stop(self, statement: Statement, reason: Error) -> None:
        """It ends at once if it has not begun; else whoever runs it has to be told, too."""
        with self._lock:
            statement.stopped_by = statement.stopped_by or reason
            is_running = statement.job.state is JobState.RUNNING
        if not is_running:
            self._end(statement, None, statement.stopped_by, 0.0)

    def _run(self, statement: Statement, work: Work) -> None:
        start = time.monotonic()
        answer: StatementReply | None = None
        failed: Error | None = None
        try:
            answer = work(statement)
        except Error as error:
            answer, failed = None, statement.stopped_by or error
        except Exception as error:  # noqa: BLE001  (whoever waits for the statement must hear of it)
            log_event("statement failed", level=logging.ERROR, exception=error, id=statement.job.job_id)
            failed = InternalError.of(error)
        self._end(statement, answer, failed, time.monotonic() - start)

    def _end(
        self, statement: Statement, answer: StatementReply | None, error: Error | None, seconds: float
    ) -> None:
        """Once: a statement that was stopped while it waited has ended before its thread has."""
        with self._lock:
            if statement.ended_at:
                return
            statement.ended_at = time.monotonic()
        statement.answer, statement.error = answer, error
        if answer is not None and answer.rows is not None:
            statement.rows, statement.types = InlineRows(answer.rows), answer.types
        if error is not None and statement.rows is not None:
            statement.rows.release()
        statement.job = replace(
            statement.job,
            state=_state_after(error),
            end_time=self._clock(),
            error_message=error.message if error is not None else None,
            rows=answer.row_count if answer is not None else None,
            tag=answer.tag if answer is not None else None,
            notices=answer.notices if answer is not None else (),
            cluster_seconds=seconds if statement.job.start_time else 0.0,
        )
        with self._lock:
            self._forget_large()
        try:
            self._record(statement.job)
        finally:
            _log_end(statement)
            statement.ended.set_result(None)
            if not statement.readable.done():
                statement.readable.set_result(None)

    def forget_old(self) -> None:
        """Those that ended, and were last read, too long ago."""
        limit = time.monotonic() - KEPT_SECONDS
        with self._lock:
            old = [
                each
                for each in self._statements.values()
                if each.ended.done() and max(each.ended_at, each.read_at) < limit
            ]
            for statement in old:
                del self._statements[statement.job.job_id]
        for statement in old:
            if statement.rows is not None:
                statement.rows.release()

    def _forget_large(self) -> None:
        kept = sum(each.size for each in self._statements.values())
        ended = [each for each in self._statements.values() if each.ended.done() and each.size]
        for each in sorted(ended, key=lambda each: (not each.fetched, each.ended_at)):
            if kept <= KEPT_BYTES:
                return
            kept -= each.size
            del self._statements[each.job.job_id]


def _log_end(statement: Statement) -> None:
    job = statement.job
    log_event(
        "statement",
        id=job.job_id,
        user=job.creator,
        cluster=job.cluster,
        kind=statement.kind,
        duration=round(statement.ended_at - statement.submitted_at, 3),
        state=job.state.value,
        rows=job.rows,
        error=None if statement.error is None else type(statement.error).__name__,
    )


def _state_after(error: Error | None) -> JobState:
    if error is None:
        return JobState.SUCCEED
    return JobState.CANCELLED if isinstance(error, Cancelled) else JobState.FAILED
