"""SHOW TABLES, SHOW TABLES HISTORY, SHOW DYNAMIC TABLES, SHOW DYNAMIC TABLE REFRESH HISTORY."""

from __future__ import annotations

import re
from collections.abc import Iterable

from headrace.commands.local_view import selected
from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.errors import NotFound
from headrace.lake.session import Parameters
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import Refresh
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
from headrace.views.arrow import to_arrow
from headrace.views.dynamic_tables import RECENT, DynamicTableRow
from headrace.views.objects import DroppedTableRow, TableRow
from headrace.views.refreshes import RefreshRow


def show_tables(statement: ShowTables, text: str, parameters: Parameters | None, bench: Workbench) -> Result:
    workspace, schema = schema_named(statement.schema, text, bench)
    dynamic = {table.name.table for table in bench.lake.store.in_schema(workspace, schema)}
    rows = [
        TableRow.of(schema, name, is_dynamic=name in dynamic)
        for name in bench.session.catalog.tables(workspace, schema)
    ]
    rows += [
        TableRow.of(schema, name, is_view=True) for name in bench.session.catalog.views(workspace, schema)
    ]
    kept = sorted(
        (row for row in rows if like(row.table_name, statement.like)), key=lambda row: row.table_name
    )
    table = to_arrow(TableRow, kept, bench.lake.settings.zone)
    return selected(table, statement.where, statement.limit, text, parameters, bench)


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
    rows = [DroppedTableRow.of(dropped) for dropped in found if like(dropped.name.table, statement.like)]
    table = to_arrow(DroppedTableRow, rows, bench.lake.settings.zone)
    return selected(table, statement.where, statement.limit, text, parameters, bench)


def show_refresh_history(
    statement: ShowRefreshHistory, text: str, parameters: Parameters | None, bench: Workbench
) -> Result:
    limit = statement.limit if statement.where is None else None
    history = _history(statement.table, limit, text, bench)
    rows = to_arrow(RefreshRow, map(RefreshRow.of, history), bench.lake.settings.zone)
    return selected(rows, statement.where, statement.limit, text, parameters, bench)


def _history(name: Name | None, limit: int | None, text: str, bench: Workbench) -> list[Refresh]:
    """Of a dropped table too, as long as it is kept."""
    if name is None:
        return bench.lake.store.history(None, limit)
    with pointing_at(text, name.span):
        found = bench.lake.store.history(bench.resolve(name), limit)
        if not found:
            bench.dynamic_table(name)
        return found


def show_dynamic_tables(
    statement: ShowDynamicTables, text: str, parameters: Parameters | None, bench: Workbench
) -> Result:
    tables: Iterable[DynamicTable] = bench.lake.store.all()
    if statement.schema is not None:
        workspace, schema = schema_named(statement.schema, text, bench)
        tables = bench.lake.store.in_schema(workspace, schema)
    listed = [table for table in tables if like(table.name.table, statement.like)]
    found = conditions(bench.lake.state(), bench.now(), [table.name for table in listed])
    rows = [_dynamic_row(table, found[table.name], bench) for table in listed]
    table = to_arrow(DynamicTableRow, rows, bench.lake.settings.zone)
    return selected(table, statement.where, statement.limit, text, parameters, bench)


def _dynamic_row(table: DynamicTable, found: Condition, bench: Workbench) -> DynamicTableRow:
    past = [row for row in bench.lake.store.history(table.name, RECENT) if row.table_id == table.id]
    rows = None if found.state is TableState.UNREADABLE else _row_count(table, bench)
    return DynamicTableRow.of(table, found, past, rows)


def _row_count(table: DynamicTable, bench: Workbench) -> int:
    loaded = bench.session.catalog.table(table.name)
    return loaded.snapshot.rows if loaded and loaded.snapshot else 0


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
