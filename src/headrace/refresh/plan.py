"""What a refresh is going to do; found without reading or writing a row."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, MutableMapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Protocol

from headrace.algebra.walk import tables_of
from headrace.catalog.refresh_history import RefreshHistory
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import DynamicTable, RequestedMode
from headrace.model.estimate import Estimate
from headrace.model.history import RefreshMode
from headrace.model.names import TableName
from headrace.refresh.choose import Decision, SourceState
from headrace.refresh.cost import MARGIN_PROPERTY, REMEMBERED
from headrace.refresh.increment import Increment, NoIncrement, Untouched, find_increment
from headrace.refresh.inner_aggregates import Nested
from headrace.refresh.layout import Layout, NoLayout, plan_layout
from headrace.refresh.observe import Observation
from headrace.refresh.pinned_query import current_version, pinned_query
from headrace.refresh.shape import check_shape

Layouts = MutableMapping[tuple[Hashable, ...], Layout | NoLayout]
"""Those planned already."""
_LAYOUTS_KEPT = 1_000


@dataclass(frozen=True)
class Plan:
    mode: RefreshMode
    reason: str
    layout: Layout | NoLayout
    increment: Increment | Untouched | None = None
    """None unless the mode is INCREMENTAL."""
    estimated: Estimate | None = None
    """To judge later estimates by; None also for the first plan of a table, which has a cold start."""
    propagates_constraints: bool = True
    """False where Spark's optimizer has failed to."""
    without_groups: Plan | None = None
    """What else can be done, where stored groups are read."""


class Experience(Protocol):
    """What planning knows beyond the table and its sources."""

    @property
    def layouts(self) -> Layouts: ...
    @property
    def refreshes(self) -> RefreshHistory: ...
    @property
    def full_refresh_margin(self) -> float: ...


def find_plan(
    table: DynamicTable,
    observed: Observation,
    decision: Decision,
    today: date,
    experience: Experience,
    session: LakeSession,
) -> Plan:
    """INCREMENTAL where it was chosen, is possible, and FULL is not cheaper by the margin."""
    if observed.altered:
        check_shape(table, own_text(table, observed, today), observed.sources, session)
    is_warm = _layout_key(table, observed.sources) in experience.layouts
    layout = layout_of(table, observed.sources, experience.layouts, session)
    if decision.mode is not RefreshMode.INCREMENTAL:
        return Plan(decision.mode, decision.reason, layout)
    if isinstance(layout, NoLayout):
        return Plan(RefreshMode.FULL, f"{layout.reason}; {decision.reason}", layout)
    past = experience.refreshes.last_successes(table.id, REMEMBERED)
    found = find_increment(table, layout, observed, today, session, past)
    if isinstance(found, NoIncrement):
        return Plan(RefreshMode.FULL, f"{found.reason}; {decision.reason}", layout)
    return _chosen(table, layout, found, decision, experience, is_warm=is_warm)


def _chosen(
    table: DynamicTable,
    layout: Layout,
    found: Increment | Untouched,
    decision: Decision,
    experience: Experience,
    *,
    is_warm: bool,
) -> Plan:
    if isinstance(found, Untouched):
        return Plan(RefreshMode.INCREMENTAL, found.reason, layout, found)
    margin = float(table.properties.get(MARGIN_PROPERTY, experience.full_refresh_margin))
    if table.mode is RequestedMode.AUTO and found.cost.prefers_full(margin):
        reason = f"recomputing is more than {margin:g} times cheaper: {found.reason}; {decision.reason}"
        return Plan(RefreshMode.FULL, reason, layout, estimated=found.by_sizes if is_warm else None)
    return Plan(RefreshMode.INCREMENTAL, found.reason, layout, found, found.by_sizes if is_warm else None)


def plan_over_groups(
    plan: Plan,
    nested: Nested,
    groups: Mapping[TableName, Table],
    table: DynamicTable,
    observed: Observation,
    decision: Decision,
    today: date,
    experience: Experience,
    session: LakeSession,
    *,
    moves: bool = False,
) -> Plan:
    """``plan``, or one that follows the stored groups, which have been brought forward.

    They can be followed from the version that the last refresh has read. ``moves`` is for groups that are
    going to be brought forward: they count as changed.
    """
    record = observed.record
    if decision.mode is not RefreshMode.INCREMENTAL or record is None:
        return plan
    if not groups.keys() <= record.groups.keys():
        return plan
    over = nested.over_groups
    read = tables_of(over.followed)
    moved = {
        name: SourceState(each.version, moves or each.changed_since(record.groups[name].snapshot_id))
        for name, each in groups.items()
    }
    observed = replace(
        observed,
        sources={**observed.sources, **groups},
        record=replace(record, versions={**record.versions, **record.groups}),
        states={name: state for name, state in {**observed.states, **moved}.items() if name in read},
    )
    past = experience.refreshes.last_successes(table.id, REMEMBERED)
    found = find_increment(table, over, observed, today, session, past, nested.layout.followed)
    if isinstance(found, NoIncrement):
        return plan
    chosen = _chosen(table, nested.layout, found, decision, experience, is_warm=plan.estimated is not None)
    return replace(chosen, without_groups=plan)


def own_text(table: DynamicTable, observed: Observation, today: date) -> str:
    versions = {name: current_version(source) for name, source in observed.sources.items()}
    return pinned_query(table.definition, versions, today)


def layout_of(
    table: DynamicTable, sources: Mapping[TableName, Table], layouts: Layouts, session: LakeSession
) -> Layout | NoLayout:
    if table.mode is RequestedMode.FULL:
        return NoLayout("REFRESH_MODE = FULL")
    key = _layout_key(table, sources)
    found = layouts.get(key)
    if found is None:
        found = layouts[key] = plan_layout(table.definition, table.columns, sources, session)
        _forget_oldest(layouts)
    return found


def refuse_layout(
    table: DynamicTable, sources: Mapping[TableName, Table], refused: NoLayout, layouts: Layouts
) -> None:
    """What was planned for these sources has turned out not to work."""
    layouts[_layout_key(table, sources)] = refused


def _layout_key(table: DynamicTable, sources: Mapping[TableName, Table]) -> tuple[Hashable, ...]:
    versions = tuple((name, t.version.uuid, t.version.schema_id) for name, t in sorted(sources.items()))
    return (table.id, table.definition, table.columns, versions)


def _forget_oldest(layouts: Layouts) -> None:
    """Tables with parameters have one for each argument."""
    for key in list(layouts)[: max(0, len(layouts) - _LAYOUTS_KEPT)]:
        layouts.pop(key, None)
