"""SHOW TABLES, SHOW TABLES HISTORY, SHOW DYNAMIC TABLES, SHOW DYNAMIC TABLE REFRESH HISTORY."""

from __future__ import annotations

import re
from collections.abc import Iterable

from headrace.commands.error_location import pointing_at
from headrace.commands.local_view import selected
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import NotFound
from headrace.features.dynamic_tables.grammar_statements import ShowDynamicTables, ShowRefreshHistory
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import Refresh
from headrace.model.quoting import show_identifier
from headrace.refresh.condition import Condition, TableState, conditions
from headrace.result import Result
from headrace.sql.parsing.statements import (
    Name,
    ShowTables,
    ShowTablesHistory,
)
from headrace.views.arrow import to_arrow
from headrace.views.dynamic_tables import RECENT, DynamicTableRow
from headrace.views.objects import DroppedTableRow, TableRow
from headrace.views.refreshes import RefreshRow


def show_tables(statement: ShowTables, given: StatementInput, context: StatementContext) -> Result:
    workspace, schema = schema_named(statement.schema, given.text, context)
    dynamic = {table.name.table for table in context.lake.store.definitions.in_schema(workspace, schema)}
    rows = [
        TableRow.of(schema, name, is_dynamic=name in dynamic)
        for name in context.session.catalog.tables(workspace, schema)
    ]
    rows += [
        TableRow.of(schema, name, is_view=True) for name in context.session.catalog.views(workspace, schema)
    ]
    kept = sorted(
        (row for row in rows if like(row.table_name, statement.like)), key=lambda row: row.table_name
    )
    table = to_arrow(TableRow, kept, context.lake.settings.zone)
    return selected(table, statement.where, statement.limit, given, context)


def show_tables_history(
    statement: ShowTablesHistory, given: StatementInput, context: StatementContext
) -> Result:
    """What can be undropped, the last one dropped first."""
    found = [dropped for dropped in context.lake.store.dropped.all() if dropped.is_kept(context.now())]
    if statement.schema is not None:
        with pointing_at(given.text, statement.schema.span):
            inside = context.session.resolve((*statement.schema.parts, "table"))
        where = (inside.workspace, inside.schema)
        found = [dropped for dropped in found if (dropped.name.workspace, dropped.name.schema) == where]
        if not found:
            schema_named(statement.schema, given.text, context)
    rows = [DroppedTableRow.of(dropped) for dropped in found if like(dropped.name.table, statement.like)]
    table = to_arrow(DroppedTableRow, rows, context.lake.settings.zone)
    return selected(table, statement.where, statement.limit, given, context)


def show_refresh_history(
    statement: ShowRefreshHistory, given: StatementInput, context: StatementContext
) -> Result:
    limit = statement.limit if statement.where is None else None
    history = _history(statement.table, limit, given.text, context)
    rows = to_arrow(RefreshRow, map(RefreshRow.of, history), context.lake.settings.zone)
    return selected(rows, statement.where, statement.limit, given, context)


def _history(name: Name | None, limit: int | None, text: str, context: StatementContext) -> list[Refresh]:
    """Of a dropped table too, as long as it is kept."""
    if name is None:
        return context.lake.store.refreshes.history(None, limit)
    with pointing_at(text, name.span):
        found = context.lake.store.refreshes.history(context.resolve(name), limit)
        if not found:
            context.dynamic_table(name)
        return found


def show_dynamic_tables(
    statement: ShowDynamicTables, given: StatementInput, context: StatementContext
) -> Result:
    tables: Iterable[DynamicTable] = context.lake.store.definitions.all()
    if statement.schema is not None:
        workspace, schema = schema_named(statement.schema, given.text, context)
        tables = context.lake.store.definitions.in_schema(workspace, schema)
    listed = [table for table in tables if like(table.name.table, statement.like)]
    found = conditions(context.lake.state(), context.now(), [table.name for table in listed])
    rows = [_dynamic_row(table, found[table.name], context) for table in listed]
    table = to_arrow(DynamicTableRow, rows, context.lake.settings.zone)
    return selected(table, statement.where, statement.limit, given, context)


def _dynamic_row(table: DynamicTable, found: Condition, context: StatementContext) -> DynamicTableRow:
    past = [
        row for row in context.lake.store.refreshes.history(table.name, RECENT) if row.table_id == table.id
    ]
    rows = None if found.state is TableState.UNREADABLE else _row_count(table, context)
    return DynamicTableRow.of(table, found, past, rows)


def _row_count(table: DynamicTable, context: StatementContext) -> int:
    loaded = context.session.catalog.table(table.name)
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


def schema_named(name: Name | None, text: str, context: StatementContext) -> tuple[str, str]:
    with pointing_at(text, name.span if name else None):
        inside = context.session.resolve((*(name.parts if name else ()), "table"))
        if not context.session.catalog.has_schema(inside.workspace, inside.schema):
            shown = ".".join(show_identifier(part) for part in (inside.workspace, inside.schema))
            raise NotFound(f"schema {shown} does not exist", hint="SHOW SCHEMAS lists all schemas")
    return inside.workspace, inside.schema
