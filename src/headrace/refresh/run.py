"""One refresh from beginning to end."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import date

from headrace.errors import Cancelled, Error, OperationalError, RefreshFailed, Refused
from headrace.lake.commit.guarded_commit import GuardedTable
from headrace.lake.measure import CHANGE, Execution, together
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Snapshot, Table
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import (
    JobProfile,
    Phase,
    Refresh,
    RefreshMode,
    RefreshState,
    RefreshStats,
    RefreshTrigger,
    StageReport,
    TableRead,
)
from headrace.model.job_id import new_job_id
from headrace.model.names import TableName
from headrace.model.partition import Partition
from headrace.model.version import TableVersion
from headrace.refresh.arguments import arguments_for, bound
from headrace.refresh.build_stages import build_stages
from headrace.refresh.choose import Decision
from headrace.refresh.context import RefreshContext
from headrace.refresh.cost import REMEMBERED
from headrace.refresh.execute_stages import StageExecution
from headrace.refresh.fallback import FAULTS, fallback, remember_refusal
from headrace.refresh.full import stats_of
from headrace.refresh.inner_aggregates import is_of, nested_of
from headrace.refresh.layout import Layout
from headrace.refresh.maintenance import maintain
from headrace.refresh.observe import Observation, decide, observe
from headrace.refresh.partition_records import bring_forward
from headrace.refresh.plan import Plan, find_plan, plan_over_groups
from headrace.refresh.record import REFRESH_MODE, RefreshRecord, to_summary
from headrace.refresh.record_mismatch import mismatch_error, remember_mismatch
from headrace.refresh.settle import refresh_failed, settle_left_over, settled, to_milliseconds, words_of
from headrace.refresh.stages import AddColumns, Stages
from headrace.refresh.stored_groups import (
    GroupsRefresh,
    forbids_groups,
    maintain_stored_groups,
    remove_stored_groups,
    stores_groups,
)

_MOST_ATTEMPTS = 10


@dataclass(frozen=True)
class Request:
    full: bool = False
    trigger: RefreshTrigger = RefreshTrigger.MANUAL
    tag: str | None = None
    job_id: str | None = None
    """None: a new one."""
    given: Mapping[TableName, str] = field(default_factory=dict)
    """Sources to be taken as a metadata file has them, not as they are now."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Given by whoever refreshes; for other parameters the table has defaults."""
    partition: Partition | None = None
    """None: the whole table."""


class _OtherPartitionCommitted(Exception):
    """The refresh of another partition has come first, and this one has to begin again."""


@dataclass
class _Run:
    """One refresh while it runs."""

    table: DynamicTable
    bound: DynamicTable
    """With values in the place of its parameters."""
    context: RefreshContext
    request: Request
    row: Refresh
    observed: Observation
    decision: Decision
    today: date
    phases: list[Phase] = field(default_factory=list)
    stages: list[StageReport] = field(default_factory=list)
    layout: Layout | None = None
    """How the rows are kept that this refresh writes; None: as the query's own columns alone."""
    groups: Mapping[TableName, Table] = field(default_factory=dict)
    """Stored groups at the versions of the sources that were observed."""
    executions: list[Execution] = field(default_factory=list)
    """That have brought them there."""

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.phases.append(Phase(name, time.perf_counter() - start))


def refresh_table(table: DynamicTable, context: RefreshContext, request: Request) -> Refresh:
    """The history row of the refresh. A failed one is recorded and raised; the old rows stand."""
    settle_left_over(table, context, request.partition, request.job_id)
    run = _begin(table, context, request)
    if run.row.mode is RefreshMode.NO_DATA:
        return _finish(run, stats=None)
    context.store.refreshes.record(run.row)
    try:
        execution, snapshot = _execute_with_retries(run)
    except BaseException as error:
        if settled(run.row, context, words_of(error)):
            raise
        raise refresh_failed(table, error) from error
    try:
        return _finish(run, stats_of(snapshot), execution)
    except Error as error:
        raise OperationalError(
            f"{table.name} was refreshed, but its history could not be written: {error.message}",
            hint="the next refresh completes it",
        ) from error


def _begin(table: DynamicTable, context: RefreshContext, request: Request) -> _Run:
    started, clicked = context.clock(), time.perf_counter()
    row = Refresh(
        job_id=request.job_id or new_job_id(started),
        table_id=table.id,
        table=table.name,
        cluster=table.cluster,
        start_time=to_milliseconds(started),
        state=RefreshState.RUNNING,
        trigger=request.trigger,
        sources=tuple(source.name for source in table.definition.sources),
        partition=request.partition,
    )
    today = context.day_of(started)
    try:
        row = replace(row, arguments=arguments_for(table, request.arguments))
        observed = observe(
            table,
            context.catalog,
            context.store.definitions,
            context.store.partitions,
            full=request.full,
            partition=request.partition,
            given=request.given,
        )
    except Error as error:
        settled(row, context, words_of(error))
        raise refresh_failed(table, error) from error
    decision = decide(table, observed, today, row.arguments, full=request.full)
    recorded = dict(observed.record.versions) if observed.record else {}
    current = {name: source.version for name, source in observed.sources.items()}
    row = replace(
        row,
        mode=decision.mode,
        mode_reason=decision.reason,
        source_versions=recorded if decision.mode is RefreshMode.NO_DATA else current,
    )
    looked = Phase("look at the sources", time.perf_counter() - clicked)
    return _Run(
        table, bound(table, row.arguments), context, request, row, observed, decision, today, [looked]
    )


def _execute_with_retries(run: _Run) -> tuple[Execution | None, Snapshot]:
    """Begins again where refreshes of other partitions came first and could not be put below this one."""
    for _ in range(_MOST_ATTEMPTS):
        try:
            return _execute(run)
        except _OtherPartitionCommitted:
            run.observed = replace(run.observed, target=run.context.catalog.loaded_anew(run.table.name))
    raise _conflict(run)


def _execute(run: _Run) -> tuple[Execution | None, Snapshot]:
    """As planned. What fails by its plan and not by the lake is tried in a plainer way: see ``fallback``."""
    with run.context.borrow_session() as session:
        with run.phase("plan"):
            plan = find_plan(run.bound, run.observed, run.decision, run.today, run.context, session)
        planned = plan = _over_stored_groups(run, plan, session)
        while True:
            try:
                execution, made = _execute_plan(run, plan, session)
                break
            except FAULTS as error:
                plainer = fallback(plan, error, run.decision.reason)
                if plainer is None:
                    run.row = replace(run.row, mode=planned.mode, mode_reason=planned.reason)
                    raise _with_mismatch(run, error) from error
                plan = plainer
                run.stages = [replace(stage, statement=None) for stage in run.stages]
        remember_refusal(run.bound, run.observed, plan, run.context)
        _maintain(run, session)
        return execution, made


def _over_stored_groups(run: _Run, plan: Plan, session: LakeSession) -> Plan:
    """Brings them forward first. What goes wrong with them is reported, and the refresh does without."""
    layout = plan.layout
    if run.request.partition is not None or not isinstance(layout, Layout):
        return plan
    nested = nested_of(run.table, layout, run.observed.sources, run.context.nested, session)
    past = run.context.refreshes.last_successes(run.table.id, REMEMBERED) if nested.groups else []
    if not nested.groups or not stores_groups(run.table, run.observed.record, past):
        return plan
    start = time.perf_counter()
    refresh = GroupsRefresh(
        run.table,
        run.bound,
        run.observed,
        replace(_record(run), layout=None),
        run.today,
        run.context,
        session,
        anew=run.decision.mode is RefreshMode.FULL,
        needed=frozenset(each.name.table for each in nested.groups),
        reports=run.stages,
        executions=run.executions,
    )
    said = "refresh the stored groups"
    try:
        run.groups = {each.name: refresh.brought_forward(each) for each in nested.groups}
    except Cancelled:
        raise
    except Error as error:
        said = f"the groups could not be stored: {error.message}"
    run.phases.append(Phase(said, time.perf_counter() - start))
    if not run.groups:
        return plan
    return plan_over_groups(
        plan, nested, run.groups, run.bound, run.observed, run.decision, run.today, run.context, session
    )


def _execute_plan(run: _Run, plan: Plan, session: LakeSession) -> tuple[Execution | None, Snapshot]:
    with ExitStack() as stack:
        if not plan.propagates_constraints:
            stack.enter_context(session.without_constraint_propagation())
        run.layout = plan.layout if isinstance(plan.layout, Layout) else None
        run.row = replace(run.row, mode=plan.mode, mode_reason=plan.reason, estimated=plan.estimated)
        stages = _stages(run, plan, session)
        target = stack.enter_context(GuardedTable(run.observed.target, session, run.request.partition))
        with _conflicts_explained(run, target):
            execution = _execution(run, plan, stages, target, session, stack)
            with run.phase("compute"):
                way = execution.compute()
            with run.phase(f"write ({way})"):
                execution.commit(_summary(run))
    with run.phase("read back"):
        return together(execution.executions), _committed_snapshot(run, target)


def _maintain(run: _Run, session: LakeSession) -> None:
    """What goes wrong here is reported in the profile: the refresh itself has landed."""
    start = time.perf_counter()
    said = "upkeep"
    if not run.context.compacts:
        run.phases.append(Phase("no maintenance: the cluster has the type ANALYTICS", 0.0))
        return
    try:
        maintain(run.table, _next_number(run), run.context, session)
        maintain_stored_groups(_versions_of_groups(run), run.context, session)
        if run.observed.record is not None and run.observed.record.groups and forbids_groups(run.table):
            remove_stored_groups(run.context.catalog, lambda name: not is_of(name, run.table))
    except Error as error:
        said = f"maintenance failed: {error.message}"
    run.phases.append(Phase(said, time.perf_counter() - start))


def _next_number(run: _Run) -> int:
    return 1 + run.observed.number


def _stages(run: _Run, plan: Plan, session: LakeSession) -> Stages:
    """Columns are added first: the others are built for the table that has them."""
    stages = _built(run, plan)
    if stages.stages and isinstance(stages.stages[0], AddColumns):
        _add_columns(run, stages.stages[0], session)
        stages = _built(run, plan)
    return stages


def _built(run: _Run, plan: Plan) -> Stages:
    def has_readers() -> bool:
        return bool(run.context.store.definitions.readers_of(run.table.name))

    return build_stages(run.bound, run.observed, plan, run.today, has_readers)


def _add_columns(run: _Run, stage: AddColumns, session: LakeSession) -> None:
    start, name = time.perf_counter(), run.table.name
    listed = ", ".join(f"{column.name} {column.type}" for column in stage.columns)
    session.run(f"ALTER TABLE {name.sql} ADD COLUMNS ({listed})")
    table = run.context.catalog.loaded_anew(name)
    if table.version.snapshot_id != run.observed.target.version.snapshot_id:
        raise _conflict(run) if run.request.partition is None else _OtherPartitionCommitted
    run.observed = replace(run.observed, target=table)
    run.stages.append(StageReport(stage.kind, stage.detail, time.perf_counter() - start))


def _execution(
    run: _Run, plan: Plan, stages: Stages, target: GuardedTable, session: LakeSession, stack: ExitStack
) -> StageExecution:
    changes = plan.increment.changes if plan.increment is not None else {}
    tables = {**run.observed.sources, **run.groups, run.table.name: run.observed.target}
    return StageExecution(
        stages, run.table, target, session, changes, tables, run.stages, stack, run.executions
    )


@contextmanager
def _conflicts_explained(run: _Run, target: GuardedTable) -> Iterator[None]:
    """What fails because another program wrote to the table, or for rows of another partition, says so."""
    try:
        yield
    except Error:
        if target.outside is not None:
            raise _outside_partition(run, target.outside) from None
        if target.has_moved():
            raise (_OtherPartitionCommitted if target.has_moved_elsewhere() else _conflict(run)) from None
        raise


def _with_mismatch(run: _Run, error: Error) -> Error:
    """``error``, or what it means where the table is not as its last refresh recorded it."""
    found = mismatch_error(error)
    if found is not None and run.observed.record is not None:
        with suppress(Error):  # then the next refresh finds it out again
            remember_mismatch(run.context.catalog.existing_table(run.table.name), run.observed.record)
    return found or error


def _committed_snapshot(run: _Run, target: GuardedTable) -> Snapshot:
    committed = target.committed
    if committed is None:
        raise ValueError("a refresh always makes a version")
    return run.context.catalog.existing_table(run.table.name).snapshot_of(committed)


def _conflict(run: _Run) -> RefreshFailed:
    return RefreshFailed(
        f"refresh of {run.table.name} failed: another program wrote to the table at the same time",
        hint="only refreshes may change a dynamic table; the next refresh corrects its rows",
    )


def _outside_partition(run: _Run, values: str) -> Refused:
    return Refused(
        f"the query returns rows outside partition ({run.request.partition}), such as with {values}",
        hint="restrict WHERE to the partition with a parameter, or refresh without PARTITION",
    )


def _summary(run: _Run) -> dict[str, str]:
    return {**to_summary(_record(run)), REFRESH_MODE: str(run.row.mode)}


def _record(run: _Run) -> RefreshRecord:
    definition = run.table.definition
    date_read = run.today if definition.uses_current_date else None
    layout = run.layout.mark if run.layout else None
    return RefreshRecord(
        run.row.job_id,
        definition.fingerprint,
        run.row.source_versions,
        date_read,
        layout,
        _next_number(run),
        run.row.arguments,
        run.request.partition,
        _versions_of_groups(run),
    )


def _versions_of_groups(run: _Run) -> dict[TableName, TableVersion]:
    return {name: table.version for name, table in run.groups.items()}


def _finish(run: _Run, stats: RefreshStats | None, execution: Execution | None = None) -> Refresh:
    ended = max(to_milliseconds(run.context.clock()), run.row.start_time)
    row = replace(
        run.row,
        state=RefreshState.SUCCEED,
        end_time=ended,
        stats=stats,
        rows_read=execution.rows_read if execution else 0,
        bytes_read=execution.bytes_read if execution else 0,
        cluster_seconds=sum(phase.seconds for phase in run.phases),
    )
    profile = JobProfile(
        row.job_id,
        tuple(run.phases),
        tag=run.request.tag,
        arguments=row.arguments,
        partition=row.partition,
        stages=_reports(run, stats),
    )
    if execution is not None:
        profile = replace(
            profile,
            reads=tuple(replace(read, side=_side(run, read)) for read in execution.reads),
            statements=execution.statements,
            plans=execution.plans,
            operators=execution.operators,
            spark_jobs=execution.spark_jobs,
            rows_written=stats.rows_inserted if stats else 0,
            bytes_written=execution.bytes_written,
        )
    if row.partition is not None and row.mode is not RefreshMode.NO_DATA:
        table = run.context.catalog.existing_table(row.table)
        bring_forward(row.table_id, table, run.context.store.partitions)
    run.context.store.refreshes.record(row, profile)
    return row


def _reports(run: _Run, stats: RefreshStats | None) -> tuple[StageReport, ...]:
    """With the rows that were written, which the new version tells."""
    if not run.stages or stats is None:
        return tuple(run.stages)
    *before, last = run.stages
    return (*before, replace(last, rows=stats.rows_inserted + stats.rows_deleted))


def _side(run: _Run, read: TableRead) -> str:
    """Which side of a refresh a read was, given the snapshot that was read."""
    if read.side == CHANGE or not read.side:
        return read.side
    before = run.observed.record.versions if run.observed.record else {}
    for side, versions in (("new", run.row.source_versions), ("old", before)):
        if any(str(name) == read.table and str(v.snapshot_id) == read.side for name, v in versions.items()):
            return side
    return "result" if read.table == str(run.table.name) else ""
