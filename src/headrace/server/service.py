"""A lake that is being served: no Spark in this process, only in those of its clusters."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import wait
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from headrace.cluster.messages import Answer, Execute, RefreshTable
from headrace.cluster.pool import Pool, launcher
from headrace.cluster.process import ClusterProcess
from headrace.commands.databases import open_heads, open_store
from headrace.errors import (
    AccessDenied,
    Cancelled,
    ClusterLost,
    Error,
    InterfaceError,
    NotFound,
    OperationalError,
)
from headrace.lake.directory import LakeLock, open_directory
from headrace.lake.metadata_files import MetadataFiles
from headrace.model.alert import Message
from headrace.model.change import ClusterChange
from headrace.model.clock import Clock, system_clock
from headrace.model.dynamic_table import DynamicTable
from headrace.model.events import log_event, log_refresh
from headrace.model.history import Refresh, RefreshState, RefreshTrigger
from headrace.model.job import JobState
from headrace.model.job_id import new_job_id
from headrace.model.parameters import Parameters
from headrace.model.vcluster import Vcluster, VclusterState
from headrace.schedule.alert_watch import AlertWatch
from headrace.schedule.delivery import Delivery
from headrace.schedule.lead import Leadership
from headrace.schedule.loop import Lake, Scheduler, scheduled_row
from headrace.schedule.task_loop import TaskRunner
from headrace.schedule.unchanged import Locations
from headrace.server.change_watch import ProgressWatch, TableWatch
from headrace.server.cleaning import Cleaning
from headrace.server.event_feed import EventFeed
from headrace.server.housekeeping import Housekeeping
from headrace.server.operations import Operations
from headrace.server.presence import Presence
from headrace.server.sessions import Session, Sessions
from headrace.server.statements import Statement, Statements
from headrace.server.task_operations import TaskOperations
from headrace.server.task_work import TaskWork
from headrace.sql.limits import expect_readable
from headrace.sql.outside import refuse_outside
from headrace.sql.outside_context import Grounds
from headrace.sql.parsed import ParsedStatement
from headrace.sql.split import split_tokens
from headrace.sql.statements import RefreshDynamicTable
from headrace.views.jobs import find_job, may_manage
from headrace.views.lake_queries import LakeQueries

SYSTEM_USER = "headrace"
_SHUTDOWN_SECONDS = 60
"""How long running refreshes may take to end."""

_NOT_BEGUN = (RefreshState.SETUP, RefreshState.QUEUED, RefreshState.RESUMING_CLUSTER)

Launch = Callable[[Vcluster], ClusterProcess]


class Service:
    def __init__(self, lake: Path, clock: Clock = system_clock, launch: Launch | None = None) -> None:
        """``launch`` starts the process of a cluster."""
        self.clock = clock
        with ExitStack() as undo:
            self.directory = open_directory(lake)
            self._lock = LakeLock(self.directory) if self.directory.database is None else None
            if self._lock is not None:
                undo.callback(self._lock.release)
            self.events = EventFeed()
            self.store = open_store(self.directory, self.events.publish)
            undo.callback(self.store.close)
            self.heads = open_heads(self.directory)
            undo.callback(self.heads.close)
            self.pool = Pool(launch or launcher(self.directory, self.events.publish), self._note_state)
            self.pool.follow(self.store.vclusters.all())
            undo.callback(self._close_pool)
            self.sessions = Sessions()
            self.presence = Presence(self.store, clock, alone=self.directory.database is None)
            undo.callback(self.presence.leave)
            self.statements = Statements(clock, self.presence.record)
            self.operations = Operations(self.store, self.pool, clock, self.cancel_job)
            self.files = MetadataFiles()
            self.facts = LakeQueries(self.store, self.heads, self.files, self.directory.settings.zone, clock)
            self._grounds = Grounds(
                str(self.directory.warehouse), self.directory.settings.allowed_directories
            )
            known = Lake(self.store, self.heads.locations, self.files, self.directory.settings.zone)
            self.leadership = Leadership(self.store)
            undo.callback(self.leadership.release)
            self.scheduler = Scheduler(known, self._refresh, clock, self.leadership.holds)
            undo.callback(self._let_end)
            settings = self.directory.settings
            self.cleaning = Cleaning(self.store, settings.history_days, clock, self._vacuum)
            undo.callback(self.cleaning.stop_looking, join=False)
            self.delivery = Delivery(settings.alerts.targets)
            undo.callback(self.delivery.close)
            self.alerts = AlertWatch(known, settings.alerts, self._alert, clock)
            undo.callback(self.alerts.stop_looking)
            self.task_work = TaskWork(
                self.sessions, lambda session, text: self.submit(session, text, None), self.cancel, self.end
            )
            self.tasks = TaskRunner(
                self.store,
                self.task_work.carry_out,
                clock,
                settings.zone,
                self.leadership.holds,
                completed=self.scheduler.completed,
            )
            undo.callback(lambda: self.tasks.stop(_SHUTDOWN_SECONDS))
            self.task_operations = TaskOperations(self.store, settings, self.tasks, clock)
            self.housekeeping = Housekeeping(self)
            undo.callback(self.housekeeping.stop_looking, join=False)
            self.table_watch = TableWatch(self.heads.locations, self.events.publish)
            undo.callback(self.table_watch.stop_looking)
            self.progress_watch = ProgressWatch(
                self.statements.running, self.progress, lambda: self.events.is_followed, self.events.publish
            )
            undo.callback(self.progress_watch.stop_looking)
            undo.callback(self.events.close)
            self._undo = undo.pop_all()

    def announce(self, url: str) -> None:
        """Where processes on this machine find the server."""
        self.task_work.url = url
        if self._lock is not None:
            self._lock.announce(url)

    def start(self) -> None:
        self.presence.look()
        self.presence.start()
        self.scheduler.start()
        self.tasks.start()
        self.cleaning.start()
        self.housekeeping.start()
        self.table_watch.start()
        self.progress_watch.start()
        if self.directory.settings.alerts.targets:
            self.alerts.start()

    def problems(self) -> dict[str, str | None]:
        """Of each part that works in the background, why it cannot be relied on; None where it can."""
        return {
            "scheduler": self.scheduler.problem(),
            "tasks": self.tasks.problem(),
            "cleaning": self.cleaning.problem(),
            "alerts": self.alerts.problem() or self.delivery.problem(),
            "presence": self.presence.problem(),
            "clusters": self.pool.problem(),
            "housekeeping": self.housekeeping.problem(),
            "events": self.table_watch.problem() or self.progress_watch.problem(),
        }

    def _alert(self, message: Message) -> None:
        """One server speaks for all of a lake."""
        if self.leadership.holds():
            self.delivery.send(message)

    def close(self) -> None:
        """Lets running refreshes end, up to a limit; other statements are stopped."""
        self._undo.close()

    def _let_end(self) -> None:
        until = time.monotonic() + _SHUTDOWN_SECONDS
        for statement in self.statements.running():
            if not ParsedStatement(statement.job.statement).starts_with("REFRESH", "DYNAMIC"):
                self.cancel(statement, OperationalError("the server is being shut down"))
        self.scheduler.stop(_SHUTDOWN_SECONDS)
        wait([each.ended for each in self.statements.running()], max(0.0, until - time.monotonic()))

    def _close_pool(self) -> None:
        self.pool.close(force=any(cluster.running for cluster in self.pool.clusters()))

    def submit(self, session: Session, text: str, parameters: Parameters | None) -> Statement:
        found = split_tokens(text, expect_readable(text))
        if len(found) != 1:
            raise InterfaceError(
                "only one statement at a time is supported", hint="send the statements of a script separately"
            )
        parsed = ParsedStatement.of(found[0])
        if not self.directory.settings.allow_outside:
            refuse_outside(parsed, self._grounds)
        return self.statements.submit(
            session, parsed, lambda statement: self._run(statement, parsed, parameters)
        )

    def cancel(self, statement: Statement, reason: Error | None = None) -> None:
        self.task_operations.cancel(statement.job.job_id)
        self.statements.stop(statement, reason or Cancelled("the statement was cancelled"))
        with suppress(NotFound, ClusterLost):  # then it ends anyway
            self.pool.cluster(statement.job.cluster).cancel(statement.job.job_id)

    def progress(self, statement: Statement) -> str | None:
        if statement.job.state is not JobState.RUNNING:
            return None
        return self.pool.cluster(statement.job.cluster).progress(statement.job.job_id)

    def end(self, session: Session) -> None:
        self.sessions.close(session)
        for cluster in self.pool.clusters():
            with suppress(ClusterLost):  # the session went with it
                cluster.end_session(session.id)

    def _run(self, statement: Statement, parsed: ParsedStatement, parameters: Parameters | None) -> Answer:
        session, job, node = statement.session, statement.job, parsed.node
        for desk in (self.operations, self.task_operations):
            answered = desk.answer(node, job.statement, session, job.job_id)
            if answered is not None:
                return answered
        request = Execute(
            job.job_id, session.id, session.user, job.statement, parameters, session.journal.statements
        )
        answer = self.pool.cluster(job.cluster).run(
            job.job_id,
            lambda process: process.execute(request),
            lambda state: self.statements.note(statement, state),
        )
        if isinstance(node, RefreshDynamicTable):
            self._log_refreshes(answer)
        session.journal.note(parsed)
        session.workspace, session.schema = answer.workspace, answer.schema
        return answer

    def _log_refreshes(self, answer: Answer) -> None:
        """Those that a statement has run and answers with."""
        rows = pa.ipc.open_stream(answer.rows).read_all()
        for job_id in rows.column("job_id").to_pylist() if "job_id" in rows.column_names else ():
            row = self.store.refresh(job_id)
            if row is not None:
                log_refresh(row)

    def holder_of(self, token: str) -> str | None:
        """Whose token it is: a user's, or that of a task's script while it runs."""
        return self.task_work.holder_of(token) or self.store.tokens.holder_of(token)

    def cancel_job(self, job_id: str, user: str) -> None:
        """Of whatever kind; one that has ended is left alone, and a statement of another user too."""
        if not may_manage(find_job(job_id, self.store), user):
            raise AccessDenied(
                f"job {job_id} is a statement of another user",
                hint="only its creator and the owner of the lake can cancel it",
            )
        for statement in self.statements.running():
            if statement.job.job_id == job_id:
                self.cancel(statement)
                return
        for cluster in self.pool.clusters():
            cluster.cancel(job_id)

    def _vacuum(self) -> None:
        session = self.sessions.open(SYSTEM_USER)
        try:
            statement = self.submit(session, "VACUUM", None)
            statement.ended.result()
            if statement.error is not None:
                raise statement.error
        finally:
            self.end(session)

    def _note_state(self, vcluster: Vcluster, state: VclusterState) -> None:
        log_event("cluster", name=vcluster.name, state=state.value)
        with suppress(NotFound):  # it is being dropped
            self.store.vclusters.set_state(vcluster.id, state)
        self.events.publish(ClusterChange(vcluster.name, state))

    def _refresh(self, table: DynamicTable, job_id: str, given: Locations) -> Refresh:
        """Once more if the cluster's process ended meanwhile; starting anew it settles what it was at."""
        try:
            return self._refresh_once(table, job_id, given)
        except ClusterLost:
            return self._refresh_once(table, new_job_id(self.clock()), given)

    def _refresh_once(self, table: DynamicTable, job_id: str, given: Locations) -> Refresh:
        request = RefreshTable(job_id, table.name, RefreshTrigger.SYSTEM_SCHEDULED, given)
        row = scheduled_row(table, job_id, self.clock(), RefreshState.SETUP)

        def told(state: JobState) -> None:
            if state is not JobState.RUNNING:
                self.store.record(replace(row, state=RefreshState(state)))

        cluster = self.pool.cluster(table.cluster)
        try:
            return cluster.run(job_id, lambda process: process.refresh(request), told).row
        except ClusterLost as lost:
            self._end_unbegun(job_id, lost)
            raise

    def _end_unbegun(self, job_id: str, lost: ClusterLost) -> None:
        """A refresh that has begun is settled by the next one of its table."""
        row = self.store.refresh(job_id)
        if row is not None and row.state in _NOT_BEGUN:
            failed = replace(row, state=RefreshState.FAILED, end_time=self.clock())
            self.store.record(replace(failed, error_message=lost.message))
