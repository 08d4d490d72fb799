"""What the next refresh would do, in words; nothing is done, and no Spark job runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date

from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.algebra.walk import tables_of
from headrace.delta.change import Change
from headrace.delta.describe_plan import (
    DescribeScan,
    describe_change,
    describe_group_changes,
    describe_operator,
)
from headrace.delta.differentiate import differentiate
from headrace.delta.monotone import obstacle
from headrace.lake.change_scan.changes import ChangeEstimate, Changes, NoChangeScan, find_changes
from headrace.lake.lookup.key_lookup import index_needs
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import Column, DynamicTable
from headrace.model.history import RefreshMode
from headrace.model.key_index import IndexNeeds
from headrace.model.names import TableName
from headrace.model.partition import Partition
from headrace.model.quoting import quote_string
from headrace.model.version import TableVersion, version_change
from headrace.refresh.analysis import accepted
from headrace.refresh.arguments import arguments_for, bound
from headrace.refresh.build_stages import build_stages
from headrace.refresh.choose import Decision
from headrace.refresh.context import RefreshContext
from headrace.refresh.cost import REMEMBERED
from headrace.refresh.describe_stages import Line, NeedsOfStage, describe_stages
from headrace.refresh.increment import Increment
from headrace.refresh.inner_aggregates import Nested, nested_of
from headrace.refresh.layout import CANNOT_COMPARE, Layout, NoLayout
from headrace.refresh.observe import Observation, decide, observe
from headrace.refresh.plan import Plan, find_plan, plan_over_groups
from headrace.refresh.scans import written
from headrace.refresh.stages import FindRows, Way
from headrace.refresh.stored_groups import stores_groups
from headrace.sql.tokens.wrap import wrapped

_WAYS = {
    Way.FILL: "the table is empty: all rows are inserted",
    Way.DIFFERENCE: "only rows that differ are written",
    Way.REWRITE: "all rows are rewritten",
    Way.APPEND: "rows are only inserted",
    Way.MERGE: "rows are inserted, updated and deleted",
    Way.NOTHING: "no row changes",
}
_A_DAY = 86_400


def explain_refresh(
    defined: DynamicTable,
    context: RefreshContext,
    given: Mapping[str, str],
    partition: Partition | None,
    *,
    full: bool,
) -> list[Line]:
    """``given`` are arguments, as of a refresh."""
    arguments = arguments_for(defined, given)
    definitions = context.store.definitions
    observed = observe(
        defined, context.catalog, definitions, context.store.partitions, full=full, partition=partition
    )
    today = context.day_of(context.clock())
    decision = decide(defined, observed, today, arguments, full=full)
    parts = [("argument", f"{name} = {quote_string(value)}") for name, value in arguments.items()]
    parts += [("partition", str(partition))] if partition else []
    if decision.waits or any(state.version is None for state in observed.states.values()):
        return [*_decided(decision), *parts, ("table", _size(observed.target)), *_sources(observed, {})]
    table = bound(defined, arguments)
    with context.borrow_session() as session:
        plan = _accepted(
            find_plan(table, observed, decision, today, context, session), observed, decision, session
        )
        changes = _changes(observed, plan, session)
        nested = _nested(defined, plan, observed, context, session)
        groups = _stored(nested, context)
        if nested is not None and len(groups) == len(nested.groups):
            plan = plan_over_groups(
                plan, nested, groups, table, observed, decision, today, context, session, moves=True
            )
        stages = build_stages(table, observed, plan, today, lambda: bool(definitions.readers_of(table.name)))
        read = replace(observed, sources={**observed.sources, **groups})
        described = list(describe_stages(stages, table.name, read, _needs(read, session)))
    return [
        *_decided(plan),
        *parts,
        ("table", _size(observed.target)),
        *_sources(observed, changes),
        *_identity(plan.layout),
        *_groups_lines(nested, groups),
        *_operators(plan),
        *([("write", f"{stages.way}: {_WAYS[stages.way]}")] if stages.stages else []),
        *described,
    ]


def _nested(
    table: DynamicTable, plan: Plan, observed: Observation, context: RefreshContext, session: LakeSession
) -> Nested | None:
    """The groups that the refresh brings forward first."""
    if observed.within is not None or not isinstance(plan.layout, Layout):
        return None
    past = context.refreshes.last_successes(table.id, REMEMBERED)
    if not stores_groups(table, observed.record, past):
        return None
    return nested_of(table, plan.layout, observed.sources, context.nested, session)


def _stored(nested: Nested | None, context: RefreshContext) -> dict[TableName, Table]:
    tables = {each.name: context.catalog.table(each.name) for each in (nested.groups if nested else ())}
    return {name: table for name, table in tables.items() if table is not None}


def _groups_lines(nested: Nested | None, groups: Mapping[TableName, Table]) -> Iterator[Line]:
    for each in nested.groups if nested else ():
        stored = groups.get(each.name)
        size = "to be stored" if stored is None else f"{_size(stored)}, brought forward first"
        yield "stored groups", f"{describe_operator(each.aggregate)}: {size}"


def _needs(observed: Observation, session: LakeSession) -> NeedsOfStage:
    def needs_of(stage: FindRows) -> IndexNeeds | None:
        is_own = stage.table == observed.target.name
        table = observed.target if is_own else observed.sources[stage.table]
        return index_needs(session, table, stage.keys, stage.indexes)

    return needs_of


def _accepted(plan: Plan, observed: Observation, decision: Decision, session: LakeSession) -> Plan:
    """A plan that Spark refuses is FULL, as the refresh itself finds by trying."""
    if not isinstance(plan.increment, Increment) or plan.increment.adds_only:
        return plan
    layout = accepted(plan.layout, observed.sources, session)
    if isinstance(layout, Layout):
        return plan
    return Plan(RefreshMode.FULL, f"{layout.reason}; {decision.reason}", layout)


def explain_definition(
    table: DynamicTable, layout: Layout | NoLayout, sources: Mapping[TableName, Table], today: date
) -> list[Line]:
    """Of a table that need not exist: how its refreshes would go if every source changed."""
    change = _change(layout, frozenset(sources)) if isinstance(layout, Layout) else None
    mode, reason = _maintained(layout, change)
    lines = [("mode", mode), ("reason", reason)]
    if isinstance(layout, NoLayout) and layout.rewrite:
        lines.append(("rewrite", layout.rewrite))
    if table.schedule.interval_seconds is not None:
        lines.append(("refreshes per day", _per_day(table.schedule.interval_seconds)))
    lines += [("source", f"{name}: {_size(source)}") for name, source in sources.items()]
    lines += _identity(layout)
    if not isinstance(layout, Layout) or change is None:
        return lines
    named = {name: f"SELECT * FROM changes({name})" for name in sources}
    relation = change.relation if layout.by_groups is None else layout.by_groups.groups.change(change)
    before = {name: source.version for name, source in sources.items()}
    query = written(relation, relation.columns, sources, today, before=before, changes=named)
    return [
        *lines,
        *_lines("plan", _plan_lines(layout, change, _version_words)),
        ("write", _way_of_definition(layout)),
        *_lines("sql", wrapped(query)),
    ]


def _decided(decision: Decision | Plan) -> list[Line]:
    return [("mode", decision.mode.value), ("reason", decision.reason)]


def _changes(
    observed: Observation, plan: Plan, session: LakeSession
) -> dict[TableName, Changes | NoChangeScan]:
    """Of the sources that changed since the last refresh."""
    if plan.increment is not None:
        return dict(plan.increment.changes)
    before = observed.record.versions if observed.record else {}
    return {
        name: find_changes(session, observed.sources[name], before[name])
        for name, state in observed.states.items()
        if state.changed and name in before
    }


def _sources(observed: Observation, changes: Mapping[TableName, Changes | NoChangeScan]) -> Iterator[Line]:
    before = observed.record.versions if observed.record else {}
    for name, state in observed.states.items():
        table = observed.sources.get(name)
        if state.version is None or table is None:
            yield "source", f"{name} {state.note}"
            continue
        seen_before = "" if name in before else ", not read before"
        yield "source", f"{name}: {_size(table)} at version {state.version}{seen_before}"
        found = changes.get(name)
        if isinstance(found, Changes):
            yield "change", f"{name}: {_estimated(found.estimate)}{_since(before[name], state.version)}"
        elif isinstance(found, NoChangeScan):
            yield "change", f"{name}: unknown, {found.reason}"
        elif name in before:
            yield "change", f"{name}: none"


def _estimated(estimate: ChangeEstimate) -> str:
    rows = f"+{estimate.rows_added} -{estimate.rows_removed} rows"
    return f"{rows} in {estimate.files} files of {estimate.bytes} bytes"


def _since(before: TableVersion, now: TableVersion) -> str:
    has_moved = before.snapshot_id != now.snapshot_id
    return f" since version {before}" if has_moved else f", {version_change(before, now)}"


def _size(table: Table) -> str:
    snapshot = table.snapshot
    return "0 rows" if snapshot is None else f"{snapshot.rows} rows, {snapshot.bytes} bytes"


def _identity(layout: Layout | NoLayout) -> Iterator[Line]:
    if isinstance(layout, Layout):
        yield "rows identified by", layout.row_identity
        yield "hidden columns", _columns(layout.hidden)


def _columns(columns: tuple[Column, ...]) -> str:
    return ", ".join(f"{column.name} {column.type}" for column in columns) or "none"


def _operators(plan: Plan) -> list[Line]:
    """The change of the query."""
    found = plan.increment
    if not isinstance(found, Increment):
        return []
    return _lines("plan", _plan_lines(found.layout, found.change, _figures(found)))


def _plan_lines(layout: Layout, change: Change, describe_scan: DescribeScan) -> list[str]:
    if layout.by_groups is None:
        return describe_change(change, describe_scan)
    return describe_group_changes(layout.by_groups.groups, change, describe_scan)


def _figures(increment: Increment) -> DescribeScan:
    """Scans with versions and sizes."""

    def words(scan: Scan) -> str:
        table = increment.observed.sources[scan.table]
        changes = increment.changes.get(scan.table)
        if changes is None:
            return f"{scan.table} at version {table.version} ({_rows(table, table.version.snapshot_id)})"
        if scan.version is SourceVersion.CHANGE:
            estimate = changes.estimate
            return f"change of {scan.table} (+{estimate.rows_added} -{estimate.rows_removed} rows)"
        is_old = scan.version is SourceVersion.OLD
        version = increment.record.versions[scan.table] if is_old else table.version
        rows = _rows(table, version.snapshot_id)
        return f"{scan.table} at version {version} ({scan.version.value}, {rows})"

    return words


def _rows(table: Table, snapshot_id: int | None) -> str:
    return "0 rows" if snapshot_id is None else f"{table.snapshot_of(snapshot_id).rows} rows"


def _version_words(scan: Scan) -> str:
    is_change = scan.version is SourceVersion.CHANGE
    return f"change of {scan.table}" if is_change else f"{scan.table} ({scan.version.value})"


def _lines(item: str, lines: list[str]) -> list[Line]:
    return [(item, line) for line in lines]


def _change(layout: Layout, changed: frozenset[TableName]) -> Change | None:
    return differentiate(layout.followed, changed & tables_of(layout.followed), layout.names)


def _maintained(layout: Layout | NoLayout, change: Change | None) -> Line:
    if isinstance(layout, NoLayout):
        return RefreshMode.FULL.value, layout.reason
    if change is None:
        return RefreshMode.NO_DATA.value, "after the first refresh: the query reads no table that can change"
    if not layout.follows_deletions and obstacle(layout.relation) is not None:
        return RefreshMode.FULL.value, CANNOT_COMPARE
    return RefreshMode.INCREMENTAL.value, "the first refresh is FULL, later ones apply the changes"


def _way_of_definition(layout: Layout) -> str:
    if layout.by_groups is not None or obstacle(layout.relation) is not None:
        return f"{Way.MERGE.value}: {_WAYS[Way.MERGE]}"
    others = "merged" if layout.follows_deletions else "recomputed: a MAP or VARIANT cannot be compared"
    return f"insertions are appended, other changes are {others}"


def _per_day(interval: int) -> str:
    return f"{_A_DAY / interval:.2f}".rstrip("0").rstrip(".") + f", one every {interval} seconds"
