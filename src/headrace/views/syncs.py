"""Syncs and their tables."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from headrace.features.dynamic_tables.grammar_clauses import show_interval
from headrace.features.syncs.model import Sync, SyncMode, SyncTable
from headrace.model.task import CronSchedule, IntervalSchedule


@dataclass(frozen=True)
class SyncRow:
    schema_name: str
    name: str
    connection: str
    mode: str
    state: str
    tables: int
    stopped_tables: int
    cluster: str
    commit_interval_in_seconds: int | None
    """None: it has a schedule, or is run by hand."""
    schedule: str | None
    follows_deletes: bool
    """Whether rows that are gone from the source are deleted."""
    last_run: datetime | None
    last_commit: datetime | None
    caught_up: datetime | None
    """Of a sync that follows a log: the tables have what was committed in the database before."""
    changes: int
    failures: int
    last_error: str | None
    lag_bytes: int | None
    held_bytes: int | None
    creator: str
    created_time: datetime
    comment: str | None

    @staticmethod
    def of(sync: Sync) -> SyncRow:
        progress, settings = sync.progress, sync.settings
        return SyncRow(
            schema_name=sync.name.schema,
            name=sync.name.table,
            connection=sync.connection,
            mode=sync.mode.value,
            state=state_of_sync(sync),
            tables=len(sync.tables),
            stopped_tables=sum(table.error is not None for table in sync.tables),
            cluster=settings.cluster,
            commit_interval_in_seconds=_interval(sync),
            schedule=_schedule(sync),
            follows_deletes=sync.follows_deletes,
            last_run=progress.last_run_at,
            last_commit=progress.last_commit_at,
            caught_up=progress.caught_up_at,
            changes=progress.changes,
            failures=progress.failures,
            last_error=progress.last_error,
            lag_bytes=progress.lag_bytes,
            held_bytes=progress.held_bytes,
            creator=sync.creator,
            created_time=sync.created_at,
            comment=settings.comment,
        )


@dataclass(frozen=True)
class SyncDetails:
    workspace: str
    schema: str
    name: str
    creator: str
    created_time: datetime
    last_modified_time: datetime
    comment: str | None
    type: str
    connection: str
    selection: tuple[str, ...]
    mode: str
    start: str
    state: str
    virtual_cluster: str
    commit_interval_in_seconds: int | None
    schedule: str | None
    watermark: str | None
    """The column by which changed rows are found; None: all rows are read, or a log."""
    follows_deletes: bool
    tables: tuple[str, ...]
    """Each with the table of the lake."""

    @staticmethod
    def of(sync: Sync) -> SyncDetails:
        return SyncDetails(
            workspace=sync.name.workspace,
            schema=sync.name.schema,
            name=sync.name.table,
            creator=sync.creator,
            created_time=sync.created_at,
            last_modified_time=sync.modified_at,
            comment=sync.settings.comment,
            type="SYNC",
            connection=sync.connection,
            selection=sync.patterns,
            mode=sync.mode.value,
            start=sync.start.value,
            state=state_of_sync(sync),
            virtual_cluster=sync.settings.cluster,
            commit_interval_in_seconds=_interval(sync),
            schedule=_schedule(sync),
            watermark=sync.reads.watermark,
            follows_deletes=sync.follows_deletes,
            tables=tuple(f"{table.source} -> {table.target}" for table in sync.tables),
        )


@dataclass(frozen=True)
class SyncTableRow:
    """DESC SYNC EXTENDED: a table of a sync, as it is now."""

    source_table: str
    table_name: str
    state: str
    phase: str
    key: tuple[str, ...]
    rows: int
    """Rows that were first read, and changes."""
    position: str | None
    lag_bytes: int | None
    held_bytes: int | None
    """Of the source's log, that it keeps for the sync."""
    last_commit: datetime | None
    last_error: str | None

    @staticmethod
    def of(
        table: SyncTable, sync: Sync, position: str | None, lag_bytes: int | None, held: int | None
    ) -> SyncTableRow:
        return SyncTableRow(
            source_table=table.source,
            table_name=str(table.target),
            state=_table_state(table, sync),
            phase=table.phase,
            key=table.key,
            rows=table.rows,
            position=position,
            lag_bytes=lag_bytes,
            held_bytes=held,
            last_commit=sync.progress.last_commit_at,
            last_error=table.error or (sync.progress.last_error if sync.progress.failures else None),
        )


def _interval(sync: Sync) -> int | None:
    return None if sync.mode is SyncMode.BATCH else sync.settings.interval_seconds


def _schedule(sync: Sync) -> str | None:
    match sync.settings.schedule:
        case IntervalSchedule(seconds, _):
            return f"INTERVAL {show_interval(seconds).upper()}"
        case CronSchedule(expression, zone):
            return f"CRON '{expression}'" + (f" TIME ZONE '{zone}'" if zone else "")
        case None:
            return None


def state_of_sync(sync: Sync) -> str:
    if sync.settings.is_paused:
        return "PAUSED"
    return "FAILING" if sync.progress.failures else "RUNNING"


def _table_state(table: SyncTable, sync: Sync) -> str:
    return "STOPPED" if table.error is not None else state_of_sync(sync)
