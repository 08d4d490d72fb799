"""One refresh from beginning to end."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from headrace.catalog import MetadataStore
from headrace.errors import Error, RefreshFailed
from headrace.lake.measure import Execution, execute_measured
from headrace.lake.session import LakeSession
from headrace.lake.tables import Snapshot, TableCatalog
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import (
    JobProfile,
    Phase,
    Refresh,
    RefreshMode,
    RefreshState,
    RefreshStats,
    RefreshTrigger,
)
from headrace.refresh.choose import choose
from headrace.refresh.full import FullRefresh, plan_full
from headrace.refresh.look import Look, has_landed, look
from headrace.refresh.pinned_query import pinned_query
from headrace.refresh.record import REFRESH_ID, RefreshRecord, to_summary

_SNAPSHOT_PROPERTY = "spark.sql.iceberg.snapshot-property."
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(frozen=True)
class Tools:
    """What a refresh works with."""

    store: MetadataStore
    catalog: TableCatalog
    borrow_session: Callable[[], AbstractContextManager[LakeSession]]
    clock: Callable[[], datetime]
    zone: ZoneInfo


@dataclass(frozen=True)
class Request:
    full: bool = False
    trigger: RefreshTrigger = RefreshTrigger.MANUAL
    tag: str | None = None


@dataclass
class _Run:
    """One refresh while it runs."""

    table: DynamicTable
    tools: Tools
    request: Request
    row: Refresh
    seen: Look
    today: date
    phases: list[Phase] = field(default_factory=list)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.phases.append(Phase(name, time.perf_counter() - start))


def refresh_table(table: DynamicTable, tools: Tools, request: Request) -> Refresh:
    """The history row of the refresh. A failed one is recorded and raised; the old rows stand."""
    run = _begin(table, tools, request)
    if run.row.mode is RefreshMode.NO_DATA:
        return _finish(run, stats=None)
    tools.store.record(run.row)
    try:
        plan = _plan(run)
        execution = _execute(run, plan)
        snapshot = _committed(run)
    except BaseException as error:
        if not settle(run.row, tools.catalog, tools.store, tools.clock(), _words(error)):
            raise _refresh_failed(run, error) from error
        raise
    return _finish(run, plan.stats(run.seen.target.snapshot, snapshot), execution)


def settle(
    row: Refresh, catalog: TableCatalog, store: MetadataStore, now: datetime, error_message: str
) -> bool:
    """Ends the row of a refresh that stopped short, by what the table itself says; True if it landed."""
    table = catalog.table(row.table)
    landed = table is not None and has_landed(table, row.job_id)
    ended = max(_to_milliseconds(now), row.start_time)
    if landed:
        store.record(replace(row, state=RefreshState.SUCCEED, end_time=ended))
    else:
        store.record(replace(row, state=RefreshState.FAILED, end_time=ended, error_message=error_message))
    return landed


def new_job_id(moment: datetime) -> str:
    """Sorts by time, to a tenth of a millisecond."""
    stamp = moment.astimezone(UTC)
    return f"{stamp:%Y%m%d%H%M%S}{stamp.microsecond // 100:04d}" + "".join(
        secrets.choice(_ALPHABET) for _ in range(11)
    )


def _begin(table: DynamicTable, tools: Tools, request: Request) -> _Run:
    started, clicked = tools.clock(), time.perf_counter()
    seen = look(table, tools.catalog, tools.store, full=request.full)
    today = started.astimezone(tools.zone).date()
    decision = choose(
        table.definition, table.mode, seen.record, seen.states, today, full_demanded=request.full
    )
    recorded = dict(seen.record.versions) if seen.record else {}
    current = {name: source.version for name, source in seen.sources.items()}
    row = Refresh(
        job_id=new_job_id(started),
        table_id=table.id,
        table=table.name,
        cluster=table.cluster,
        start_time=_to_milliseconds(started),
        state=RefreshState.RUNNING,
        trigger=request.trigger,
        sources=tuple(source.name for source in table.definition.sources),
        mode=decision.mode,
        mode_reason=decision.reason,
        source_versions=recorded if decision.mode is RefreshMode.NO_DATA else current,
    )
    looked = Phase("look at the sources", time.perf_counter() - clicked)
    return _Run(table, tools, request, row, seen, today, [looked])


def _plan(run: _Run) -> FullRefresh:
    with run.phase("plan"):
        query = pinned_query(run.table.definition, run.seen.sources, run.today)
        return plan_full(
            run.table.name,
            run.table.columns,
            query,
            run.seen.target.snapshot,
            has_readers=bool(run.tools.store.readers_of(run.table.name)),
        )


def _execute(run: _Run, plan: FullRefresh) -> Execution:
    summary = to_summary(_record(run))
    with run.phase(f"compute and commit ({plan.way})"), run.tools.borrow_session() as session:
        for key, value in summary.items():
            session.spark.conf.set(_SNAPSHOT_PROPERTY + key, value)
        try:
            return execute_measured(session, plan.statement, run.table.definition.query)
        finally:
            for key in summary:
                session.spark.conf.unset(_SNAPSHOT_PROPERTY + key)


def _record(run: _Run) -> RefreshRecord:
    definition = run.table.definition
    date_read = run.today if definition.uses_current_date else None
    return RefreshRecord(run.row.job_id, definition.fingerprint, run.row.source_versions, date_read)


def _committed(run: _Run) -> Snapshot:
    """The snapshot this refresh made. Writing no rows makes none, so then one is made for the record."""
    with run.phase("check the commit"):
        table = run.tools.catalog.existing_table(run.table.name)
        if not has_landed(table, run.row.job_id):
            table.commit_nothing(to_summary(_record(run)))
            table = run.tools.catalog.existing_table(run.table.name)
        snapshot = table.bookkeeping(REFRESH_ID)
    if snapshot is None or snapshot.summary[REFRESH_ID] != run.row.job_id:
        raise RefreshFailed(
            "another program wrote to the table meanwhile",
            hint="a dynamic table is changed by its refreshes alone; run the refresh again",
        )
    return snapshot


def _finish(run: _Run, stats: RefreshStats | None, execution: Execution | None = None) -> Refresh:
    ended = max(_to_milliseconds(run.tools.clock()), run.row.start_time)
    row = replace(
        run.row,
        state=RefreshState.SUCCEED,
        end_time=ended,
        stats=stats,
        rows_read=execution.rows_read if execution else 0,
        bytes_read=execution.bytes_read if execution else 0,
        cluster_seconds=sum(phase.seconds for phase in run.phases),
    )
    profile = JobProfile(row.job_id, tuple(run.phases), tag=run.request.tag)
    if execution is not None:
        profile = replace(
            profile,
            reads=execution.reads,
            statements=(execution.statement,),
            plans=(execution.plan,),
            spark_jobs=execution.spark_jobs,
            rows_written=stats.rows_inserted if stats else 0,
            bytes_written=execution.bytes_written,
        )
    run.tools.store.record(row, profile)
    return row


def _words(error: BaseException) -> str:
    return error.message if isinstance(error, Error) else f"{type(error).__name__}: {error}"


def _refresh_failed(run: _Run, error: BaseException) -> BaseException:
    if not isinstance(error, Error):
        return error
    return RefreshFailed(
        f"refresh of {run.table.name} failed, its rows are as before: {error.message}",
        hint=error.hint,
        place=error.place,
    )


def _to_milliseconds(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
