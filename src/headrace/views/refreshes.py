"""Refreshes: a row of the refresh history in SQL, the same for programs, and the profile of a job."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from headrace.model.history import (
    JobProfile,
    Phase,
    Refresh,
    RefreshMode,
    RefreshState,
    RefreshTrigger,
    StageOutcome,
    StageReport,
    TableRead,
)
from headrace.model.names import TableName
from headrace.model.version import TableVersion


@dataclass(frozen=True)
class RefreshRow:
    """Of SHOW DYNAMIC TABLE REFRESH HISTORY, of information_schema and of REFRESH itself."""

    workspace_name: str
    schema_name: str
    name: str
    virtual_cluster: str
    start_time: datetime
    end_time: datetime | None
    duration: timedelta | None
    state: RefreshState
    refresh_trigger: RefreshTrigger
    suspended_reason: str | None
    refresh_mode: RefreshMode | None
    error_message: str | None
    source_tables: str
    stats: str | None
    completion_target: str | None
    job_id: str
    refresh_mode_reason: str | None
    source_versions: str
    rows_read: int | None
    bytes_read: int | None
    cluster_seconds: float | None
    refresh_arguments: str | None
    refresh_partition: str | None

    @staticmethod
    def of(refresh: Refresh) -> RefreshRow:
        return RefreshRow(
            workspace_name=refresh.table.workspace,
            schema_name=refresh.table.schema,
            name=refresh.table.table,
            virtual_cluster=refresh.cluster.upper(),
            start_time=refresh.start_time,
            end_time=refresh.end_time,
            duration=refresh.duration,
            state=refresh.state,
            refresh_trigger=refresh.trigger,
            suspended_reason=refresh.suspended_reason,
            refresh_mode=refresh.mode,
            error_message=refresh.error_message,
            source_tables=_sources_json(refresh.sources),
            stats=_stats_json(refresh),
            completion_target=None,
            job_id=refresh.job_id,
            refresh_mode_reason=refresh.mode_reason,
            source_versions=versions_json(refresh.source_versions),
            rows_read=refresh.rows_read,
            bytes_read=refresh.bytes_read,
            cluster_seconds=refresh.cluster_seconds,
            refresh_arguments=arguments_json(refresh.arguments),
            refresh_partition=None if refresh.partition is None else str(refresh.partition),
        )


@dataclass(frozen=True)
class RefreshView:
    """A refresh for programs: each figure a field of its own."""

    job_id: str
    table: str
    cluster: str
    state: RefreshState
    trigger: RefreshTrigger
    mode: RefreshMode | None
    mode_reason: str | None
    start_time: datetime
    end_time: datetime | None
    rows_inserted: int | None
    rows_deleted: int | None
    rows_read: int | None
    bytes_read: int | None
    cluster_seconds: float | None
    error_message: str | None
    suspended_reason: str | None
    source_versions: Mapping[str, str]
    arguments: Mapping[str, str]
    partition: str | None

    @staticmethod
    def of(refresh: Refresh) -> RefreshView:
        return RefreshView(
            job_id=refresh.job_id,
            table=str(refresh.table),
            cluster=refresh.cluster,
            state=refresh.state,
            trigger=refresh.trigger,
            mode=refresh.mode,
            mode_reason=refresh.mode_reason,
            start_time=refresh.start_time,
            end_time=refresh.end_time,
            rows_inserted=refresh.stats.rows_inserted if refresh.stats else None,
            rows_deleted=refresh.stats.rows_deleted if refresh.stats else None,
            rows_read=refresh.rows_read,
            bytes_read=refresh.bytes_read,
            cluster_seconds=refresh.cluster_seconds,
            error_message=refresh.error_message,
            suspended_reason=refresh.suspended_reason,
            source_versions={str(name): str(at) for name, at in refresh.source_versions.items()},
            arguments=refresh.arguments,
            partition=None if refresh.partition is None else str(refresh.partition),
        )


@dataclass(frozen=True)
class StageRow:
    stage: str
    detail: str
    outcome: StageOutcome
    rows: int | None
    seconds: float
    spark_jobs: tuple[int, ...]
    statement: int | None

    @staticmethod
    def of(stage: StageReport) -> StageRow:
        return StageRow(
            stage=stage.stage,
            detail=stage.detail,
            outcome=stage.outcome,
            rows=stage.rows,
            seconds=stage.seconds,
            spark_jobs=stage.spark_jobs,
            statement=stage.statement,
        )


@dataclass(frozen=True)
class ReadRow:
    table: str
    side: str
    rows: int
    bytes: int | None
    files: int | None

    @staticmethod
    def of(read: TableRead) -> ReadRow:
        return ReadRow(read.table, read.side, read.rows, read.bytes, read.files)


@dataclass(frozen=True)
class ProfileRow:
    """Of information_schema.dynamic_table_job_profiles."""

    job_id: str
    phases: tuple[Phase, ...]
    reads: tuple[ReadRow, ...]
    rows_written: int
    bytes_written: int
    statements: tuple[str, ...]
    plans: tuple[str, ...]
    spark_jobs: tuple[int, ...]
    query_tag: str | None
    refresh_arguments: str | None
    refresh_partition: str | None
    stages: tuple[StageRow, ...]

    @staticmethod
    def of(profile: JobProfile) -> ProfileRow:
        return ProfileRow(
            job_id=profile.job_id,
            phases=profile.phases,
            reads=tuple(map(ReadRow.of, profile.reads)),
            rows_written=profile.rows_written,
            bytes_written=profile.bytes_written,
            statements=profile.statements,
            plans=profile.plans,
            spark_jobs=profile.spark_jobs,
            query_tag=profile.tag,
            refresh_arguments=arguments_json(profile.arguments),
            refresh_partition=None if profile.partition is None else str(profile.partition),
            stages=tuple(map(StageRow.of, profile.stages)),
        )


def arguments_json(arguments: Mapping[str, str]) -> str | None:
    """None for a table without parameters."""
    return _compact(dict(sorted(arguments.items()))) if arguments else None


def versions_json(versions: Mapping[TableName, TableVersion]) -> str:
    return _compact({str(name): version.snapshot_id for name, version in sorted(versions.items())})


def _sources_json(sources: tuple[TableName, ...]) -> str:
    return _compact(
        [
            {"schema": source.schema, "table_name": source.table, "workspace": source.workspace}
            for source in sources
        ]
    )


def _stats_json(refresh: Refresh) -> str | None:
    if refresh.stats is None:
        return None
    deleted, inserted = refresh.stats.rows_deleted, refresh.stats.rows_inserted
    return _compact({"rows_deleted": str(deleted), "rows_inserted": str(inserted)})


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
