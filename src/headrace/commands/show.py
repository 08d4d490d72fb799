"""SHOW TABLES, SHOW TABLES HISTORY, SHOW DYNAMIC TABLES, SHOW DYNAMIC TABLE REFRESH HISTORY."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pyarrow as pa

from headrace.commands.history_rows import history_rows
from headrace.commands.local_view import selected
from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.errors import NotFound
from headrace.lake.session import Parameters
from headrace.model.dropped import Dropped
from headrace.model.dynamic_table import DynamicTable, RequestedMode
from headrace.model.history import Refresh, RefreshMode, RefreshState
from headrace.model.quoting import show_identifier
from headrace.refresh.condition import Condition, TableState, conditions
from headrace.result import Result
from headrace.sql.statements import (
    Name,
    ShowDynamicTables,
    ShowRefreshHistory,
    ShowTables,
    ShowTablesHistory,
)

_FLAG = pa.bool_()
_TABLES = pa.schema(
    [
        ("schema_name", pa.string()),
        ("table_name", pa.string()),
        ("is_view", _FLAG),
        ("is_materialized_view", _FLAG),
        ("is_external", _FLAG),
        ("is_dynamic", _FLAG),
    ]
)
_RECENT = 20
"""How many refreshes back the last successful one is looked for."""
_FULL_AGAIN = 3
"""From so many FULL refreshes on in a row there is something to be said."""


def show_tables(statement: ShowTables, text: str, parameters: Parameters | None, bench: Workbench) -> Result:
    workspace, schema = schema_named(statement.schema, text, bench)
    dynamic = {table.name.table for table in bench.lake.store.definitions.in_schema(workspace, schema)}
    rows = [
        _table_row(schema, name, is_view=False, is_dynamic=name in dynamic)
        for name in bench.session.catalog.tables(workspace, schema)
    ]
    rows += [
        _table_row(schema, name, is_view=True, is_dynamic=False)
        for name in bench.session.catalog.views(workspace, schema)
    ]
    kept = [row for row in rows if like(row["table_name"], statement.like)]
    table = pa.Table.from_pylist(sorted(kept, key=lambda row: row["table_name"]), schema=_TABLES)
    return selected(table, statement.where, statement.limit, text, parameters, bench)


def _table_row(schema: str, name: str, *, is_view: bool, is_dynamic: bool) -> dict[str, Any]:
    return {
        "schema_name": schema,
        "table_name": name,
        "is_view": is_view,
        "is_materialized_view": False,
        "is_external": False,
        "is_dynamic": is_dynamic,
    }


def show_tables_history(
    statement: ShowTablesHistory, text: str, parameters: Parameters | None, bench: Workbench
) -> Result:
    """What can be undropped, the last one dropped first."""
    found = [dropped for dropped in bench.lake.store.dropped.all() if dropped.is_kept(bench.now())]
    if statement.schema is not None:
        with pointing_at(text, statement.schema.span):
            inside = bench.session.resolve((*statement.schema.parts, "table"))
        where = (inside.workspace, inside.schema)
        found = [dropped for dropped in found if (dropped.name.workspace, dropped.name.schema) == where]
        if not found:
            schema_named(statement.schema, text, bench)
    rows = [_dropped_row(dropped) for dropped in found if like(dropped.name.table, statement.like)]
    moment = pa.timestamp("us", tz=bench.lake.settings.zone.key)
    shape = pa.schema(
        [
            ("schema_name", pa.string()),
            ("table_name", pa.string()),
            ("kind", pa.string()),
            ("created_time", moment),
            ("dropped_time", moment),
            ("retention_days", pa.int64()),
            ("undrop_until", moment),
            ("rows", pa.int64()),
            ("bytes", pa.int64()),
        ]
    )
    table = pa.Table.from_pylist(rows, schema=shape)
    return selected(table, statement.where, statement.limit, text, parameters, bench)


def _dropped_row(dropped: Dropped) -> dict[str, Any]:
    return {
        "schema_name": dropped.name.schema,
        "table_name": dropped.name.table,
        "kind": dropped.kind.value,
        "created_time": dropped.created_at,
        "dropped_time": dropped.dropped_at,
        "retention_days": dropped.retention_days,
        "undrop_until": dropped.undrop_until,
        "rows": dropped.rows,
        "bytes": dropped.bytes,
    }


def show_refresh_history(
    statement: ShowRefreshHistory, text: str, parameters: Parameters | None, bench: Workbench
) -> Result:
    limit = statement.limit if statement.where is None else None
    history = _history(statement.table, limit, text, bench)
    rows = history_rows(history, bench.lake.settings.zone)
    return selected(rows, statement.where, statement.limit, text, parameters, bench)


def _history(name: Name | None, limit: int | None, text: str, bench: Workbench) -> list[Refresh]:
    """Of a dropped table too, as long as it is kept."""
    if name is None:
        return bench.lake.store.refreshes.history(None, limit)
    with pointing_at(text, name.span):
        found = bench.lake.store.refreshes.history(bench.resolve(name), limit)
        if not found:
            bench.dynamic_table(name)
        return found


def show_dynamic_tables(
    statement: ShowDynamicTables, text: str, parameters: Parameters | None, bench: Workbench
) -> Result:
    tables: Iterable[DynamicTable] = bench.lake.store.definitions.all()
    if statement.schema is not None:
        workspace, schema = schema_named(statement.schema, text, bench)
        tables = bench.lake.store.definitions.in_schema(workspace, schema)
    listed = [table for table in tables if like(table.name.table, statement.like)]
    found = conditions(bench.lake.state(), bench.now(), [table.name for table in listed])
    rows = [_dynamic_row(table, found[table.name], bench) for table in listed]
    moment = pa.timestamp("us", tz=bench.lake.settings.zone.key)
    shape = pa.schema(
        [
            ("schema_name", pa.string()),
            ("name", pa.string()),
            ("refresh_interval", pa.duration("us")),
            ("virtual_cluster", pa.string()),
            ("refresh_mode", pa.string()),
            ("state", pa.string()),
            ("last_refresh_time", moment),
            ("last_refresh_mode", pa.string()),
            ("last_refresh_duration", pa.duration("us")),
            ("rows", pa.int64()),
            ("lag", pa.duration("us")),
            ("advice", pa.string()),
            ("reason", pa.string()),
            ("consecutive_failures", pa.int64()),
            ("last_success_time", moment),
        ]
    )
    table = pa.Table.from_pylist(rows, schema=shape)
    return selected(table, statement.where, statement.limit, text, parameters, bench)


def _dynamic_row(table: DynamicTable, found: Condition, bench: Workbench) -> dict[str, Any]:
    row = _known(table, bench) | {
        "state": found.state.value,
        "rows": None if found.state is TableState.UNREADABLE else _row_count(table, bench),
        "lag": found.lag,
        "reason": found.reason,
        "consecutive_failures": found.consecutive_failures,
        "last_success_time": found.last_success,
    }
    return row | {"advice": found.reason} if found.state is TableState.UNREADABLE else row


def _row_count(table: DynamicTable, bench: Workbench) -> int:
    loaded = bench.session.catalog.table(table.name)
    return loaded.snapshot.rows if loaded and loaded.snapshot else 0


def _known(table: DynamicTable, bench: Workbench) -> dict[str, Any]:
    """By the metadata database."""
    past = [
        row for row in bench.lake.store.refreshes.history(table.name, _RECENT) if row.table_id == table.id
    ]
    last = next((refresh for refresh in past if refresh.state is RefreshState.SUCCEED), None)
    interval = table.schedule.interval_seconds
    return {
        "schema_name": table.name.schema,
        "name": table.name.table,
        "refresh_interval": None if interval is None else timedelta(seconds=interval),
        "virtual_cluster": table.cluster.upper(),
        "refresh_mode": table.mode.value,
        "last_refresh_time": last.end_time if last else None,
        "last_refresh_mode": last.mode.value if last and last.mode else None,
        "last_refresh_duration": last.duration if last else None,
        "advice": advice(table.mode, interval, past),
    }


def advice(mode: RequestedMode, interval_seconds: int | None, past: list[Refresh]) -> str | None:
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


def like(name: str, pattern: str | None) -> bool:
    """SQL's ``%`` and ``_``, or as in Spark ``*`` and ``|``."""
    if pattern is None:
        return True
    if "%" in pattern:
        expression = re.escape(pattern).replace("%", ".*").replace("_", ".")
    else:
        expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\|", "|")
    return re.fullmatch(expression, name, re.IGNORECASE) is not None


def schema_named(name: Name | None, text: str, bench: Workbench) -> tuple[str, str]:
    with pointing_at(text, name.span if name else None):
        inside = bench.session.resolve((*(name.parts if name else ()), "table"))
        if not bench.session.catalog.has_schema(inside.workspace, inside.schema):
            shown = ".".join(show_identifier(part) for part in (inside.workspace, inside.schema))
            raise NotFound(f"schema {shown} does not exist", hint="SHOW SCHEMAS lists all schemas")
    return inside.workspace, inside.schema
