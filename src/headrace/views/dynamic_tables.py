"""Dynamic tables: a row of SHOW DYNAMIC TABLES, and all that programs are shown of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from headrace.lake.table.metadata_files import Head
from headrace.model.dynamic_table import DynamicTable, RequestedMode
from headrace.model.history import Refresh, RefreshMode, RefreshState
from headrace.refresh.condition import Condition, TableState
from headrace.views.refreshes import RefreshView

RECENT = 20
"""How many refreshes back the last successful one is looked for."""
_FULL_AGAIN = 3
"""From so many FULL refreshes on in a row there is something to be said."""


@dataclass(frozen=True)
class DynamicTableRow:
    schema_name: str
    name: str
    refresh_interval: timedelta | None
    virtual_cluster: str
    refresh_mode: RequestedMode
    state: TableState
    last_refresh_time: datetime | None
    last_refresh_mode: RefreshMode | None
    last_refresh_duration: timedelta | None
    rows: int | None
    lag: timedelta | None
    advice: str | None
    reason: str | None
    consecutive_failures: int
    last_success_time: datetime | None

    @staticmethod
    def of(
        table: DynamicTable, found: Condition, past: Sequence[Refresh], rows: int | None
    ) -> DynamicTableRow:
        """``past`` are its last refreshes, newest first."""
        last = next((refresh for refresh in past if refresh.state is RefreshState.SUCCEED), None)
        interval = table.schedule.interval_seconds
        is_readable = found.state is not TableState.UNREADABLE
        return DynamicTableRow(
            schema_name=table.name.schema,
            name=table.name.table,
            refresh_interval=None if interval is None else timedelta(seconds=interval),
            virtual_cluster=table.cluster.upper(),
            refresh_mode=table.mode,
            state=found.state,
            last_refresh_time=last.end_time if last else None,
            last_refresh_mode=last.mode if last else None,
            last_refresh_duration=last.duration if last else None,
            rows=rows,
            lag=found.lag,
            advice=advice(table.mode, interval, past) if is_readable else found.reason,
            reason=found.reason,
            consecutive_failures=found.consecutive_failures,
            last_success_time=found.last_success,
        )


@dataclass(frozen=True)
class ConditionView:
    state: TableState
    reason: str | None
    consecutive_failures: int
    last_success: datetime | None
    lag_seconds: float | None


@dataclass(frozen=True)
class ColumnView:
    name: str
    type: str


@dataclass(frozen=True)
class DynamicTableView(ConditionView):
    name: str
    query: str
    sources: tuple[str, ...]
    columns: tuple[ColumnView, ...]
    interval_seconds: int | None
    cluster: str
    mode: RequestedMode
    suspended: bool
    creator: str
    next_refresh: datetime | None
    last_refresh: RefreshView | None
    rows: int | None
    bytes: int | None
    bytes_with_old_versions: int | None

    @staticmethod
    def of(
        table: DynamicTable,
        found: Condition,
        head: Head | None,
        last: Refresh | None,
        next_refresh: datetime | None,
    ) -> DynamicTableView:
        return DynamicTableView(
            **condition_fields(found),
            name=str(table.name),
            query=table.definition.query,
            sources=tuple(str(source.name) for source in table.definition.sources),
            columns=tuple(ColumnView(column.name, column.type) for column in table.columns),
            interval_seconds=table.schedule.interval_seconds,
            cluster=table.cluster,
            mode=table.mode,
            suspended=table.suspended,
            creator=table.creator,
            next_refresh=next_refresh,
            last_refresh=RefreshView.of(last) if last is not None else None,
            rows=head.rows if head else None,
            bytes=head.bytes if head else None,
            bytes_with_old_versions=head.bytes_with_old_versions if head else None,
        )


def condition_fields(found: Condition) -> dict[str, Any]:
    """Of a ``ConditionView`` and of what extends it."""
    return {
        "state": found.state,
        "reason": found.reason,
        "consecutive_failures": found.consecutive_failures,
        "last_success": found.last_success,
        "lag_seconds": None if found.lag is None else found.lag.total_seconds(),
    }


def advice(mode: RequestedMode, interval_seconds: int | None, past: Sequence[Refresh]) -> str | None:
    """``past`` is newest first."""
    durations = [r.duration for r in past if r.duration and r.mode is not RefreshMode.NO_DATA]
    if interval_seconds is not None and durations and durations[0].total_seconds() > interval_seconds / 2:
        took = durations[0].total_seconds()
        return (
            f"the last refresh took {took:.0f} s, and the interval is {interval_seconds} s: "
            f"increase the interval to {1.5 * took:.0f}-{2 * took:.0f} s"
        )
    done = [r for r in past if r.state is RefreshState.SUCCEED and r.mode is not RefreshMode.NO_DATA]
    again = done[:_FULL_AGAIN]
    is_wanted = mode is RequestedMode.FULL or len(again) < _FULL_AGAIN
    if is_wanted or any(refresh.mode is not RefreshMode.FULL for refresh in again):
        return None
    return f"the last {_FULL_AGAIN} refreshes were FULL: {again[0].mode_reason}"
