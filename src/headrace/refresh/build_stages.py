"""The stages of a plan. Reads no row, and asks Spark nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import Column, DynamicTable
from headrace.model.history import RefreshMode
from headrace.refresh.full import plan_full
from headrace.refresh.increment import Untouched
from headrace.refresh.incremental_stages import IncrementalStages, current
from headrace.refresh.layout import Layout, NoLayout
from headrace.refresh.observe import Observation
from headrace.refresh.plan import Plan, own_text
from headrace.refresh.scans import written
from headrace.refresh.stages import (
    TARGET,
    AddColumns,
    CommitRecord,
    Stage,
    Stages,
    Way,
    WriteStage,
)


def build_stages(
    table: DynamicTable, observed: Observation, plan: Plan, today: date, has_readers: Callable[[], bool]
) -> Stages:
    """``has_readers`` tells whether other dynamic tables read this one; only a FULL refresh asks."""
    if plan.mode is RefreshMode.NO_DATA:
        return Stages.none()
    missing = columns_to_add(observed, plan.layout)
    stages: list[Stage] = [AddColumns(missing)] if missing else []
    match plan.increment:
        case None:
            stages.append(_recomputation(table, observed, plan.layout, today, has_readers=has_readers()))
        case Untouched():
            stages.append(CommitRecord())
        case found:
            stages += IncrementalStages(found, 1 + len(stages)).all()
    return Stages(tuple(stages))


def columns_to_add(observed: Observation, layout: Layout | NoLayout) -> tuple[Column, ...]:
    """Hidden columns that a table lacks which was made or kept before in another way."""
    hidden = layout.hidden if isinstance(layout, Layout) else ()
    return tuple(column for column in hidden if column.name not in observed.target.columns)


def _recomputation(
    table: DynamicTable, observed: Observation, layout: Layout | NoLayout, today: date, *, has_readers: bool
) -> WriteStage:
    sorted_by: tuple[str, ...] = ()
    if isinstance(layout, Layout):
        columns, sorted_by = layout.columns, layout.sorted_by
        query = written(layout.relation, layout.relation.columns, observed.sources, today)
    else:
        columns, query = table.columns, own_text(table, observed, today)
    write = plan_full(
        table.name,
        TARGET,
        columns,
        query,
        observed.target.snapshot,
        has_readers=has_readers,
        stored=observed.target.columns,
        can_compare=_holds(observed.target, columns),
        within=observed.within,
        sorted_by=sorted_by,
    )
    compared = [observed.target] if write.way is Way.DIFFERENCE else []
    return replace(write, scans=tuple(current(read) for read in (*observed.sources.values(), *compared)))


def _holds(target: Table, columns: tuple[Column, ...]) -> bool:
    """Whether the newest version has these columns, and not others that had the same names."""
    now, then = ({f.name: f.id for f in fields} for fields in (target.fields, target.snapshot_fields))
    return all(column.name in then and now.get(column.name) == then[column.name] for column in columns)
