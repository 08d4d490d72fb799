"""The stages of a plan. Reads no row, and asks Spark nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.algebra.walk import scans_of
from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import Column, DynamicTable
from headrace.model.history import RefreshMode
from headrace.model.names import TableName
from headrace.model.version import version_change
from headrace.refresh.build_lookups import build_lookups
from headrace.refresh.delta_sql import DeltaSql, listed
from headrace.refresh.full import plan_full
from headrace.refresh.increment import Increment, Untouched
from headrace.refresh.layout import Layout, NoLayout
from headrace.refresh.merge_groups import merge_groups
from headrace.refresh.merge_keys import merge_keys
from headrace.refresh.merge_rows import merge_rows
from headrace.refresh.observe import Observation
from headrace.refresh.plan import Plan, own_text
from headrace.refresh.row_keys import findable, same_keys
from headrace.refresh.row_positions import (
    PLACE,
    has_row_positions,
    in_table_order,
    matching_rows,
    placed_rows,
    positioned_inserts,
    rows_with_positions,
)
from headrace.refresh.scans import written
from headrace.refresh.stages import (
    TARGET,
    AddColumns,
    Collect,
    CommitRecord,
    FindRows,
    FoundRows,
    LookUp,
    SourceScan,
    Stage,
    StageChanges,
    Stages,
    Way,
    WriteStage,
    found_mark,
    result_mark,
)

Marks = Mapping[TableName, str]
"""What stands for a query of the changed rows of each source."""


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
            stages += _IncrementalStages(found, 1 + len(stages)).all()
    return Stages(tuple(stages))


def columns_to_add(observed: Observation, layout: Layout | NoLayout) -> tuple[Column, ...]:
    """Hidden columns that a table lacks which was made or kept before in another way."""
    hidden = layout.hidden if isinstance(layout, Layout) else ()
    return tuple(column for column in hidden if column.name not in observed.target.columns)


def _recomputation(
    table: DynamicTable, observed: Observation, layout: Layout | NoLayout, today: date, *, has_readers: bool
) -> WriteStage:
    if isinstance(layout, Layout):
        columns = layout.columns
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
    )
    compared = [observed.target] if write.way is Way.DIFFERENCE else []
    return replace(write, scans=tuple(_current(read) for read in (*observed.sources.values(), *compared)))


def _holds(target: Table, columns: tuple[Column, ...]) -> bool:
    """Whether the newest version has these columns, and not others that had the same names."""
    now, then = ({f.name: f.id for f in fields} for fields in (target.fields, target.snapshot_fields))
    return all(column.name in then and now.get(column.name) == then[column.name] for column in columns)


@dataclass(frozen=True)
class _IncrementalStages:
    """A small change is kept in memory and written by the driver; any other is one statement."""

    increment: Increment
    first: int
    found: Mapping[Scan, str] = field(default_factory=dict)
    """Queries that stand for scans of which not all rows are needed."""

    def all(self) -> list[Stage]:
        found = self.increment
        before, sources = found.record.versions, found.observed.sources
        staged: list[Stage] = [
            StageChanges(name, version_change(before[name], sources[name].version), changes.estimate)
            for name, changes in found.changes.items()
        ]
        marks = self._marks(self.first)
        if not (found.is_small and has_row_positions(found.observed.target)):
            return [*staged, self._one_statement(self._change(marks))]
        if not found.reads_changes_alone:
            staged += [self._collected_changes(name, mark) for name, mark in marks.items()]
            marks = self._marks(self.first + len(marks))
        lookups = build_lookups(found, marks, self.first + len(staged))
        staged += lookups.stages
        number = self.first + len(staged)
        change = replace(self, found=lookups.found)._change(marks)
        return [*staged, *(self._append(change, number) if found.adds_only else self._merge(change, number))]

    def _marks(self, first: int) -> dict[TableName, str]:
        return {name: result_mark(number) for number, name in enumerate(self.increment.changes, first)}

    def _change(self, marks: Marks) -> str:
        """The query of the change, in the form in which it is written."""
        sql = self._sql
        return sql.delta(marks) if self.increment.adds_only else sql.to_apply(marks)

    def _collected_changes(self, name: TableName, mark: str) -> Collect:
        return Collect(detail=f"changed rows of {name}", query=mark, limit=self.increment.limit)

    def _append(self, change: str, number: int) -> list[Stage]:
        query = in_table_order(positioned_inserts(change), self.increment.observed.target, self._names)
        return [
            self._collect("rows to insert", query, self._one_statement(change), number),
            WriteStage(Way.APPEND),
        ]

    def _merge(self, change: str, number: int) -> list[Stage]:
        found = self.increment
        stages: list[Stage] = []
        beyond_limit = self._one_statement(change)
        source, old_rows = change, self._old_rows()
        if found.is_into_large_table or found.layout.keys is None:
            stages.append(self._collect("change of the rows of the table", change, beyond_limit, number))
            source = result_mark(number)
        find = None
        if found.is_into_large_table:
            old_rows = matching_rows(old_rows, source, same_keys("__hr_all", "__hr_few", self._keys))
            if find := self._find_old_rows(number + len(stages), source, old_rows):
                old_rows = found_mark(number + len(stages), SourceVersion.NEW)
                stages.append(find)
        look_up = LookUp(
            detail="rows to write and the positions of the rows that they replace",
            query=in_table_order(
                self._sql.with_positions(source, old_rows), found.observed.target, self._names
            ),
            limit=found.limit,
            scans=(*(() if stages else self._scans), *(() if find else (_current(found.observed.target),))),
            over_limit=Stages((beyond_limit,), number + len(stages) + 1),
            if_empty=Stages((CommitRecord(),), number + len(stages) + 1),
            keys=found.layout.keys,
        )
        return [*stages, look_up, WriteStage(Way.MERGE, keys=found.layout.keys)]

    def _collect(self, detail: str, query: str, beyond_limit: WriteStage, number: int) -> Collect:
        return Collect(
            detail=detail,
            query=query,
            limit=self.increment.limit,
            scans=self._scans,
            over_limit=Stages((beyond_limit,), number + 1),
            if_empty=Stages((CommitRecord(),), number + 1),
        )

    def _find_old_rows(self, number: int, changed: str, otherwise: str) -> FindRows | None:
        """The old rows of a large table that may be concerned by the rows of ``changed``."""
        types = {column.name: column.type for column in self.increment.layout.columns}
        keys = findable((name, types[name]) for name in self._keys)
        if not keys:
            return None
        target = self.increment.observed.target
        snapshot = target.version.snapshot_id
        columns = self._sql.columns_of_old
        rows = placed_rows(columns, f"({result_mark(number)})", self._within)
        return FindRows(
            table=target.name,
            keys=keys,
            key_query=f"SELECT {listed(keys)} FROM (\n{changed}\n)",
            columns=(*columns, *PLACE),
            old=snapshot,
            new=snapshot,
            key_limit=self.increment.limit,
            limit=self.increment.limit,
            found=(FoundRows(SourceVersion.NEW, rows, otherwise),),
        )

    @property
    def _keys(self) -> tuple[str, ...]:
        keys = self.increment.layout.keys
        return tuple(self._names) if keys is None else keys

    @property
    def _within(self) -> str:
        within = self.increment.observed.within
        return within.sql("__hr_old") if within else ""

    def _old_rows(self) -> str:
        return rows_with_positions(self.increment.observed.target, self._sql.columns_of_old, self._within)

    def _one_statement(self, change: str) -> WriteStage:
        if self.increment.adds_only:
            names = listed(self._names)
            insert = f"INSERT INTO {TARGET} ({names})\nSELECT {names} FROM (\n{change}\n)"
            return WriteStage(Way.APPEND, insert, scans=self._scans)
        scans = (*self._scans, _current(self.increment.observed.target))
        return WriteStage(Way.MERGE, self._merge_statement(change), scans=scans)

    def _merge_statement(self, change: str) -> str:
        layout, observed = self.increment.layout, self.increment.observed
        if layout.by_groups is not None:
            return merge_groups(TARGET, layout, change, observed.within)
        if layout.keys is not None:
            return merge_keys(TARGET, layout.columns, layout.keys, change, observed.within)
        version = observed.target.version.snapshot_id
        if version is None:
            raise ValueError("there is nothing to merge into before the first refresh")
        return merge_rows(TARGET, self.increment.table.name, version, self._names, change, observed.within)

    @cached_property
    def _sql(self) -> DeltaSql:
        found = self.increment
        return DeltaSql(
            found.layout,
            replace(found.change, relation=found.keyed.relation),
            found.observed.sources,
            found.record.versions,
            found.today,
            self.found,
        )

    @cached_property
    def _names(self) -> list[str]:
        return [column.name for column in self.increment.layout.columns]

    @cached_property
    def _scans(self) -> tuple[SourceScan, ...]:
        """Of whole sources: those that join with a change."""
        found = self.increment
        return _distinct(
            SourceScan(scan.table, found.record.versions[scan.table].snapshot_id)
            if scan.version is SourceVersion.OLD and scan.table in found.changes
            else _current(found.observed.sources[scan.table])
            for scan in scans_of(found.keyed.relation)
            if scan.version is not SourceVersion.CHANGE and scan not in self.found
        )


def _current(table: Table) -> SourceScan:
    return SourceScan(table.name, table.version.snapshot_id)


def _distinct(scans: Iterable[SourceScan]) -> tuple[SourceScan, ...]:
    return tuple(dict.fromkeys(scans))
