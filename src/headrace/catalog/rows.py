"""Rows of the metadata database to nouns of the model and back; each pair of functions is symmetrical."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from headrace.catalog.schema import Lifecycle
from headrace.model.dynamic_table import Column, Definition, DynamicTable, RequestedMode, Schedule, Source
from headrace.model.estimate import Estimate
from headrace.model.history import (
    JobProfile,
    OperatorMetric,
    Phase,
    PlanOperator,
    Refresh,
    RefreshMode,
    RefreshState,
    RefreshStats,
    RefreshTrigger,
    StageOutcome,
    StageReport,
    TableRead,
)
from headrace.model.names import TableName
from headrace.model.partition import Partition
from headrace.model.version import TableVersion

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = Mapping[Any, Any]


def table_to_row(table: DynamicTable) -> dict[str, Any]:
    """All columns of dynamic_tables but the lifecycle and the intention."""
    definition, schedule = table.definition, table.schedule
    return {
        "id": table.id,
        **name_to_columns(table.name),
        "query": definition.query,
        "expanded": definition.expanded,
        "qualified": definition.qualified,
        "sources": [_source_to_json(source) for source in definition.sources],
        "uses_current_date": definition.uses_current_date,
        "columns": [asdict(column) for column in table.columns],
        "creator": table.creator,
        "created_at": table.created_at,
        "modified_at": table.modified_at,
        "interval_seconds": schedule.interval_seconds,
        "start_at": schedule.start_at,
        "cluster": table.cluster,
        "mode": table.mode.value,
        "comment": table.comment,
        "properties": dict(table.properties),
        "partitioned_by": list(table.partitioned_by),
        "clustered_by": list(table.clustered_by),
        "suspended": table.suspended,
    }


def table_from_row(row: Row) -> DynamicTable:
    return DynamicTable(
        id=row["id"],
        name=name_from_columns(row),
        definition=Definition(
            query=row["query"],
            expanded=row["expanded"],
            qualified=row["qualified"],
            sources=tuple(_source_from_json(source) for source in row["sources"]),
            uses_current_date=row["uses_current_date"],
        ),
        columns=tuple(Column(**column) for column in row["columns"]),
        creator=row["creator"],
        created_at=row["created_at"],
        modified_at=row["modified_at"],
        schedule=Schedule(row["interval_seconds"], row["start_at"]),
        cluster=row["cluster"],
        mode=RequestedMode(row["mode"]),
        comment=row["comment"],
        properties=dict(row["properties"]),
        partitioned_by=tuple(row["partitioned_by"]),
        clustered_by=tuple(row["clustered_by"]),
        suspended=row["suspended"],
    )


def intention_to_json(table: DynamicTable) -> dict[str, Any]:
    """What the lake holds of a table, too."""
    return {
        **name_to_columns(table.name),
        "columns": [asdict(column) for column in table.columns],
        "comment": table.comment,
        "properties": dict(table.properties),
        "partitioned_by": list(table.partitioned_by),
        "clustered_by": list(table.clustered_by),
        "modified_at": table.modified_at.isoformat(),
    }


def intended_from_row(row: Row) -> DynamicTable:
    """The table as the alteration that has begun will leave it."""
    intended = row["intended"]
    return replace(
        table_from_row(row),
        name=name_from_columns(intended),
        columns=tuple(Column(**column) for column in intended["columns"]),
        comment=intended["comment"],
        properties=dict(intended["properties"]),
        partitioned_by=tuple(intended["partitioned_by"]),
        clustered_by=tuple(intended["clustered_by"]),
        modified_at=datetime.fromisoformat(intended["modified_at"]),
    )


def lifecycle_from_row(row: Row) -> Lifecycle:
    return Lifecycle(row["lifecycle"])


def sources_from_row(row: Row) -> tuple[TableName, ...]:
    """What a row of dynamic_tables or refreshes reads, by name alone."""
    return tuple(name_from_json(source) for source in row["sources"])


def refresh_to_row(refresh: Refresh) -> dict[str, Any]:
    stats = refresh.stats
    return {
        "job_id": refresh.job_id,
        "table_id": refresh.table_id,
        **name_to_columns(refresh.table),
        "cluster": refresh.cluster,
        "start_time": refresh.start_time,
        "end_time": refresh.end_time,
        "state": refresh.state.value,
        "trigger": refresh.trigger.value,
        "sources": [dict(vars(source)) for source in refresh.sources],
        "suspended_reason": refresh.suspended_reason,
        "mode": None if refresh.mode is None else refresh.mode.value,
        "mode_reason": refresh.mode_reason,
        "error_message": refresh.error_message,
        "rows_inserted": None if stats is None else stats.rows_inserted,
        "rows_deleted": None if stats is None else stats.rows_deleted,
        "source_versions": [{**vars(name), **vars(at)} for name, at in refresh.source_versions.items()],
        "rows_read": refresh.rows_read,
        "bytes_read": refresh.bytes_read,
        "cluster_seconds": refresh.cluster_seconds,
        "estimated_incremental": None if refresh.estimated is None else refresh.estimated.incremental,
        "estimated_full": None if refresh.estimated is None else refresh.estimated.full,
        "arguments": dict(refresh.arguments) or None,
        "partition": None if refresh.partition is None else list(refresh.partition.values),
    }


def refresh_from_row(row: Row) -> Refresh:
    return Refresh(
        job_id=row["job_id"],
        table_id=row["table_id"],
        table=name_from_columns(row),
        cluster=row["cluster"],
        start_time=row["start_time"],
        state=RefreshState(row["state"]),
        trigger=RefreshTrigger(row["trigger"]),
        sources=sources_from_row(row),
        end_time=row["end_time"],
        suspended_reason=row["suspended_reason"],
        mode=None if row["mode"] is None else RefreshMode(row["mode"]),
        mode_reason=row["mode_reason"],
        error_message=row["error_message"],
        stats=_stats_from_row(row),
        source_versions=dict(_source_version_from_json(entry) for entry in row["source_versions"]),
        rows_read=row["rows_read"],
        bytes_read=row["bytes_read"],
        cluster_seconds=row["cluster_seconds"],
        estimated=_estimate_from_row(row),
        arguments=dict(row["arguments"] or {}),
        partition=_partition_from_json(row["partition"]),
    )


def profile_to_row(profile: JobProfile) -> dict[str, Any]:
    payload = asdict(profile) | {
        "partition": None if profile.partition is None else list(profile.partition.values)
    }
    return {"job_id": payload.pop("job_id"), "payload": payload}


def profile_from_row(row: Row) -> JobProfile:
    payload = row["payload"]
    return JobProfile(
        job_id=row["job_id"],
        phases=tuple(Phase(**phase) for phase in payload["phases"]),
        reads=tuple(TableRead(**read) for read in payload["reads"]),
        statements=tuple(payload["statements"]),
        plans=tuple(payload["plans"]),
        spark_jobs=tuple(payload["spark_jobs"]),
        rows_written=payload["rows_written"],
        bytes_written=payload["bytes_written"],
        tag=payload["tag"],
        arguments=dict(payload.get("arguments", {})),
        partition=_partition_from_json(payload.get("partition")),
        stages=tuple(map(_stage_from_json, payload.get("stages", ()))),
        operators=tuple(tuple(map(_operator_from_json, plan)) for plan in payload.get("operators", ())),
    )


def _operator_from_json(entry: Mapping[str, Any]) -> PlanOperator:
    metrics = tuple(OperatorMetric(**metric) for metric in entry["metrics"])
    return PlanOperator(**{**entry, "metrics": metrics})


def _stage_from_json(entry: Mapping[str, Any]) -> StageReport:
    outcome, spark_jobs = StageOutcome(entry["outcome"]), tuple(entry["spark_jobs"])
    return StageReport(**{**entry, "outcome": outcome, "spark_jobs": spark_jobs})


def name_to_columns(name: TableName) -> dict[str, str]:
    return {"workspace": name.workspace, "schema": name.schema, "name": name.table}


def name_from_columns(row: Row) -> TableName:
    return TableName(row["workspace"], row["schema"], row["name"])


def name_from_json(entry: Row) -> TableName:
    return TableName(entry["workspace"], entry["schema"], entry["table"])


def _source_to_json(source: Source) -> dict[str, Any]:
    return {**asdict(source.name), "columns": list(source.columns)}


def _source_from_json(entry: Row) -> Source:
    return Source(name_from_json(entry), tuple(entry["columns"]))


def _source_version_from_json(entry: Row) -> tuple[TableName, TableVersion]:
    return name_from_json(entry), TableVersion(entry["uuid"], entry["snapshot_id"], entry["schema_id"])


def _partition_from_json(values: list[tuple[str, str | None]] | None) -> Partition | None:
    return None if values is None else Partition(tuple((column, value) for column, value in values))


def _estimate_from_row(row: Row) -> Estimate | None:
    incremental, full = row["estimated_incremental"], row["estimated_full"]
    return None if incremental is None or full is None else Estimate(incremental, full)


def _stats_from_row(row: Row) -> RefreshStats | None:
    inserted, deleted = row["rows_inserted"], row["rows_deleted"]
    return None if inserted is None or deleted is None else RefreshStats(inserted, deleted)


def moments_to_json(content: DataclassInstance, moments: Iterable[str]) -> dict[str, Any]:
    """A dataclass, some of whose fields are moments or None."""
    found = asdict(content)
    return found | {key: found[key] and found[key].isoformat() for key in moments}


def moments_from_json(content: dict[str, Any], moments: Iterable[str]) -> dict[str, Any]:
    return content | {
        key: datetime.fromisoformat(content[key]) if content.get(key) else None for key in moments
    }
