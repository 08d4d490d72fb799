"""What a refresh is going to do; found without reading or writing a row."""

from __future__ import annotations

from collections.abc import Hashable, MutableMapping
from dataclasses import dataclass
from datetime import date

from headrace.lake.session import LakeSession
from headrace.model.dynamic_table import DynamicTable, RequestedMode
from headrace.model.history import RefreshMode
from headrace.refresh.choose import Decision
from headrace.refresh.full import plan_full
from headrace.refresh.increment import Increment, NoIncrement, find_increment
from headrace.refresh.layout import Layout, NoLayout, plan_layout
from headrace.refresh.look import Look
from headrace.refresh.pinned_query import current_version, pinned_query
from headrace.refresh.scans import written
from headrace.refresh.shape import check_shape
from headrace.refresh.write import Write

Layouts = MutableMapping[tuple[Hashable, ...], Layout | NoLayout]
"""Those planned already."""


@dataclass(frozen=True)
class Plan:
    mode: RefreshMode
    reason: str
    layout: Layout | NoLayout
    increment: Increment | None = None
    """None unless the mode is INCREMENTAL."""


def find_plan(
    table: DynamicTable, seen: Look, decision: Decision, today: date, layouts: Layouts, session: LakeSession
) -> Plan:
    """INCREMENTAL where it was chosen and is possible."""
    if seen.altered:
        check_shape(table, own_text(table, seen, today), seen.sources, session)
    layout = layout_of(table, seen, layouts, session)
    if decision.mode is not RefreshMode.INCREMENTAL:
        return Plan(decision.mode, decision.reason, layout)
    if isinstance(layout, Layout):
        found = find_increment(table, layout, seen, today, session)
    else:
        found = NoIncrement(layout.reason)
    if isinstance(found, Increment):
        return Plan(RefreshMode.INCREMENTAL, found.reason, layout, found)
    return Plan(RefreshMode.FULL, f"{found.reason}; {decision.reason}", layout)


def recomputation(
    table: DynamicTable, seen: Look, layout: Layout | NoLayout, today: date, target: str, *, has_readers: bool
) -> Write:
    """What a FULL refresh writes."""
    columns, query = table.columns, own_text(table, seen, today)
    if isinstance(layout, Layout):
        columns = layout.columns
        query = written(layout.relation, layout.relation.columns, seen.sources, today)
    unfilled = [name for name in seen.target.columns if name not in {column.name for column in columns}]
    return plan_full(
        table.name,
        target,
        columns,
        query,
        seen.target.snapshot,
        has_readers=has_readers,
        unfilled=unfilled,
    )


def own_text(table: DynamicTable, seen: Look, today: date) -> str:
    versions = {name: current_version(source) for name, source in seen.sources.items()}
    return pinned_query(table.definition, versions, today)


def layout_of(table: DynamicTable, seen: Look, layouts: Layouts, session: LakeSession) -> Layout | NoLayout:
    if table.mode is RequestedMode.FULL:
        return NoLayout("REFRESH_MODE = FULL")
    versions = tuple((name, t.version.uuid, t.version.schema_id) for name, t in sorted(seen.sources.items()))
    key = (table.id, table.definition.fingerprint, versions)
    if key not in layouts:
        layouts[key] = plan_layout(table.definition, table.columns, seen.sources, session)
    layout = layouts[key]
    if isinstance(layout, Layout) and not {c.name for c in layout.hidden} <= set(seen.target.columns):
        return NoLayout("the table was created without the hidden columns that identify its rows")
    return layout
