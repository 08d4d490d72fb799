"""Refreshing on schedule: the only place that looks at the clock by itself.

Each look finds what is due. Tables that read one another go through a round together, sources first, all of
them on the base tables as they were when the round began. What has nothing to do is recorded without waking
anybody.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from headrace.catalog.store import MetadataStore
from headrace.errors import Error, InternalError
from headrace.lake.table.metadata_files import MetadataFiles
from headrace.model.clock import Clock
from headrace.model.dynamic_table import DynamicTable
from headrace.model.events import log_event, log_refresh
from headrace.model.history import Refresh, RefreshMode, RefreshState, RefreshTrigger
from headrace.model.job_id import new_job_id
from headrace.model.names import TableName
from headrace.model.periodic import PeriodicLoop
from headrace.schedule.due import FAILURES_IN_A_ROW, PastRuns, joins_early, next_due, slack
from headrace.schedule.graph import Graph, Order, components, graph_of
from headrace.schedule.unchanged import Locations, nothing_to_do

LOOK_SECONDS = 1.0
_AT_ONCE = 64
_LATE_ROWS = timedelta(minutes=5)
"""How long after its beginning the row of a refresh may appear in the history."""
_GONE = "the table was dropped or renamed before the refresh began"
_NEVER_BEGUN = "the server stopped before the refresh began"

Refresher = Callable[[DynamicTable, str, Locations], Refresh]
"""Refreshes a table under a job's id, with these sources as they are given; raises an Error if it fails."""


@dataclass(frozen=True)
class Lake:
    """What the scheduler knows of a lake."""

    store: MetadataStore
    locations: Callable[[], Locations]
    """Of all tables, in one query."""
    files: MetadataFiles
    zone: ZoneInfo


class Scheduler(PeriodicLoop):
    def __init__(
        self,
        lake: Lake,
        refresh: Refresher,
        clock: Clock,
        leads: Callable[[], bool] = lambda: True,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        """``leads`` says whether this is the one that schedules, among several servers of a lake."""
        super().__init__("scheduler", look_seconds)
        self._lake = lake
        self._refresh = refresh
        self._clock = clock
        self._leads = leads
        self._is_leading = False
        self._unsettled: set[str] = set()
        """Ids of tables with a refresh whose end another server did not write."""
        self._queued: dict[TableName, str] = {}
        """Due again while they were still at it: by the id of the job that follows."""
        self._served: dict[str, datetime] = {}
        """By the table's id: the due time that its last refresh stood for."""
        self._completed: dict[TableName, datetime] = {}
        """The due time that the last scheduled refresh of a table stood for, where it succeeded."""
        self._manual: dict[str, datetime] = {}
        """By the table's id: when its last manual refresh began."""
        self._manual_since: datetime | None = None
        """Manual refreshes that began earlier are known."""
        self._busy: set[TableName] = set()
        self._rounds: set[Future[None]] = set()
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="round")

    def stop(self, seconds: float) -> None:
        """Begins nothing more and waits for what runs."""
        self.stop_looking()
        wait(list(self._rounds), timeout=seconds)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def look(self) -> None:
        """One pass over all tables; rounds go on by themselves."""
        if not self._is_mine_to_do():
            return
        now = self._clock()
        store = self._lake.store
        tables = {table.name: table for table in store.definitions.all()}
        dues = self._dues(tables.values())
        is_due = {name for name, due in dues.items() if due is not None and due <= now}
        self._forget_queued(self._queued.keys() - tables.keys())
        is_due |= self._queued.keys()
        if not is_due:
            return
        graph = graph_of(tables.values())
        locations = self._lake.locations()
        unchanged: list[Refresh] = []
        for component in components(graph):
            due = component & is_due
            if not due:
                continue
            if component & self._busy:
                self._queue([tables[name] for name in sorted(due - self._queued.keys())], now)
                continue
            soon = now + slack(tables[name] for name in due)
            joining = {
                name for name in component if (at := dues[name]) and at <= soon and joins_early(tables[name])
            }
            self._serve({name: at for name in due | joining if (at := dues[name])}, tables, now)
            within = {name: graph[name] for name in component}
            unchanged += self._begin([tables[name] for name in sorted(due | joining)], within, locations, now)
        store.refreshes.record_all(unchanged)
        if unchanged:
            log_event("sources unchanged", tables=len(unchanged), due=len(is_due))

    def next_refreshes(self, tables: Iterable[DynamicTable]) -> dict[TableName, datetime | None]:
        """When each is due."""
        return self._dues(list(tables))

    def completed(self, name: TableName) -> datetime | None:
        """The due time of the last scheduled refresh that has succeeded since this server leads."""
        return self._completed.get(name)

    def _dues(self, tables: Collection[DynamicTable]) -> dict[TableName, datetime | None]:
        store = self._lake.store
        starts = store.refresh_outcomes.last_starts()
        manual = store.refresh_outcomes.last_starts(trigger=RefreshTrigger.MANUAL, since=self._manual_since)
        self._manual |= manual
        if starts:
            self._manual_since = max(starts.values()) - _LATE_ROWS
        return {
            table.name: next_due(
                table,
                PastRuns(starts.get(table.id), self._manual.get(table.id), self._served.get(table.id)),
            )
            for table in tables
        }

    def _serve(
        self,
        dues: Mapping[TableName, datetime],
        tables: Mapping[TableName, DynamicTable],
        now: datetime,
    ) -> None:
        """What begins now stands for its due time, and for those that were missed before now."""
        self._served |= {tables[name].id: max(at, now) for name, at in dues.items()}

    def wait_for_rounds(self, seconds: float) -> None:
        wait(list(self._rounds), timeout=seconds)

    def _is_mine_to_do(self) -> bool:
        was_leading, self._is_leading = self._is_leading, self._leads()
        if self._is_leading is not was_leading:
            log_event("lease", lease="scheduler", held=self._is_leading)
        if self._is_leading and not was_leading:
            self._take_over()
        return self._is_leading

    def _take_over(self) -> None:
        """Ends what a server that is gone had queued; what had begun is settled by the next refresh."""
        now = self._clock()
        left = [
            row for row in self._lake.store.refreshes.unended() if row.job_id not in self._queued.values()
        ]
        never_begun = [row for row in left if row.state is not RefreshState.RUNNING]
        self._unsettled |= {row.table_id for row in left} - {row.table_id for row in never_begun}
        self._lake.store.refreshes.record_all(
            [
                replace(row, state=RefreshState.FAILED, end_time=now, error_message=_NEVER_BEGUN)
                for row in never_begun
            ]
        )

    def _queue(self, tables: Iterable[DynamicTable], now: datetime) -> None:
        rows = [scheduled_row(table, new_job_id(now), now, RefreshState.QUEUED) for table in tables]
        self._lake.store.refreshes.record_all(rows)
        self._queued |= {row.table: row.job_id for row in rows}

    def _forget_queued(self, dropped: Iterable[TableName]) -> None:
        for name in list(dropped):
            row = self._lake.store.refreshes.find(self._queued.pop(name))
            if row is not None:
                ended = replace(row, state=RefreshState.FAILED, end_time=self._clock(), error_message=_GONE)
                self._lake.store.refreshes.record(ended)

    def _begin(
        self, tables: list[DynamicTable], graph: Graph, locations: Locations, now: datetime
    ) -> list[Refresh]:
        """Starts a round unless there is nothing to do; the rows of those tables that have nothing to do."""
        unchanged: list[Refresh] = []
        by_name = {table.name: table for table in tables}
        order = Order(graph, frozenset(by_name))
        moving: dict[TableName, DynamicTable] = {}
        while order:
            for name in order.ready():
                table = by_name[name]
                row = None if graph[name] & moving.keys() else self._unchanged(table, locations, now)
                if row is None:
                    moving[name] = table
                else:
                    unchanged.append(row)
                order.done(name)
        if moving:
            read = {source.name for table in moving.values() for source in table.definition.sources}
            base = {name: locations[name] for name in (read & locations.keys()) - graph.keys()}
            self._busy |= moving.keys()
            waited = self._queued.keys() & moving.keys()
            future = self._threads.submit(self._round, moving, graph, base, waited)
            self._rounds.add(future)
            future.add_done_callback(self._rounds.discard)
        return unchanged

    def _unchanged(
        self, table: DynamicTable, locations: Locations, now: datetime, job_id: str | None = None
    ) -> Refresh | None:
        if table.id in self._unsettled:
            return None
        found = nothing_to_do(table, locations, self._lake.files, now.astimezone(self._lake.zone).date())
        if found is None:
            return None
        decision, record = found
        job_id = job_id or self._queued.pop(table.name, None) or new_job_id(now)
        return replace(
            scheduled_row(table, job_id, now, RefreshState.SUCCEED),
            end_time=now,
            mode=RefreshMode.NO_DATA,
            mode_reason=decision.reason,
            source_versions=record.versions,
            rows_read=0,
            bytes_read=0,
            cluster_seconds=0.0,
        )

    def _round(
        self,
        tables: Mapping[TableName, DynamicTable],
        graph: Graph,
        base: Locations,
        waited: Set[TableName],
    ) -> None:
        """``waited`` are those that were due while the round before was still at it."""
        order = Order(graph, frozenset(tables))
        running: dict[Future[bool], TableName] = {}
        try:
            with ThreadPoolExecutor(min(len(tables), _AT_ONCE)) as threads:
                while order:
                    for name in order.ready():
                        future = threads.submit(
                            self._one,
                            tables[name],
                            base,
                            waited=name in waited,
                            follows=not graph[name].isdisjoint(tables),
                        )
                        running[future] = name
                    ended, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in ended:
                        name = running.pop(future)
                        self._busy.discard(name)
                        order.done(name, failed=not future.result())
        except Exception as error:  # noqa: BLE001  (nobody else hears of it)
            self.report(error)
        finally:
            self._busy -= tables.keys()

    def _one(self, table: DynamicTable, base: Locations, *, waited: bool, follows: bool) -> bool:
        """Whether the table was brought up to date; one that ``follows`` reads another of the round."""
        current = self._lake.store.definitions.find(table.name)
        if self._stopping.is_set() or current is None or current.id != table.id:
            return False
        table, now = current, self._clock()
        job_id = (self._queued.pop(table.name, None) if waited else None) or new_job_id(now)
        if follows:
            unchanged = self._unchanged(table, {**self._lake.locations(), **base}, now, job_id)
            if unchanged is not None:
                self._lake.store.refreshes.record_all([unchanged])
                log_refresh(unchanged)
                return True
        self._unsettled.discard(table.id)
        sources = {source.name for source in table.definition.sources}
        try:
            row = self._refresh(table, job_id, {name: base[name] for name in sources & base.keys()})
            log_refresh(row)
            self._completed[table.name] = self._served.get(table.id, now)
        except Error as error:
            _log_failure(table, job_id, error)
            self._failed(table, job_id, error)
            return False
        except Exception as error:  # noqa: BLE001  (the history and the log must tell of it)
            _log_failure(table, job_id, error)
            self._failed(table, job_id, InternalError.of(error))
            return False
        return True

    def _failed(self, table: DynamicTable, job_id: str, error: Error) -> None:
        store = self._lake.store
        now = self._clock()
        row = store.refreshes.find(job_id) or scheduled_row(table, job_id, now, RefreshState.QUEUED)
        if row.state not in (RefreshState.SUCCEED, RefreshState.FAILED):
            row = replace(row, state=RefreshState.FAILED, end_time=now, error_message=error.message)
        if store.refresh_outcomes.failures_in_a_row(table.id, besides=job_id) + 1 >= FAILURES_IN_A_ROW:
            row = replace(row, suspended_reason=f"{FAILURES_IN_A_ROW} consecutive refreshes failed")
            store.definitions.set_suspended(table.id, suspended=True, modified_at=now)
            log_event(
                "schedule suspended",
                level=logging.WARNING,
                table=str(table.name),
                reason=row.suspended_reason,
            )
        store.refreshes.record_all([row])


def _log_failure(table: DynamicTable, job_id: str, error: Exception) -> None:
    log_event("refresh failed", level=logging.ERROR, exception=error, table=str(table.name), job=job_id)


def scheduled_row(table: DynamicTable, job_id: str, now: datetime, state: RefreshState) -> Refresh:
    """The row of a refresh that has not begun."""
    return Refresh(
        job_id=job_id,
        table_id=table.id,
        table=table.name,
        cluster=table.cluster,
        start_time=now.replace(microsecond=now.microsecond // 1000 * 1000),
        state=state,
        trigger=RefreshTrigger.SYSTEM_SCHEDULED,
        sources=tuple(source.name for source in table.definition.sources),
    )
