"""Statements on their way through the server: submitted, watched, cancelled, fetched."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from headrace.cluster.messages import Answer
from headrace.errors import Cancelled, Error, InterfaceError, InternalError, OperationalError
from headrace.model.clock import Clock
from headrace.model.job import ENDED_JOBS, Job, JobKind, JobState
from headrace.model.job_id import new_job_id
from headrace.server.sessions import Session

MOST_AT_ONCE = 200
KEPT_SECONDS = 600
"""How long the rows of an ended statement can be fetched."""

Work = Callable[["Statement"], Answer]


@dataclass
class Statement:
    session: Session
    job: Job
    answer: Answer | None = None
    error: Error | None = None
    ended: Future[None] = field(default_factory=Future)
    cancelling: bool = False
    ended_at: float = 0.0

    def told(self, state: JobState, clock: Clock) -> None:
        if self.cancelling:
            raise Cancelled("the statement was cancelled")
        start = clock() if state is JobState.RUNNING else self.job.start_time
        self.job = replace(self.job, state=state, start_time=start)


class Statements:
    """Each runs in a thread of its own."""

    def __init__(self, clock: Clock, record: Callable[[Job], None]) -> None:
        self._clock = clock
        self._record = record
        self._statements: dict[str, Statement] = {}
        self._lock = threading.Lock()

    def submit(self, session: Session, text: str, work: Work) -> Statement:
        now = self._clock()
        job = Job(
            new_job_id(now), JobKind.STATEMENT, text, session.cluster, session.user, JobState.QUEUED, now
        )
        statement = Statement(session, job)
        with self._lock:
            self._forget_old()
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
                f"there is no statement {job_id} any more",
                hint=f"rows are kept for {KEPT_SECONDS // 60} minutes",
            )
        return statement

    def running(self) -> list[Statement]:
        with self._lock:
            return [each for each in self._statements.values() if not each.ended.done()]

    def _run(self, statement: Statement, work: Work) -> None:
        start = time.monotonic()
        try:
            statement.answer = work(statement)
            state = JobState.SUCCEED
        except Cancelled as error:
            statement.error, state = error, JobState.CANCELLED
        except Error as error:
            statement.error = Cancelled("the statement was cancelled") if statement.cancelling else error
            state = JobState.CANCELLED if statement.cancelling else JobState.FAILED
        except Exception as error:  # noqa: BLE001  (whoever waits for the statement must hear of it)
            statement.error = InternalError(f"{type(error).__name__}: {error}")
            state = JobState.FAILED
        self._end(statement, state, time.monotonic() - start)

    def _end(self, statement: Statement, state: JobState, seconds: float) -> None:
        statement.job = replace(
            statement.job,
            state=state,
            end_time=self._clock(),
            error_message=statement.error.message if statement.error else None,
            cluster_seconds=seconds if statement.job.start_time else 0.0,
        )
        statement.ended_at = time.monotonic()
        try:
            self._record(statement.job)
        finally:
            statement.ended.set_result(None)

    def _forget_old(self) -> None:
        limit = time.monotonic() - KEPT_SECONDS
        for job_id in [
            job_id
            for job_id, each in self._statements.items()
            if each.job.state in ENDED_JOBS and each.ended_at < limit
        ]:
            del self._statements[job_id]
