"""Statements that the server answers itself: those about its own clusters, jobs and sessions."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from headrace.catalog import MetadataStore
from headrace.cluster.messages import Answer
from headrace.cluster.pool import Pool
from headrace.commands.pointing import pointing_at
from headrace.commands.vcluster_changes import (
    alter_vcluster,
    create_vcluster,
    drop_vcluster,
    find_vcluster,
)
from headrace.model.clock import Clock
from headrace.result import as_stream
from headrace.server.sessions import Session
from headrace.sql.grammar import parse_statement
from headrace.sql.jobs import CancelJob
from headrace.sql.vclusters import (
    AlterVcluster,
    CreateVcluster,
    DropVcluster,
    ResumeVcluster,
    SuspendVcluster,
    UseVcluster,
    VclusterOptions,
)


class Operations:
    def __init__(self, store: MetadataStore, pool: Pool, clock: Clock, cancel: Callable[[str], None]) -> None:
        """``cancel`` stops the job of an id."""
        self._store = store
        self._pool = pool
        self._clock = clock
        self._cancel = cancel

    def answer(self, text: str, session: Session, job_id: str) -> Answer | None:
        """None where the statement is for a cluster."""
        notices: tuple[str, ...] = ()
        match parse_statement(text):
            case UseVcluster(name):
                session.cluster = find_vcluster(name, text, self._store).name
            case CreateVcluster() as statement:
                notices = self._create(statement, text, session)
            case AlterVcluster() as statement:
                notices = self._alter(statement, text)
            case DropVcluster() as statement:
                dropped = drop_vcluster(statement, text, self._store)
                if dropped is None:
                    notices = (f"there is no virtual cluster {statement.name.text}, nothing was done",)
                else:
                    self._pool.remove(dropped.name)
            case CancelJob(job):
                with pointing_at(text, job.span):
                    self._cancel(job.text)
            case _:
                return None
        return Answer(job_id, as_stream(pa.table({})), (), notices, session.workspace, session.schema)

    def _create(self, statement: CreateVcluster, text: str, session: Session) -> tuple[str, ...]:
        made = create_vcluster(statement, text, self._store, session.user, self._clock())
        if made is None:
            return (f"virtual cluster {statement.name.text} already exists, nothing was done",)
        self._pool.set(made)
        return ()

    def _alter(self, statement: AlterVcluster, text: str) -> tuple[str, ...]:
        if statement.if_exists and self._store.vclusters.find(statement.name.text) is None:
            return (f"there is no virtual cluster {statement.name.text}, nothing was done",)
        found = find_vcluster(statement.name, text, self._store)
        match statement.action:
            case ResumeVcluster():
                self._pool.cluster(found.name).resume()
            case SuspendVcluster(force=force):
                self._pool.cluster(found.name).suspend(force=force)
            case VclusterOptions() as options:
                self._pool.set(alter_vcluster(found, options, self._store, self._clock()))
        return ()
