"""The stages that read rows of sources into memory, and what a change reads in place of the sources.

Of large sources these are rows with the keys that are needed, of small ones all rows if all are needed. A
query that reads only rows in memory has a plan that is kept, and runs without a Spark job.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.algebra.relation import Relation
from headrace.algebra.walk import scans_of
from headrace.delta.key_lookups import KeyedRelation
from headrace.lake.lookup.key_lookup import IS_NEW, IS_OLD
from headrace.lake.table.tables import Table
from headrace.model.names import TableName
from headrace.refresh.delta_sql import listed
from headrace.refresh.increment import Increment
from headrace.refresh.row_keys import key_columns
from headrace.refresh.scans import columns_read, whole, written
from headrace.refresh.stages import FindRows, FoundVersion, found_mark, result_mark

_IN_VERSION = {SourceVersion.OLD: IS_OLD, SourceVersion.NEW: IS_NEW}


@dataclass(frozen=True)
class Lookups:
    stages: tuple[FindRows, ...]
    found: Mapping[Scan, str]
    """What stands for each scan that is looked up."""


@dataclass(frozen=True)
class _Search:
    """Scans of one table that are looked up by the same keys, so that both versions are read at once."""

    keys: Relation | None
    """None: all rows are needed."""
    columns: tuple[tuple[str, str], ...]
    """Those of the keys, and of the table, by which rows can be found."""
    or_null: bool
    scans: tuple[Scan, ...]
    alike: tuple[Scan, ...] = ()
    """And those that are looked up by other values of the same columns: rows of both are read once."""

    @property
    def table(self) -> TableName:
        return self.scans[0].table


def build_lookups(
    increment: Increment, keyed: KeyedRelation, changes: Mapping[TableName, str], first: int
) -> Lookups:
    """For ``keyed``. ``changes`` are queries of changed rows; the stages are numbered from ``first``."""
    builder = _Builder(increment, keyed, changes)
    stages: list[FindRows] = []
    found: dict[Scan, str] = {}
    for number, search in enumerate([*builder.small_tables(), *builder.searches()], first):
        stages.append(builder.stage(search, found, number))
        found |= {scan: found_mark(number, builder.version(scan)) for scan in search.scans}
    return Lookups(tuple(stages), found)


@dataclass(frozen=True)
class _Builder:
    increment: Increment
    keyed: KeyedRelation
    changes: Mapping[TableName, str]

    def small_tables(self) -> Iterable[_Search]:
        """Those of which a change needs all rows."""
        found: dict[TableName, list[Scan]] = {}
        for scan in self._scans():
            is_whole = scan.version is not SourceVersion.CHANGE and scan not in self.keyed.lookups
            if is_whole and self.increment.is_small_table(scan.table):
                found.setdefault(scan.table, []).append(scan)
        return [_Search(None, (), False, tuple(scans), tuple(scans)) for scans in found.values()]

    def _scans(self) -> Iterable[Scan]:
        """Of the change, and of the keys that rows are looked up by."""
        relations = (self.keyed.relation, *(each.keys for each in self.keyed.lookups.values()))
        return dict.fromkeys(scan for relation in relations for scan in scans_of(relation))

    def searches(self) -> Iterable[_Search]:
        """Those whose keys come from other searches come after them."""
        found: dict[tuple[TableName, Relation, tuple[tuple[str, str], ...], bool], list[Scan]] = {}
        for scan, needed in self.keyed.lookups.items():
            columns = key_columns(scan, needed, self._table(scan.table))
            if columns:
                found.setdefault((scan.table, needed.keys, columns, needed.or_null), []).append(scan)
        searches = [
            _Search(keys, columns, or_null, tuple(scans))
            for (_, keys, columns, or_null), scans in found.items()
        ]
        return [replace(search, alike=_scans_like(search, searches)) for search in searches]

    def version(self, scan: Scan) -> SourceVersion:
        """A table that did not change has no other version."""
        return scan.version if scan.table in self.changes else SourceVersion.NEW

    def stage(self, search: _Search, found: Mapping[Scan, str], number: int) -> FindRows:
        increment, table = self.increment, self._table(search.table)
        columns = columns_read(search.alike, table)
        new = table.version.snapshot_id
        versions = dict.fromkeys(self.version(scan) for scan in search.scans)
        read = {self.version(scan) for scan in search.alike}
        before = increment.record.versions[search.table] if SourceVersion.OLD in read else None
        keys = search.keys and written(
            search.keys,
            tuple(key for key, _ in search.columns),
            increment.observed.sources,
            increment.today,
            before=increment.record.versions,
            changes=self.changes,
            found=found,
        )
        return FindRows(
            table=search.table,
            keys=tuple(column for _, column in search.columns),
            key_query=keys or "",
            or_null=search.or_null,
            columns=columns,
            old=before.snapshot_id if before else new,
            new=new if SourceVersion.NEW in read or before is None else before.snapshot_id,
            key_limit=increment.key_limit,
            limit=increment.found_limit,
            indexes=increment.indexes,
            found=tuple(self._found_rows(table, columns, version, number) for version in versions),
        )

    def _found_rows(
        self, table: Table, columns: tuple[str, ...], version: SourceVersion, number: int
    ) -> FoundVersion:
        names = listed(columns)
        before = self.increment.record.versions[table.name] if version is SourceVersion.OLD else None
        return FoundVersion(
            version,
            f"SELECT {names} FROM ({result_mark(number)}) WHERE {_IN_VERSION[version]}",
            f"SELECT {names} FROM {whole(table, columns, before)}",
        )

    def _table(self, name: TableName) -> Table:
        return self.increment.observed.sources[name]


def _scans_like(search: _Search, searches: Iterable[_Search]) -> tuple[Scan, ...]:
    by = {column for _, column in search.columns}
    return tuple(
        scan
        for other in searches
        if other.table == search.table and {column for _, column in other.columns} == by
        for scan in other.scans
    )
