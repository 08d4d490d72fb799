"""Statements that the server answers itself: those about its own clusters, jobs and sessions."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from headrace.catalog.store import MetadataStore
from headrace.cluster.messages import StatementReply
from headrace.cluster.pool import Pool
from headrace.commands.error_location import pointing_at
from headrace.features.jobs.grammar import CancelJob
from headrace.features.stream_writers.grammar import ShowStreamWriters
from headrace.features.vclusters.grammar import AlterVcluster, CreateVcluster, DropVcluster, UseVcluster
from headrace.features.vclusters.vcluster_changes import change_vcluster, find_vcluster
from headrace.ingest.stream_writers.show import shown_writers
from headrace.ingest.stream_writers.stream_writes import StreamWrites
from headrace.lake.settings import Settings
from headrace.model.clock import Clock
from headrace.result import LocalRows, as_stream
from headrace.server.sessions import ClientSession
from headrace.sql.parsing.statements import Statement


class Operations:
    def __init__(
        self,
        store: MetadataStore,
        pool: Pool,
        clock: Clock,
        cancel: Callable[[str, str], None],
        stream_writes: StreamWrites,
        settings: Settings,
    ) -> None:
        """``cancel`` stops the job of an id for a user."""
        self._store = store
        self._pool = pool
        self._clock = clock
        self._cancel = cancel
        self._stream_writes = stream_writes
        self._settings = settings

    def answer(
        self, statement: Statement, text: str, session: ClientSession, job_id: str
    ) -> StatementReply | None:
        """None where the statement is for a cluster."""
        notice: str | None = None
        rows = LocalRows(pa.table({}))
        match statement:
            case UseVcluster(name):
                session.cluster = find_vcluster(name, text, self._store.vclusters).name
            case CreateVcluster() | AlterVcluster() | DropVcluster():
                now = self._clock()
                notice = change_vcluster(statement, text, self._store, session.user, now, self._pool)
            case CancelJob(job):
                with pointing_at(text, job.span):
                    self._cancel(job.text, session.user)
            case ShowStreamWriters():
                rows = shown_writers(statement, self._stream_writes.rows(), self._settings.zone)
            case _:
                return None
        notices = (notice,) if notice else ()
        table, types = rows.arrow(), tuple(kind for _, kind in rows.types)
        return StatementReply(job_id, as_stream(table), types, notices, session.workspace, session.schema)
