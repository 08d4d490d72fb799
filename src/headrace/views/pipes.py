"""Pipes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from headrace.features.pipes.model import Pipe


@dataclass(frozen=True)
class PipeLatency:
    """In the names that monitoring of pipes is used to."""

    lastConsumeTimestamp: datetime | None  # noqa: N815
    offsetLag: int | None  # noqa: N815
    timeLag: float | None  # noqa: N815


@dataclass(frozen=True)
class PipeRow:
    schema_name: str
    name: str
    table_name: str
    state: str
    cluster: str
    batch_interval_in_seconds: int
    last_run: datetime | None
    last_commit: datetime | None
    rows: int
    rejected_rows: int
    failures: int
    last_error: str | None
    lag_records: int | None
    lag_bytes: int | None
    lag_seconds: float | None
    creator: str
    created_time: datetime
    comment: str | None
    definition: str

    @staticmethod
    def of(pipe: Pipe) -> PipeRow:
        progress, settings = pipe.progress, pipe.settings
        return PipeRow(
            schema_name=pipe.name.schema,
            name=pipe.name.table,
            table_name=str(pipe.target),
            state=state_of(pipe),
            cluster=settings.cluster,
            batch_interval_in_seconds=settings.interval_seconds,
            last_run=progress.last_run_at,
            last_commit=progress.last_commit_at,
            rows=progress.rows,
            rejected_rows=progress.rejected_rows,
            failures=progress.failures,
            last_error=progress.last_error,
            lag_records=progress.lag_records,
            lag_bytes=progress.lag_bytes,
            lag_seconds=progress.lag_seconds,
            creator=pipe.creator,
            created_time=pipe.created_at,
            comment=settings.comment,
            definition=pipe.copy,
        )


@dataclass(frozen=True)
class PipeDetails:
    workspace: str
    schema: str
    name: str
    creator: str
    created_time: datetime
    last_modified_time: datetime
    comment: str | None
    type: str
    target_table: str
    state: str
    virtual_cluster: str
    batch_interval_in_seconds: int
    initial_delay_in_seconds: int
    ingest_mode: str
    definition: str

    @staticmethod
    def of(pipe: Pipe) -> PipeDetails:
        settings = pipe.settings
        return PipeDetails(
            workspace=pipe.name.workspace,
            schema=pipe.name.schema,
            name=pipe.name.table,
            creator=pipe.creator,
            created_time=pipe.created_at,
            last_modified_time=pipe.modified_at,
            comment=settings.comment,
            type="PIPE",
            target_table=str(pipe.target),
            state=state_of(pipe),
            virtual_cluster=settings.cluster,
            batch_interval_in_seconds=settings.interval_seconds,
            initial_delay_in_seconds=settings.initial_delay_seconds,
            ingest_mode=settings.ingest_mode.value,
            definition=pipe.copy,
        )


@dataclass(frozen=True)
class ExtendedPipeDetails(PipeDetails):
    pipe_latency: PipeLatency
    last_run: datetime | None
    last_commit: datetime | None
    batches: int
    records: int
    rows: int
    rejected_rows: int
    failures: int
    last_error: str | None

    @staticmethod
    def with_latency(pipe: Pipe, latency: PipeLatency) -> ExtendedPipeDetails:
        progress = pipe.progress
        return ExtendedPipeDetails(
            **vars(PipeDetails.of(pipe)),
            pipe_latency=latency,
            last_run=progress.last_run_at,
            last_commit=progress.last_commit_at,
            batches=progress.batches,
            records=progress.records,
            rows=progress.rows,
            rejected_rows=progress.rejected_rows,
            failures=progress.failures,
            last_error=progress.last_error,
        )


def state_of(pipe: Pipe) -> str:
    if pipe.settings.is_paused:
        return "PAUSED"
    return "FAILING" if pipe.progress.failures else "RUNNING"
