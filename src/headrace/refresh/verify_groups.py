"""Whether stored groups are those of the rows that they come from: Spark computes them again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from headrace.algebra.operators.scan import SourceVersion
from headrace.algebra.walk import at, tables_of
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table, TableCatalog
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier
from headrace.model.version import TableVersion
from headrace.refresh.inner_aggregates import StoredGroups
from headrace.refresh.record import RefreshRecord
from headrace.refresh.scans import written


@dataclass(frozen=True)
class VerifiedGroups:
    compared: int
    wrong: tuple[StoredGroups, ...]


def verify_groups(
    groups: Iterable[StoredGroups],
    record: RefreshRecord,
    sources: Mapping[TableName, Table],
    catalog: TableCatalog,
    session: LakeSession,
) -> VerifiedGroups:
    """Those that the refresh of ``record`` has read and that still exist; wrong ones are deleted."""
    compared, wrong = 0, []
    for each in groups:
        version = record.groups.get(each.name)
        stored = catalog.table(each.name)
        if version is None or stored is None or not _has(stored, version):
            continue
        compared += 1
        if session.run(_differing(each, version, record, sources)).arrow().num_rows:
            wrong.append(each)
            catalog.purge(each.name)
    return VerifiedGroups(compared, tuple(wrong))


def _has(table: Table, version: TableVersion) -> bool:
    snapshot = version.snapshot_id
    return table.version.uuid == version.uuid and snapshot is not None and table.has_snapshot(snapshot)


def _differing(
    groups: StoredGroups, version: TableVersion, record: RefreshRecord, sources: Mapping[TableName, Table]
) -> str:
    columns = groups.aggregate.columns
    relation = at(groups.aggregate, SourceVersion.OLD)
    query = written(
        relation,
        columns,
        sources,
        record.current_date or date.max,
        before=record.versions,
        changes=dict.fromkeys(tables_of(relation), ""),
    )
    names = ", ".join(map(quote_identifier, columns))
    return f"""SELECT {names} FROM (
  SELECT {names}, 1 AS __hr_weight FROM (
{query}
  )
  UNION ALL
  SELECT {names}, -1 FROM {groups.name.sql} VERSION AS OF {version.snapshot_id}
) GROUP BY {names} HAVING sum(__hr_weight) <> 0 LIMIT 1"""
