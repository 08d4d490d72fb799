"""The refresh history and the job profiles as rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from headrace.model.history import JobProfile, Refresh
from headrace.model.names import TableName
from headrace.model.version import TableVersion

_TEXT_COLUMNS_BEFORE = ("workspace_name", "schema_name", "name", "virtual_cluster")
_TEXT_COLUMNS_AFTER = (
    "state",
    "refresh_trigger",
    "suspended_reason",
    "refresh_mode",
    "error_message",
    "source_tables",
    "stats",
    "completion_target",
    "job_id",
    "refresh_mode_reason",
    "source_versions",
)


def history_schema(zone: ZoneInfo) -> pa.Schema:
    moment = pa.timestamp("us", tz=zone.key)
    return pa.schema(
        [
            *((name, pa.string()) for name in _TEXT_COLUMNS_BEFORE),
            ("start_time", moment),
            ("end_time", moment),
            ("duration", pa.duration("us")),
            *((name, pa.string()) for name in _TEXT_COLUMNS_AFTER),
            ("rows_read", pa.int64()),
            ("bytes_read", pa.int64()),
            ("cluster_seconds", pa.float64()),
            ("refresh_arguments", pa.string()),
            ("refresh_partition", pa.string()),
        ]
    )


def history_rows(refreshes: Sequence[Refresh], zone: ZoneInfo) -> pa.Table:
    return pa.Table.from_pylist([_row(refresh) for refresh in refreshes], schema=history_schema(zone))


def _row(refresh: Refresh) -> dict[str, Any]:
    return {
        "workspace_name": refresh.table.workspace,
        "schema_name": refresh.table.schema,
        "name": refresh.table.table,
        "virtual_cluster": refresh.cluster.upper(),
        "start_time": refresh.start_time,
        "end_time": refresh.end_time,
        "duration": refresh.duration,
        "state": refresh.state.value,
        "refresh_trigger": refresh.trigger.value,
        "suspended_reason": refresh.suspended_reason,
        "refresh_mode": refresh.mode.value if refresh.mode else None,
        "error_message": refresh.error_message,
        "source_tables": _compact(
            [
                {"schema": source.schema, "table_name": source.table, "workspace": source.workspace}
                for source in refresh.sources
            ]
        ),
        "stats": _stats(refresh),
        "completion_target": None,
        "job_id": refresh.job_id,
        "refresh_mode_reason": refresh.mode_reason,
        "source_versions": versions_json(refresh.source_versions),
        "rows_read": refresh.rows_read,
        "bytes_read": refresh.bytes_read,
        "cluster_seconds": refresh.cluster_seconds,
        "refresh_arguments": arguments_json(refresh.arguments),
        "refresh_partition": None if refresh.partition is None else str(refresh.partition),
    }


def arguments_json(arguments: Mapping[str, str]) -> str | None:
    """None for a table without parameters."""
    return _compact(dict(sorted(arguments.items()))) if arguments else None


def versions_json(versions: Mapping[TableName, TableVersion]) -> str:
    return _compact({str(name): version.snapshot_id for name, version in sorted(versions.items())})


def _stats(refresh: Refresh) -> str | None:
    if refresh.stats is None:
        return None
    return _compact(
        {
            "rows_deleted": str(refresh.stats.rows_deleted),
            "rows_inserted": str(refresh.stats.rows_inserted),
        }
    )


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


_PHASE = pa.struct([("name", pa.string()), ("seconds", pa.float64())])
_STAGE = pa.struct(
    [
        ("stage", pa.string()),
        ("detail", pa.string()),
        ("outcome", pa.string()),
        ("rows", pa.int64()),
        ("seconds", pa.float64()),
        ("spark_jobs", pa.list_(pa.int64())),
        ("statement", pa.int64()),
    ]
)
_READ = pa.struct(
    [
        ("table", pa.string()),
        ("side", pa.string()),
        ("rows", pa.int64()),
        ("bytes", pa.int64()),
        ("files", pa.int64()),
    ]
)
_PROFILE_SCHEMA = pa.schema(
    [
        ("job_id", pa.string()),
        ("phases", pa.list_(_PHASE)),
        ("reads", pa.list_(_READ)),
        ("rows_written", pa.int64()),
        ("bytes_written", pa.int64()),
        ("statements", pa.list_(pa.string())),
        ("plans", pa.list_(pa.string())),
        ("spark_jobs", pa.list_(pa.int64())),
        ("query_tag", pa.string()),
        ("refresh_arguments", pa.string()),
        ("refresh_partition", pa.string()),
        ("stages", pa.list_(_STAGE)),
    ]
)


def profile_rows(profiles: Sequence[JobProfile]) -> pa.Table:
    return pa.Table.from_pylist([_profile(profile) for profile in profiles], schema=_PROFILE_SCHEMA)


def _profile(profile: JobProfile) -> dict[str, Any]:
    return asdict(profile) | {
        "query_tag": profile.tag,
        "refresh_arguments": arguments_json(profile.arguments),
        "refresh_partition": None if profile.partition is None else str(profile.partition),
    }
