"""The stages of an incremental refresh."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from headrace.algebra.operators.project import Project
from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.algebra.walk import scans_of
from headrace.lake.table.tables import Table
from headrace.model.names import TableName
from headrace.model.version import version_change
from headrace.refresh.build_lookups import build_lookups
from headrace.refresh.delta_sql import DeltaSql, listed
from headrace.refresh.increment import Increment, computed_by_keys
from headrace.refresh.lost_extremes import LostExtremes
from headrace.refresh.merge_groups import merge_groups
from headrace.refresh.merge_keys import ACTION, merge_keys
from headrace.refresh.merge_rows import merge_rows
from headrace.refresh.row_keys import is_flat, same_keys
from headrace.refresh.row_positions import (
    PLACE,
    groups_with_lost_extremes,
    in_table_order,
    matching_rows,
    placed_rows,
    positioned_inserts,
    rows_with_positions,
    weighted_in_table_order,
)
from headrace.refresh.scans import columns_read
from headrace.refresh.stages import (
    TARGET,
    Collect,
    CommitRecord,
    FindRows,
    FoundVersion,
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


@dataclass(frozen=True)
class IncrementalStages:
    """A small change is kept in memory and written by the driver; any other is one statement."""

    increment: Increment
    first: int
    found: Mapping[Scan, str] = field(default_factory=dict)
    """Queries that stand for scans of which not all rows are needed."""

    def all(self) -> list[Stage]:
        found = self.increment
        before, sources = found.record.versions, found.observed.sources
        staged: list[Stage] = [
            StageChanges(
                name,
                version_change(before[name], sources[name].version),
                changes.estimate,
                columns_read(self._change_scans(name), sources[name]),
            )
            for name, changes in found.changes.items()
        ]
        if not found.is_applied_by_driver:
            return [*staged, self._one_statement(self._change)]
        lookups = build_lookups(found, found.keyed, self._changed_rows, self.first + len(staged))
        staged += lookups.stages
        keyed = replace(self, found=lookups.found)
        apply = keyed._append if found.adds_only else keyed._merge
        return [*staged, *apply(keyed._change, self.first + len(staged))]

    def _change_scans(self, name: TableName) -> list[Scan]:
        scans = scans_of(self.increment.change.relation)
        return [scan for scan in scans if scan.version is SourceVersion.CHANGE and scan.table == name]

    @cached_property
    def _changed_rows(self) -> dict[TableName, str]:
        """What stands for a query of the changed rows of each source."""
        return {name: result_mark(number) for number, name in enumerate(self.increment.changes, self.first)}

    @cached_property
    def _change(self) -> str:
        """The query of the change, in the form in which it is written."""
        if self.increment.adds_only:
            return self._delta
        if self.increment.layout.by_groups is not None:
            return self._sql.to_apply(self._changed_rows)
        return self._sql.net(self._delta)

    @cached_property
    def _delta(self) -> str:
        """The query of the change, rows with weights."""
        return self._sql.delta(self._changed_rows)

    def _append(self, change: str, number: int) -> list[Stage]:
        query = in_table_order(positioned_inserts(change), self.increment.observed.target, self._names)
        return [
            self._collect("rows to insert", query, change, number),
            WriteStage(Way.APPEND),
        ]

    def _merge(self, change: str, number: int) -> list[Stage]:
        if self._matches_in_driver:
            return self._merge_matched(change, number)
        if self.increment.may_lose_extremes:
            return self._merge_extremes(change, number)
        if not self.increment.is_into_large_table:
            return self._merge_into_small(change, number)
        if self._changed_groups is not None:
            return self._merge_groups(change, number)
        return self._merge_into_large(change, number)

    def _merge_into_small(self, change: str, number: int) -> list[Stage]:
        """The table is read in full, beside the change."""
        stages: list[Stage] = []
        source = change
        if self.increment.layout.keys is None:
            stages.append(self._collected_change(change, change, number))
            source = result_mark(number)
        scans = (*(() if stages else self._scans), current(self.increment.observed.target))
        look_up = self._look_up(source, self._old_rows(), change, number + len(stages), scans)
        return [*stages, look_up, self._write]

    def _merge_into_large(self, change: str, number: int) -> list[Stage]:
        """The old rows are found by the keys of those that change."""
        stages: list[Stage] = [self._collected_change(change, change, number)]
        old_rows = self._read_old_rows(number)
        scans: tuple[SourceScan, ...] = (current(self.increment.observed.target),)
        if find := self._find_old_rows(number):
            stages.append(find)
            old_rows, scans = found_mark(number + 1, SourceVersion.NEW), ()
        look_up = self._look_up(result_mark(number), old_rows, change, number + len(stages), scans)
        return [*stages, look_up, self._write]

    def _merge_groups(self, change: str, number: int) -> list[Stage]:
        """The same, where the keys are known before the change of their groups is computed."""
        find = self._find_rows(self._changed_groups or "", number, self._old_rows())
        old_rows = found_mark(number, SourceVersion.NEW)
        return [find, self._look_up(change, old_rows, change, number + 1, self._scans), self._write]

    def _merge_extremes(self, change: str, number: int) -> list[Stage]:
        """The same, where groups may lose their least or greatest value: it is then computed again."""
        stages: list[Stage] = [self._collected_change(change, change, number)]
        old_rows = self._old_rows()
        scans: tuple[SourceScan, ...] = (current(self.increment.observed.target),)
        if find := self._find_old_rows(number):
            stages.append(find)
            old_rows, scans = found_mark(number + 1, SourceVersion.NEW), ()
        growth, lost = result_mark(number), number + len(stages)

        def nothing_lost() -> Stages:
            return Stages((self._look_up(growth, old_rows, change, lost + 1, scans), self._write), lost + 1)

        keys_of_lost = Collect(
            detail="groups that may have lost their least or greatest value",
            query=groups_with_lost_extremes(self.increment.layout, growth, old_rows),
            limit=self.increment.limit,
            scans=scans,
            if_empty=nothing_lost,
        )
        extremes = LostExtremes(self.increment, self._changed_rows, lost)
        found = extremes.lookups
        again = extremes.query(found.found)
        look_up = self._look_up(growth, old_rows, change, lost + 1 + len(found.stages), scans, again)
        return [*stages, keys_of_lost, *found.stages, look_up, self._write]

    @cached_property
    def _changed_groups(self) -> str | None:
        """The keys of groups that rows come to or go from, where no join has to be computed for it."""
        by_groups = self.increment.layout.by_groups
        if by_groups is None or not self._findable or not self.increment.reads_changes_alone:
            return None
        stored = by_groups.names
        keys = [item for item in by_groups.groups.followed.keys if stored[item[0]] in self._findable]
        relation = Project(self.increment.change.relation, tuple(keys))
        return self._sql.query(relation, [stored[key] for key, _ in keys], self._changed_rows)

    def _merge_matched(self, change: str, number: int) -> list[Stage]:
        """The same, where the driver can tell by itself which old row is replaced by which new one."""
        target = self.increment.observed.target
        rows = weighted_in_table_order(self._delta, target, self._names)
        scans = (current(target),)
        actions = f"SELECT {listed(self._names)}, {ACTION} FROM (\n{result_mark(number)}\n)"
        find = self._find_old_rows(number)
        if find is None:
            raise ValueError("rows are matched by keys that they can be found by")

        def otherwise() -> Stages:
            look_up = self._look_up(actions, self._read_old_rows(number), change, number + 2, scans)
            return Stages((look_up, self._write), number + 2)

        return [
            self._netted_change(change, rows, number),
            replace(find, keys_of=number, found=(), otherwise=otherwise),
            replace(self._write, old_rows=number + 1),
        ]

    @property
    def _matches_in_driver(self) -> bool:
        layout = self.increment.layout
        is_keyed = layout.by_groups is None and bool(layout.keys) and self.increment.observed.within is None
        can_compare = all(is_flat(column.type) for column in layout.columns)
        return is_keyed and can_compare and self._findable == layout.keys

    @property
    def _write(self) -> WriteStage:
        return WriteStage(Way.MERGE, keys=self.increment.layout.keys)

    def _look_up(
        self,
        source: str,
        old_rows: str,
        change: str,
        number: int,
        scans: tuple[SourceScan, ...],
        again: str | None = None,
    ) -> LookUp:
        found = self.increment
        rows = self._sql.with_positions(source, old_rows, again)
        return LookUp(
            detail="rows to write and the positions of the rows that they replace",
            query=in_table_order(rows, found.observed.target, self._names),
            limit=found.limit,
            scans=scans,
            over_limit=lambda: Stages((self._one_statement(change),), number + 1),
            if_empty=lambda: Stages((CommitRecord(),), number + 1),
            keys=found.layout.keys,
        )

    def _collected_change(self, change: str, query: str, number: int) -> Collect:
        return self._collect("change of the rows of the table", query, change, number)

    def _netted_change(self, change: str, rows: str, number: int) -> Collect:
        detail = "change of the rows of the table, added up in memory"
        collect = self._collect(detail, rows, change, number)
        return replace(collect, net_by=self.increment.layout.keys)

    def _collect(self, detail: str, query: str, change: str, number: int) -> Collect:
        """More rows than the limit are not kept: ``change`` is then written by one statement."""
        return Collect(
            detail=detail,
            query=query,
            limit=self.increment.limit,
            scans=self._scans,
            over_limit=lambda: Stages((self._one_statement(change),), number + 1),
            if_empty=lambda: Stages((CommitRecord(),), number + 1),
        )

    def _find_old_rows(self, changed: int) -> FindRows | None:
        """The old rows of a large table that have keys of the rows of stage ``changed``; it comes next."""
        if not self._findable:
            return None
        return self._find_rows(result_mark(changed), changed + 1, self._read_old_rows(changed))

    def _find_rows(self, changed: str, number: int, otherwise: str) -> FindRows:
        """Old rows of the table that have keys of ``changed``, by stage ``number``."""
        target = self.increment.observed.target
        columns = self._sql.columns_of_old
        rows = placed_rows(columns, f"({result_mark(number)})", self._within)
        return FindRows(
            table=target.name,
            keys=self._findable,
            key_query=f"SELECT {listed(self._findable)} FROM (\n{changed}\n)",
            columns=(*dict.fromkeys((*columns, *self._partition_columns)), *PLACE),
            old=target.version.snapshot_id,
            new=target.version.snapshot_id,
            key_limit=self.increment.key_limit,
            limit=self.increment.limit,
            indexes=self.increment.indexes,
            found=(FoundVersion(SourceVersion.NEW, rows, otherwise),),
        )

    def _read_old_rows(self, changed: int) -> str:
        """The same, where the table must be read for it."""
        same = same_keys("__hr_all", "__hr_few", self._keys)
        return matching_rows(self._old_rows(), result_mark(changed), same)

    @cached_property
    def _findable(self) -> tuple[str, ...]:
        return self.increment.layout.findable_keys

    @property
    def _keys(self) -> tuple[str, ...]:
        keys = self.increment.layout.keys
        return tuple(self._names) if keys is None else keys

    @property
    def _partition_columns(self) -> tuple[str, ...]:
        """By which rows of one partition are told from others."""
        within = self.increment.observed.within
        return tuple(within.types) if within else ()

    @property
    def _within(self) -> str:
        within = self.increment.observed.within
        return within.sql("__hr_old") if within else ""

    def _old_rows(self) -> str:
        return rows_with_positions(self.increment.observed.target, self._sql.columns_of_old, self._within)

    def _one_statement(self, change: str) -> WriteStage:
        if self.increment.may_lose_extremes:
            by_keys = IncrementalStages(computed_by_keys(self.increment), self.first)
            return by_keys._one_statement(by_keys._change)
        if self.increment.adds_only:
            names = listed(self._names)
            insert = f"INSERT INTO {TARGET} ({names})\nSELECT {names} FROM (\n{change}\n)"
            return WriteStage(Way.APPEND, insert, scans=self._scans)
        scans = (*self._scans, current(self.increment.observed.target))
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
            else current(found.observed.sources[scan.table])
            for scan in scans_of(found.keyed.relation)
            if scan.version is not SourceVersion.CHANGE and scan not in self.found
        )


def current(table: Table) -> SourceScan:
    return SourceScan(table.name, table.version.snapshot_id)


def _distinct(scans: Iterable[SourceScan]) -> tuple[SourceScan, ...]:
    return tuple(dict.fromkeys(scans))
