"""DESC HISTORY: the versions of a table."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from headrace.commands.history_rows import versions_json
from headrace.commands.local_view import selected
from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.errors import LakeDamaged
from headrace.lake.session import Parameters
from headrace.lake.tables import Snapshot, Table
from headrace.model.names import TableName
from headrace.refresh.full import stats_of
from headrace.refresh.record import CARRIED, REFRESH_ID, from_summary
from headrace.result import Result
from headrace.sql.statements import DescribeHistory


def describe_history(
    statement: DescribeHistory, text: str, parameters: Parameters | None, bench: Workbench
) -> Result:
    with pointing_at(text, statement.name.span):
        name = bench.resolve(statement.name)
        table = table_with_versions(name, bench)
        dynamic = bench.lake.store.definitions.find(name) is not None
    rows = _rows(table.versions().kept, bench.lake.settings.zone, dynamic=dynamic)
    return selected(rows, statement.where, statement.limit, text, parameters, bench)


def table_with_versions(name: TableName, bench: Workbench) -> Table:
    return bench.table(name, view_is=", which has no versions", hint="use one of the tables that it reads")


def _rows(versions: tuple[Snapshot, ...], zone: ZoneInfo, *, dynamic: bool) -> pa.Table:
    shape = [
        ("version", pa.int64()),
        ("time", pa.timestamp("ms", tz=zone.key)),
        ("operation", pa.string()),
        ("total_rows", pa.int64()),
        ("total_bytes", pa.int64()),
        ("job_id", pa.string()),
    ]
    if dynamic:
        shape += [
            ("source_versions", pa.string()),
            ("rows_inserted", pa.int64()),
            ("rows_deleted", pa.int64()),
        ]
    rows = [_row(version) | (_refreshed(version) if dynamic else {}) for version in versions]
    return pa.Table.from_pylist(rows, schema=pa.schema(shape))


def _row(version: Snapshot) -> dict[str, Any]:
    return {
        "version": version.id,
        "time": version.made_at,
        "operation": version.operation,
        "total_rows": version.rows,
        "total_bytes": version.bytes,
        "job_id": None,
    }


def _refreshed(version: Snapshot) -> dict[str, Any]:
    """Of a dynamic table; what a refresh did not make has no job."""
    stats = stats_of(version)
    return {
        "job_id": None if CARRIED in version.summary else version.summary.get(REFRESH_ID),
        "source_versions": _source_versions(version),
        "rows_inserted": stats.rows_inserted,
        "rows_deleted": stats.rows_deleted,
    }


def _source_versions(version: Snapshot) -> str | None:
    try:
        record = from_summary(version.summary) if REFRESH_ID in version.summary else None
    except LakeDamaged:
        return None
    return None if record is None else versions_json(record.versions)
