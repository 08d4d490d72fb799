"""A lake that this process has open. All connections of the process share one."""

from __future__ import annotations

import contextlib
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from headrace.catalog import Lifecycle, MetadataStore, sqlite_url
from headrace.commands.held_scans import HeldScans
from headrace.commands.keep import finish_drops
from headrace.commands.lake_side import settle_alteration
from headrace.commands.settle_consumption import settle_consumption
from headrace.errors import Error, RefreshRunning, StreamBusy
from headrace.lake import engine
from headrace.lake.directory import LakeDirectory, LakeLock, open_directory
from headrace.lake.heads import CatalogHeads
from headrace.lake.in_line import bring_in_line
from headrace.lake.session import LakeSession
from headrace.lake.settings import Settings
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import DEFAULT_SCHEMA, DEFAULT_WORKSPACE
from headrace.model.quoting import quote_identifier
from headrace.model.stream import TableStream
from headrace.refresh.plan import Layouts
from headrace.refresh.run import settle

Clock = Callable[[], datetime]
Report = Callable[[str], None]

_INTERRUPTED = "the process ended during the refresh"


def system_clock() -> datetime:
    return datetime.now(UTC)


class OpenLake:
    def __init__(self, directory: LakeDirectory, clock: Clock, report: Report) -> None:
        self.directory = directory
        self.clock = clock
        self._table_locks: dict[str, threading.Lock] = defaultdict(threading.Lock)
        self._idle: list[LakeSession] = []
        self.layouts: Layouts = {}
        self.moving_names = threading.Lock()
        """Held while a table is dropped or undropped."""
        self.purging = threading.Lock()
        self.held_scans = HeldScans()
        with contextlib.ExitStack() as undo:
            lock = LakeLock(directory)
            undo.callback(lock.release)
            self.store = MetadataStore.open(sqlite_url(directory.metadata_db))
            undo.callback(self.store.close)
            engine.start_engine(directory, report)
            self._start(undo)
            self._undo = undo.pop_all()

    def _start(self, undo: contextlib.ExitStack) -> None:
        first = engine.new_session(self.directory)
        channel: Any = engine.hold_lock_in_jvm(self.directory, first)
        undo.callback(channel.close)
        engine.ensure_default_schema(first)
        self._heads = CatalogHeads(self.directory.catalog_db)
        undo.callback(self._heads.close)
        self.catalog_session = self.new_session()
        undo.callback(self.held_scans.close)
        self._recover()
        self.store.forget_before(self.clock() - timedelta(days=self.settings.history_days))

    @property
    def settings(self) -> Settings:
        return self.directory.settings

    def close(self) -> None:
        self._undo.close()

    def new_session(self) -> LakeSession:
        session = LakeSession(self.directory, self._heads)
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
    def alone_with(self, table: DynamicTable) -> Iterator[None]:
        """One refresh, drop or replacement of a table at a time; others wait, up to a limit."""
        lock = self._table_locks[table.id]
        if not lock.acquire(timeout=self.settings.refresh_wait_seconds):
            raise RefreshRunning(
                f"{table.name} is being refreshed since over {self.settings.refresh_wait_seconds} seconds",
                hint="SHOW DYNAMIC TABLE REFRESH HISTORY shows it; try again when it has ended",
            )
        try:
            yield
        finally:
            lock.release()

    @contextlib.contextmanager
    def alone_with_streams(self, streams: Iterable[TableStream]) -> Iterator[None]:
        """One statement at a time consumes, drops or replaces a stream; others wait, up to a limit."""
        with contextlib.ExitStack() as held:
            for stream in sorted(streams, key=lambda stream: stream.id):
                lock = self._table_locks[stream.id]
                if not lock.acquire(timeout=self.settings.refresh_wait_seconds):
                    raise StreamBusy(
                        f"{stream.name} is being consumed since over "
                        f"{self.settings.refresh_wait_seconds} seconds",
                        hint="try again when the statement that consumes it has ended",
                    )
                held.callback(lock.release)
            yield

    def _recover(self) -> None:
        """Ends what a killed process left half-done; the lake's lock says that it is dead."""
        catalog = self.catalog_session.catalog
        for consumption in self.store.streams.unended():
            settle_consumption(consumption, catalog, self.store)
        finish_drops(self.store, catalog)
        for pending in self.store.unfinished():
            if pending.lifecycle is Lifecycle.REPLACING:
                self._finish_replacement(pending.table)
                continue
            catalog.drop_if_owned(pending.table.name, pending.table.id)
            if pending.lifecycle is Lifecycle.CREATING:
                self.store.abandon_create(pending.table.id)
            else:
                self.store.finish_drop(pending.table.id)
        for alteration in self.store.altering():
            settle_alteration(alteration, catalog, self.store)
        for row in self.store.unended():
            settle(row, catalog, self.store, self.clock(), _INTERRUPTED)

    def _finish_replacement(self, table: DynamicTable) -> None:
        """Without its Iceberg table there is nothing to bring in line; each refresh says that it is gone."""
        if self.catalog_session.catalog.table(table.name) is not None:
            bring_in_line(table, self.catalog_session)
        self.store.finish_replace(table.id)


_open: dict[Path, tuple[OpenLake, int]] = {}
_open_lock = threading.Lock()


def acquire(path: Path, clock: Clock, report: Report) -> OpenLake:
    """The lake at ``path``, opened unless this process has it open already."""
    directory = open_directory(path)
    with _open_lock:
        lake, users = _open.get(directory.path, (None, 0))
        if lake is None:
            lake = OpenLake(directory, clock, report)
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
