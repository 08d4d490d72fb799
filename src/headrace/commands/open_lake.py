"""A lake that this process has open. All connections of the process share one."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from headrace.catalog.definition_lifecycle import Unfinished
from headrace.catalog.leases import SCHEDULER_LEASE
from headrace.catalog.schema import Lifecycle
from headrace.commands.databases import open_catalog, open_store, shared_locks
from headrace.commands.held_scans import HeldScans
from headrace.errors import EngineLost, Error, NotFound, RefreshRunning, StreamBusy
from headrace.features.dynamic_tables.lake_side import settle_alteration
from headrace.features.recovery.trash import finish_drops
from headrace.features.streams.model import Consumption, TableStream
from headrace.features.streams.settle_consumption import settle_consumption
from headrace.lake.commit.sync_schema import bring_in_line
from headrace.lake.directory import LakeDirectory, LakeLock, open_directory
from headrace.lake.locks import Locks, ThreadLocks
from headrace.lake.lookup.lake_indexes import LakeIndexes
from headrace.lake.secret_box import SecretBox
from headrace.lake.session import LakeSession
from headrace.lake.settings import Settings
from headrace.lake.spark import engine
from headrace.lake.spark.sandbox import Sandbox, closed_sandbox
from headrace.lake.table.metadata_files import Head, MetadataFiles
from headrace.model.change import OnRecord, not_followed
from headrace.model.clock import Clock, system_clock
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import Refresh, RefreshState
from headrace.model.names import DEFAULT_SCHEMA, DEFAULT_WORKSPACE, TableName
from headrace.model.quoting import quote_identifier
from headrace.refresh.condition import LakeState
from headrace.refresh.inner_aggregates import Nested
from headrace.refresh.plan import Layouts
from headrace.refresh.record import REFRESH_ID
from headrace.refresh.settle import settle
from headrace.views.lake_state import lake_state

T = TypeVar("T")
Report = Callable[[str], None]

_INTERRUPTED = "the process ended during the refresh"


class OpenLake:
    def __init__(
        self,
        directory: LakeDirectory,
        clock: Clock,
        report: Report,
        shared: Locks | None = None,
        sandbox: Sandbox | None = None,
        on_record: OnRecord = not_followed,
    ) -> None:
        """``shared`` are the locks of processes that have the lake open together, under one server.

        With a ``sandbox``, no statement of any session reaches outside of it.
        """
        self.directory = directory
        self.sandbox = sandbox
        self.clock = clock
        self.locks = shared or ThreadLocks()
        self.is_shared = shared is not None
        self._idle: list[LakeSession] = []
        self.layouts: Layouts = {}
        self.nested: dict[str, Nested] = {}
        self.compacts = True
        """Whether refreshes compact their tables."""
        self.held_scans = HeldScans()
        self._before_close: list[Callable[[], None]] = []
        self._files = MetadataFiles()
        with contextlib.ExitStack() as undo:
            if not self.is_shared:
                undo.callback(LakeLock(directory).release)
            self.store = open_store(directory, on_record)
            undo.callback(self.store.close)
            engine.start_engine(directory, report)
            self._start(undo)
            self._undo = undo.pop_all()

    def _start(self, undo: contextlib.ExitStack) -> None:
        self.backend = open_catalog(self.directory)
        undo.callback(self.backend.close)
        first = engine.new_session(self.directory, self.backend)
        channel: Any = engine.hold_lock_in_jvm(self.directory, first, is_shared=self.is_shared)
        undo.callback(channel.close)
        engine.ensure_default_schema(first)
        self.catalog_session = self.new_session()
        undo.callback(self.held_scans.close)
        self._recover()
        self.store.partitions.forget_lost()
        self.store.refreshes.delete_before(self.clock() - timedelta(days=self.settings.history_days))

    @property
    def settings(self) -> Settings:
        return self.directory.settings

    def secret_value(self, name: str) -> str:
        """What is stored under a name, for whoever connects to another system."""
        sealed = self.store.secrets.find(name)
        if sealed is None:
            raise NotFound(
                f"secret {name} does not exist", hint=f"store it with `headrace secret set {name}`"
            )
        return SecretBox(self.directory.path).open(sealed)

    @property
    def is_scheduled(self) -> bool:
        """Whether some server refreshes its tables by itself."""
        now = system_clock()
        return any(lease.is_held(now) for lease in self.store.leases.holders_of(SCHEDULER_LEASE))

    def before_close(self, work: Callable[[], None]) -> None:
        """What is to be done while the lake is still open."""
        self._before_close.append(work)

    def close(self) -> None:
        """What was held in a JVM that has ended is gone with it."""
        for work in self._before_close:
            work()
        with contextlib.suppress(EngineLost), engine.engine_needed():
            self._undo.close()

    def heads_of_all(self) -> dict[TableName, Head]:
        """Of the lake's own tables, without Spark."""
        return self._files.heads(self.backend.locations(), REFRESH_ID)

    @property
    def key_indexes(self) -> LakeIndexes:
        """Those of the lake's directory, listed without Spark."""
        return LakeIndexes(
            self.directory.key_indexes.directory,
            lambda: self._files.histories(self.backend.locations(), REFRESH_ID),
        )

    def names(self) -> set[TableName]:
        """Of all tables, views and streams of the lake itself, without Spark."""
        return {*self.backend.locations(), *self.backend.locations("VIEW"), *self.store.streams.names()}

    def state(self) -> LakeState:
        """What is known of the dynamic tables and of all that they read."""
        load = self.catalog_session.catalog.table
        return lake_state(
            self.store.definitions, self.store.refresh_outcomes, self.backend.locations(), self._files, load
        )

    def new_session(self, *, reads_only: bool = False) -> LakeSession:
        """Statements of one that only reads change nothing, also where the lake has no sandbox."""
        sandbox = self.sandbox
        if reads_only:
            sandbox = replace(sandbox or closed_sandbox(self.directory), reads_only=True)
        session = LakeSession(self.directory, self.backend, self.store.streams.names, sandbox)
        if self.settings.workspaces:
            self._load_workspaces(session)
        return session

    def _load_workspaces(self, session: LakeSession) -> None:
        """Only SQL makes Spark load a catalog with this session's settings; one out of reach is no hurdle."""
        for workspace in self.settings.workspaces:
            with contextlib.suppress(Error):
                session.run(f"USE {quote_identifier(workspace)}")
        session.run(f"USE {DEFAULT_WORKSPACE}.{DEFAULT_SCHEMA}")

    @contextlib.contextmanager
    def borrow_session(self) -> Iterator[LakeSession]:
        """A session with the lake's own settings, for work that must not depend on what a user has SET."""
        try:
            session = self._idle.pop()
        except IndexError:
            session = self.new_session()
        try:
            yield session
        finally:
            self._idle.append(session)

    @contextlib.contextmanager
    def alone_with(self, table: DynamicTable, partition: str | None = None) -> Iterator[None]:
        """One refresh, drop or replacement of a table at a time; others wait, up to a limit.

        Of partitions, which have keys, each is refreshed by one at a time.
        """
        with self._held(table.id, f"{table.name} is being refreshed", partition):
            yield

    @property
    def moving_names(self) -> contextlib.AbstractContextManager[None]:
        """Held while a table is dropped or undropped."""
        return self._held("names", "another DROP or UNDROP is running")

    @property
    def purging(self) -> contextlib.AbstractContextManager[None]:
        return self._held("purging", "dropped tables are being deleted")

    @contextlib.contextmanager
    def _held(self, key: str, otherwise: str, part: str | None = None) -> Iterator[None]:
        seconds = self.settings.refresh_wait_seconds
        with self.locks.hold(key, seconds, part) as held:
            if not held:
                raise RefreshRunning(
                    f"timed out after waiting {seconds} seconds: {otherwise}",
                    hint="SHOW DYNAMIC TABLE REFRESH HISTORY shows running refreshes; try again later",
                )
            yield

    @contextlib.contextmanager
    def alone_with_streams(self, streams: Iterable[TableStream]) -> Iterator[None]:
        """One statement at a time consumes, drops or replaces a stream; others wait, up to a limit."""
        seconds = self.settings.refresh_wait_seconds
        with contextlib.ExitStack() as held:
            for stream in sorted(streams, key=lambda stream: stream.id):
                if not held.enter_context(self.locks.hold(stream.id, seconds)):
                    raise StreamBusy(
                        f"timed out after waiting {seconds} seconds: {stream.name} is being consumed",
                        hint="try again when the statement that consumes it has ended",
                    )
            yield

    def _recover(self) -> None:
        """Ends what a killed process left half-done. What is locked is being worked on by a living one."""
        catalog, store = self.catalog_session.catalog, self.store
        for consumption in self._left_consumptions():
            settle_consumption(consumption, catalog, store.streams)
        with self.moving_names:
            finish_drops(store.dropped, store.streams, catalog, self.clock())
        for pending in self._left(store.lifecycle.unfinished, lambda each: each.table.id):
            self._finish(pending)
        for alteration in self._left(store.lifecycle.altering, lambda each: each.table.id):
            settle_alteration(alteration, catalog, store.lifecycle)
        for row in self._left(self._begun, lambda each: each.table_id):
            settle(row, catalog, store.refreshes, self.clock(), _INTERRUPTED)

    def _left_consumptions(self) -> Iterator[Consumption]:
        """Each with its streams locked, and still listed then."""
        for consumption in self.store.streams.unended():
            with contextlib.ExitStack() as held:
                streams = sorted(consumption.offsets)
                if all(held.enter_context(self.locks.hold(stream, 0)) for stream in streams):
                    yield from (each for each in self.store.streams.unended() if each.id == consumption.id)

    def _begun(self) -> list[Refresh]:
        """Refreshes that have not ended; those that have not begun are left to a server, if there is one."""
        unended = self.store.refreshes.unended()
        return [row for row in unended if row.state is RefreshState.RUNNING or not self.is_shared]

    def _left(self, listed: Callable[[], list[T]], table_id: Callable[[T], str]) -> Iterator[T]:
        """Each with its table locked, and still listed then."""
        for key in dict.fromkeys(map(table_id, listed())):
            with self.locks.hold(key, 0) as is_left:
                if is_left:
                    yield from (each for each in listed() if table_id(each) == key)

    def _finish(self, pending: Unfinished) -> None:
        if pending.lifecycle is Lifecycle.REPLACING:
            self._finish_replacement(pending.table)
            return
        self.catalog_session.catalog.drop_if_owned(pending.table.name, pending.table.id)
        if pending.lifecycle is Lifecycle.CREATING:
            self.store.lifecycle.abandon_create(pending.table.id)
        else:
            self.store.lifecycle.finish_drop(pending.table.id)

    def _finish_replacement(self, table: DynamicTable) -> None:
        """Without its Iceberg table there is nothing to bring in line; each refresh says that it is gone."""
        if self.catalog_session.catalog.table(table.name) is not None:
            bring_in_line(table, self.catalog_session)
        self.store.lifecycle.finish_replace(table.id)


_open: dict[Path, tuple[OpenLake, int]] = {}
_open_lock = threading.Lock()


def acquire(path: Path, clock: Clock, report: Report) -> OpenLake:
    """The lake at ``path``, opened unless this process has it open already."""
    directory = open_directory(path)
    with _open_lock:
        lake, users = _open.get(directory.path, (None, 0))
        if lake is None:
            shared = shared_locks(directory) if directory.database is not None else None
            lake = OpenLake(directory, clock, report, shared)
        _open[directory.path] = (lake, users + 1)
        return lake


def release(lake: OpenLake) -> None:
    """The last user closes it."""
    with _open_lock:
        _, users = _open[lake.directory.path]
        if users > 1:
            _open[lake.directory.path] = (lake, users - 1)
            return
        del _open[lake.directory.path]
    lake.close()
