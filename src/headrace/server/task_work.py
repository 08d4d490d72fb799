"""What a task does when the server runs it: its script, through the server itself, as its creator."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import wait

import pyarrow as pa

from headrace.errors import Cancelled, DataError, OperationalError
from headrace.features.tasks.task_script import ScriptOutcome, run_script
from headrace.model.access_token import Principal, acting_for
from headrace.model.task import TaskKind
from headrace.model.task_parameters import unsafe_parameters, with_parameters
from headrace.results.source import RowSource
from headrace.schedule.attempt import Attempt
from headrace.schedule.python_script import environment_name, run_python
from headrace.schedule.run_log import RunLog
from headrace.server.sessions import ClientSession, Sessions
from headrace.server.statements import Statement

_PATIENCE_SECONDS = 1.0


class TaskWork:
    def __init__(
        self,
        sessions: Sessions,
        submit: Callable[[ClientSession, str], Statement],
        cancel: Callable[[Statement], None],
        end: Callable[[ClientSession], None],
    ) -> None:
        self._sessions = sessions
        self._submit = submit
        self._cancel = cancel
        self._end = end
        self._tokens: dict[str, Principal] = {}
        self._lock = threading.Lock()
        self.url: str | None = None
        """Where scripts find the server, once it listens."""

    def carry_out(self, attempt: Attempt) -> None:
        if attempt.task.kind is TaskKind.PYTHON:
            self._run_python(attempt)
        else:
            self._run_sql(attempt)

    def holder_of(self, token: str) -> Principal | None:
        """Whose script it is that has the token; it is known as long as the script runs."""
        with self._lock:
            return self._tokens.get(token)

    def _run_sql(self, attempt: Attempt) -> None:
        task = attempt.task
        session = self._sessions.open(acting_for(task.creator))
        session.cluster = task.cluster
        try:
            run_script(
                task,
                attempt.run.parameters,
                lambda text: self._run_statement(text, session, attempt),
                attempt.log.write,
            )
        finally:
            attempt.on_stop(None)
            self._end(session)

    def _run_statement(self, text: str, session: ClientSession, attempt: Attempt) -> ScriptOutcome:
        if attempt.stopped_as is not None:
            raise Cancelled(attempt.stopped_because)
        start = time.monotonic()
        statement = self._submit(session, text)
        attempt.job_ids.append(statement.job.job_id)
        attempt.on_stop(lambda: self._cancel(statement))
        self._await_end(statement, attempt)
        if statement.error is not None:
            raise statement.error
        rows, count = _first_rows(statement.rows), statement.job.rows
        return ScriptOutcome(statement.job.job_id, rows, time.monotonic() - start, count)

    def _await_end(self, statement: Statement, attempt: Attempt) -> None:
        """A cancellation that came before Spark had begun was lost, so it is repeated."""
        while not wait([statement.ended], timeout=_PATIENCE_SECONDS).done:
            if attempt.stopped_as is not None:
                self._cancel(statement)

    def _run_python(self, attempt: Attempt) -> None:
        if self.url is None:
            raise OperationalError("the server is not listening, so a Python script cannot connect to it")
        parameters = attempt.run.parameters
        for name in unsafe_parameters(attempt.task.body, parameters):
            raise DataError(
                f"the value of parameter {name} cannot be inserted into a Python script",
                hint=f"read the environment variable {environment_name(name)} in the script instead",
            )
        token = secrets.token_urlsafe(24)
        attempt.log = RunLog((token,))
        with self._lock:
            self._tokens[token] = acting_for(attempt.task.creator)
        environment = {environment_name(name): value for name, value in parameters.items()}
        environment |= {"HEADRACE_URL": self.url, "HEADRACE_TOKEN": token}
        try:
            run_python(with_parameters(attempt.task.body, parameters), environment, attempt)
        finally:
            with self._lock:
                del self._tokens[token]


def _first_rows(source: RowSource | None) -> pa.Table:
    if source is None:
        return pa.table({})
    chunk = source.read(0).result()
    return pa.Table.from_batches([each.batch(source.schema) for each in chunk.messages], source.schema)
