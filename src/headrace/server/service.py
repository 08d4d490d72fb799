"""A lake that is being served: no Spark in this process, only in those of its clusters."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from headrace.catalog import MetadataStore, sqlite_url
from headrace.cluster.messages import Answer, Execute
from headrace.cluster.pool import Pool, launcher
from headrace.errors import InterfaceError
from headrace.lake.directory import LakeLock, open_directory
from headrace.lake.parameters import Parameters
from headrace.model.clock import Clock, system_clock
from headrace.model.job import Job, JobState
from headrace.model.names import TableName
from headrace.server.sessions import Session, Sessions
from headrace.server.statements import Statement, Statements
from headrace.sql.split import split


@dataclass(frozen=True)
class Objects:
    """What a schema holds."""

    tables: tuple[TableName, ...]
    views: tuple[TableName, ...]


class Service:
    def __init__(self, lake: Path, clock: Clock = system_clock) -> None:
        self.clock = clock
        with ExitStack() as undo:
            self.directory = open_directory(lake)
            undo.callback(LakeLock(self.directory).release)
            self.store = MetadataStore.open(sqlite_url(self.directory.metadata_db))
            undo.callback(self.store.close)
            self.pool = Pool(self.store.vclusters.all(), launcher(self.directory))
            undo.callback(self.pool.close)
            self.sessions = Sessions()
            self.statements = Statements(clock, self.store.jobs.record)
            self._undo = undo.pop_all()

    def close(self) -> None:
        """Lets what runs end."""
        self._undo.close()

    def submit(self, session: Session, text: str, parameters: Parameters | None) -> Statement:
        found = split(text)
        if len(found) != 1:
            raise InterfaceError("one statement at a time", hint="send the statements of a script one by one")
        return self.statements.submit(session, found[0].text, lambda job: self._run(job, parameters))

    def cancel(self, statement: Statement) -> None:
        statement.cancelling = True
        self.pool.cluster(statement.job.cluster).cancel(statement.job.job_id)

    def progress(self, statement: Statement) -> str | None:
        if statement.job.state is not JobState.RUNNING:
            return None
        return self.pool.cluster(statement.job.cluster).progress(statement.job.job_id)

    def end(self, session: Session) -> None:
        self.sessions.close(session)
        self.pool.cluster(session.cluster).end_session(session.id)

    def _run(self, statement: Statement, parameters: Parameters | None) -> Answer:
        session, job = statement.session, statement.job
        request = Execute(
            job.job_id, session.id, session.user, job.statement, parameters, session.journal.statements
        )
        answer = self.pool.cluster(job.cluster).run(
            job.job_id,
            lambda process: process.execute(request),
            lambda state: statement.told(state, self.clock),
        )
        session.journal.note(job.statement)
        session.workspace, session.schema = answer.workspace, answer.schema
        return answer

    def record(self, job: Job) -> None:
        self.store.jobs.record(job)
