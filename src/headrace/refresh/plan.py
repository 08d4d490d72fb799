"""What a refresh is going to do; found without reading or writing a row."""

from __future__ import annotations

from collections.abc import Hashable, MutableMapping
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from headrace.catalog import MetadataStore
from headrace.lake.session import LakeSession
from headrace.model.dynamic_table import Column, DynamicTable, RequestedMode
from headrace.model.history import RefreshMode
from headrace.refresh.choose import Decision
from headrace.refresh.cost import MARGIN_PROPERTY
from headrace.refresh.full import plan_full
from headrace.refresh.increment import Increment, NoIncrement, Untouched, find_increment
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
    increment: Increment | Untouched | None = None
    """None unless the mode is INCREMENTAL."""


class Experience(Protocol):
    """What planning knows beyond the table and its sources."""

    @property
    def layouts(self) -> Layouts: ...
    @property
    def store(self) -> MetadataStore: ...
    @property
    def full_refresh_margin(self) -> float: ...


def find_plan(
    table: DynamicTable,
    seen: Look,
    decision: Decision,
    today: date,
    experience: Experience,
    session: LakeSession,
) -> Plan:
    """INCREMENTAL where it was chosen, is possible, and FULL is not cheaper by the margin."""
    if seen.altered:
        check_shape(table, own_text(table, seen, today), seen.sources, session)
    layout = layout_of(table, seen, experience.layouts, session)
    if decision.mode is not RefreshMode.INCREMENTAL:
        return Plan(decision.mode, decision.reason, layout)
    found = _increment(table, layout, seen, today, experience, session)
    if isinstance(found, NoIncrement):
        return Plan(RefreshMode.FULL, f"{found.reason}; {decision.reason}", layout)
    return Plan(RefreshMode.INCREMENTAL, found.reason, layout, found)


def _increment(
    table: DynamicTable,
    layout: Layout | NoLayout,
    seen: Look,
    today: date,
    experience: Experience,
    session: LakeSession,
) -> Increment | Untouched | NoIncrement:
    if isinstance(layout, NoLayout):
        return NoIncrement(layout.reason)
    last_full = experience.store.last_success(table.id, RefreshMode.FULL)
    took = last_full.duration.total_seconds() if last_full and last_full.duration else None
    found = find_increment(table, layout, seen, today, session, took)
    if isinstance(found, Increment) and table.mode is RequestedMode.AUTO:
        margin = float(table.properties.get(MARGIN_PROPERTY, experience.full_refresh_margin))
        if found.cost.prefers_full(margin):
            return NoIncrement(f"recomputing is cheaper by more than {margin:g} times: {found.reason}")
    return found


def recomputation(
    table: DynamicTable, seen: Look, layout: Layout | NoLayout, today: date, target: str, *, has_readers: bool
) -> Write:
    """What a FULL refresh writes."""
    if isinstance(layout, Layout):
        columns = layout.columns
        query = written(layout.relation, layout.relation.columns, seen.sources, today)
    else:
        columns, query = table.columns, own_text(table, seen, today)
    unfilled = [name for name in seen.target.columns if name not in {column.name for column in columns}]
    return plan_full(
        table.name,
        target,
        columns,
        query,
        seen.target.snapshot,
        has_readers=has_readers,
        unfilled=unfilled,
        can_compare={column.name for column in columns} <= {f.name for f in seen.target.snapshot_fields},
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
    return layouts[key]


def columns_to_add(seen: Look, layout: Layout | NoLayout) -> tuple[Column, ...]:
    """Hidden columns that a table lacks which was made or kept before in another way."""
    hidden = layout.hidden if isinstance(layout, Layout) else ()
    return tuple(column for column in hidden if column.name not in seen.target.columns)
