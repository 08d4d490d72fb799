"""A lake that is being served, put together: no Spark in this process, only in those of its clusters.

The parts are given to whatever needs them one by one; nobody is given all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from headrace.cluster.pool import Pool, launcher
from headrace.cluster.process import ClusterProcess
from headrace.commands.databases import open_catalog, open_store
from headrace.errors import NotFound
from headrace.features.development.edit import FileEditing
from headrace.features.pipes.model import Pipe
from headrace.features.syncs.model import Sync
from headrace.ingest.stream_writers.stream_writes import Limits, StreamWrites
from headrace.ingest.stream_writers.targets import Targets
from headrace.ingest.supervisor import PipeSupervisor
from headrace.lake.directory import LakeLock, open_directory
from headrace.lake.table.metadata_files import MetadataFiles
from headrace.model.access_token import Principal
from headrace.model.alert import Message
from headrace.model.catalog_backend import CatalogBackend
from headrace.model.change import ClusterChange
from headrace.model.clock import Clock, system_clock
from headrace.model.events import log_event
from headrace.model.vcluster import Vcluster, VclusterState
from headrace.schedule.alert_watch import LOOK_SECONDS, AlertWatch
from headrace.schedule.backfill_runner import BackfillRunner
from headrace.schedule.delivery import Delivery
from headrace.schedule.leader_election import Leadership
from headrace.schedule.loop import Lake, Scheduler
from headrace.schedule.task_loop import TaskRunner
from headrace.server.background import Background
from headrace.server.change_watch import ProgressWatch, TableWatch
from headrace.server.cleaning import Cleaning
from headrace.server.deployment import Deployment
from headrace.server.event_feed import EventFeed
from headrace.server.housekeeping import Housekeeping
from headrace.server.operations import Operations
from headrace.server.pipe_work import PipeWork
from headrace.server.presence import Presence
from headrace.server.refresh_runner import RefreshRunner
from headrace.server.script_runs import ScriptRuns
from headrace.server.session_statements import SessionStatements
from headrace.server.sessions import ClientSession, Sessions
from headrace.server.statement_runner import StatementRunner
from headrace.server.statements import Statements
from headrace.server.stream_commits import StreamCommits
from headrace.server.task_control import TaskControl, TaskQueries
from headrace.server.task_operations import TaskOperations
from headrace.server.task_work import TaskWork
from headrace.sql.parsed import ParsedStatement
from headrace.sql.sandbox.sandbox_context import Grounds
from headrace.sql.sandbox.sandbox_rules import refuse_outside
from headrace.views.lake_queries import LakeQueries

SYSTEM_USER = "headrace"
_SHUTDOWN_SECONDS = 60
"""How long running refreshes may take to end."""
_RECORD_SECONDS = 10
_LOOK_SECONDS_WITHOUT_TARGETS = 30.0
"""How often troubles are looked for that are only recorded."""

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
            heads = open_catalog(self.directory)
            undo.callback(heads.close)
            self.pool = Pool(launch or launcher(self.directory, self.events.publish), self._note_state)
            self.pool.follow(self.store.vclusters.all())
            undo.callback(self._close_pool)
            presence = Presence(
                self.store.jobs, self.store.leases, clock, alone=self.directory.database is None
            )
            undo.callback(presence.leave)
            self.stream_writes = self._make_stream_writes(heads, undo)
            self.sessions = Sessions()
            self.statements = Statements(clock, presence.record)
            self.runner = StatementRunner(
                self.sessions,
                self.statements,
                self.pool,
                self.store,
                self._refuse_outside,
                self._commit_streamed,
            )
            zone = self.directory.settings.zone
            indexes = self.directory.key_indexes.directory
            self.queries = LakeQueries(self.store, heads, MetadataFiles(), zone, indexes, clock)
            self.refresh_runner = RefreshRunner(self.store, self.pool, clock)
            self.editing = FileEditing(self.store.files, clock)
            self.deployment = self._make_deployment()
            self.background = self._make_background(presence, heads, undo)
            undo.callback(self.events.close)
            self._undo = undo.pop_all()

    def _make_deployment(self) -> Deployment:
        return Deployment(
            self.editing,
            self.store.tasks,
            self.store.vclusters,
            self.store.definitions,
            self.directory.settings,
            self.clock,
            SessionStatements(self.sessions, self.runner),
        )

    def _make_stream_writes(self, heads: CatalogBackend, undo: ExitStack) -> StreamWrites:
        settings, commits = self.directory.settings, StreamCommits(self.pool, self.clock)
        writes = StreamWrites(
            self.directory.write_ahead,
            Targets(heads, self.store.definitions.names),
            commits.commit,
            lambda: {*heads.locations("VIEW"), *self.store.streams.names()},
            Limits(settings.stream_commit_seconds, settings.stream_pending_mb << 20),
            self.clock,
        )
        undo.callback(lambda: writes.stop(commit=commits.can_commit))
        return writes

    def _commit_streamed(self, session: ClientSession, text: str) -> list[str]:
        """What the statement may read of stream writers' rows."""
        return self.stream_writes.commit_before((text, *session.journal.statements), session.cluster)

    def _make_background(self, presence: Presence, heads: CatalogBackend, undo: ExitStack) -> Background:
        """What begins last ends first."""
        settings, clock = self.directory.settings, self.clock
        known = Lake(self.store, heads.locations, self.queries.files, settings.zone)
        leadership = Leadership(self.store.leases)
        undo.callback(leadership.release)
        scheduler = Scheduler(known, self.refresh_runner.refresh, clock, leadership.holds)
        undo.callback(self._let_end, scheduler)
        cleaning = Cleaning(
            (
                self.store.refreshes,
                self.store.jobs,
                self.store.task_runs,
                self.store.backfills,
                self.store.alerts,
            ),
            self.store.dropped,
            settings.history_days,
            clock,
            lambda: self.runner.run_as(SYSTEM_USER, "VACUUM"),
            self.queries.indexes.remove_orphans,
        )
        undo.callback(cleaning.stop_looking, join=False)
        alerts, delivery = self._make_alerts(known, leadership, undo)
        tasks = self._make_tasks(leadership, scheduler, undo)
        pipes, syncs = self._make_pipes(undo)
        housekeeping = Housekeeping(
            self.sessions,
            self.statements,
            self.runner,
            settings.statement_timeout_seconds,
            self._follow_clusters,
        )
        undo.callback(housekeeping.stop_looking, join=False)
        table_watch = TableWatch(heads.locations, self.events.publish)
        undo.callback(table_watch.stop_looking)
        progress_watch = ProgressWatch(
            self.statements.running,
            self.runner.progress,
            lambda: self.events.is_followed,
            self.events.publish,
        )
        undo.callback(progress_watch.stop_looking)
        return Background(
            presence,
            scheduler,
            tasks,
            pipes,
            syncs,
            self.stream_writes,
            cleaning,
            alerts,
            delivery,
            housekeeping,
            table_watch,
            progress_watch,
            self.pool,
        )

    def _make_alerts(
        self, known: Lake, leadership: Leadership, undo: ExitStack
    ) -> tuple[AlertWatch, Delivery]:
        settings = self.directory.settings.alerts
        delivery = Delivery(settings.targets)
        undo.callback(delivery.close)

        def alert(message: Message) -> None:
            """One server speaks for all of a lake."""
            if leadership.holds():
                delivery.send(message)

        seconds = LOOK_SECONDS if settings.targets else _LOOK_SECONDS_WITHOUT_TARGETS
        alerts = AlertWatch(known, settings, alert, self.clock, seconds, leadership.holds)
        undo.callback(alerts.stop_looking)
        return alerts, delivery

    def _make_pipes(self, undo: ExitStack) -> tuple[PipeSupervisor[Pipe], PipeSupervisor[Sync]]:
        runner = self.runner
        work = PipeWork(
            self.sessions, lambda session, text: runner.submit(session, text, None), runner.end_session
        )
        pipes = PipeSupervisor(self.store.pipes, self.store.leases, work.run, self.clock)
        zone = self.directory.settings.zone
        syncs = PipeSupervisor(
            self.store.syncs, self.store.leases, work.run, self.clock, kind="sync", zone=zone
        )
        undo.callback(pipes.stop, _RECORD_SECONDS)
        undo.callback(syncs.stop, _RECORD_SECONDS)
        return pipes, syncs

    def _make_tasks(self, leadership: Leadership, scheduler: Scheduler, undo: ExitStack) -> TaskRunner:
        settings, runner = self.directory.settings, self.runner
        self.task_work = TaskWork(
            self.sessions,
            lambda session, text: runner.submit(session, text, None),
            runner.cancel,
            runner.end_session,
        )
        self.scripts = ScriptRuns(
            self.task_work.carry_out, self.clock, settings.zone, is_allowed=settings.allow_outside
        )
        undo.callback(self.scripts.stop)
        tasks = TaskRunner(
            self.store,
            self.task_work.carry_out,
            self.clock,
            settings.zone,
            leadership.holds,
            completed=scheduler.completed,
            on_lead=lambda: self.backfills.recover(),
        )
        self.backfills = BackfillRunner(self.store.backfills, self.store.tasks, tasks, self.clock)
        undo.callback(self.backfills.wait, _RECORD_SECONDS)
        undo.callback(tasks.stop, _SHUTDOWN_SECONDS)
        undo.callback(self.backfills.stop)
        task_operations = TaskOperations(self.store.tasks, self.store.vclusters, settings, tasks, self.clock)
        operations = Operations(
            self.store, self.pool, self.clock, runner.cancel_job, self.stream_writes, settings
        )
        runner.use(operations, task_operations, on_cancel=task_operations.cancel)
        self.task_control = TaskControl(
            TaskQueries(self.store, settings.zone, self.clock),
            tasks,
            self.backfills,
            SessionStatements(self.sessions, runner),
        )
        return tasks

    def announce(self, url: str) -> None:
        """Where processes on this machine find the server."""
        self.task_work.url = url
        if self._lock is not None:
            self._lock.announce(url)

    def start(self) -> None:
        self.background.start()

    def close(self) -> None:
        """Lets running refreshes end, up to a limit; other statements are stopped."""
        self._undo.close()

    def holder_of(self, token: str) -> Principal | None:
        """Whose token it is: a user's, or that of a task's script while it runs."""
        return self.task_work.holder_of(token) or self.store.tokens.holder_of(token)

    def _refuse_outside(self, statement: ParsedStatement) -> None:
        settings = self.directory.settings
        if not settings.allow_outside:
            grounds = Grounds(
                str(self.directory.warehouse),
                settings.allowed_directories,
                settings.allowed_brokers,
                settings.allowed_databases,
            )
            refuse_outside(statement, grounds)

    def _let_end(self, scheduler: Scheduler) -> None:
        until = time.monotonic() + _SHUTDOWN_SECONDS
        self.runner.cancel_all()
        scheduler.stop(_SHUTDOWN_SECONDS)
        self.runner.wait_for_all(until)

    def _close_pool(self) -> None:
        self.pool.close(force=any(cluster.running for cluster in self.pool.clusters()))

    def _follow_clusters(self) -> None:
        """Other servers of the lake create and change clusters, too."""
        if self.directory.database is not None:
            self.pool.follow(self.store.vclusters.all())

    def _note_state(self, vcluster: Vcluster, state: VclusterState) -> None:
        log_event("cluster", name=vcluster.name, state=state.value)
        with suppress(NotFound):  # it is being dropped
            self.store.vclusters.set_state(vcluster.id, state)
        self.events.publish(ClusterChange(vcluster.name, state))
