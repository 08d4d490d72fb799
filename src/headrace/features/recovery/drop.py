"""DROP DYNAMIC TABLE and DROP TABLE: what is dropped is kept for its retention."""

from __future__ import annotations

import uuid

from headrace.commands.error_location import pointing_at
from headrace.commands.passthrough import run_guarded
from headrace.commands.source_readers import check_break, check_breaks
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import NotFound, Refused
from headrace.features.dynamic_tables.grammar_statements import DropDynamicTable
from headrace.features.recovery.grammar import DropTable
from headrace.features.recovery.trash import keep, purge
from headrace.lake.table.retention import retention_of
from headrace.lake.table.tables import TABLE_ID, Table
from headrace.model.dropped import Dropped
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import DEFAULT_WORKSPACE, DROPPED_SCHEMA, TableName
from headrace.model.object_kind import ObjectKind
from headrace.result import NOTHING, Result
from headrace.sql.spark.breaking import Break


def drop_dynamic_table(
    statement: DropDynamicTable, given: StatementInput, context: StatementContext
) -> Result:
    try:
        with pointing_at(given.text, statement.name.span):
            table = context.dynamic_table(statement.name, "DROP {kind} {name}")
    except NotFound as error:
        if not statement.if_exists:
            raise
        return Result(NOTHING, (f"{error.message}, nothing was done",))
    with pointing_at(given.text, statement.name.span):
        broken = check_break(Break(table.name.parts, statement.name.span, "drops"), context)
    return Result(NOTHING, _drop(table, context) + broken)


def _drop(table: DynamicTable, context: StatementContext) -> tuple[str, ...]:
    with context.lake.alone_with(table), context.lake.moving_names:
        loaded = context.session.catalog.table(table.name)
        is_its_own = loaded is not None and loaded.properties.get(TABLE_ID) == table.id
        if loaded is None or not is_its_own:
            _drop_for_good(table, context)
            return ()
        if table.name.workspace != DEFAULT_WORKSPACE:
            _drop_for_good(table, context)
            return (f"it cannot be undropped: only tables of the workspace {DEFAULT_WORKSPACE} are kept",)
        days = retention_of(loaded, context.lake.settings).days
        dropped = keep(
            _dropped(loaded, days, context, table), context.lake.store.dropped, context.session.catalog
        )
    _purge_unless_kept(dropped, context)
    return ()


def _drop_for_good(table: DynamicTable, context: StatementContext) -> None:
    context.lake.store.lifecycle.begin_drop(table.id)
    context.session.catalog.drop_if_owned(table.name, table.id)
    context.lake.store.lifecycle.finish_drop(table.id)


def drop_table(statement: DropTable, given: StatementInput, context: StatementContext) -> Result:
    with pointing_at(given.parsed.text, statement.name.span):
        name = context.resolve(statement.name)
        _refuse_other(name, context)
        catalog = context.session.catalog
        if catalog.table(name) is None and catalog.view(name) is not None:
            raise Refused(f"{name} is a view", hint=f"use DROP VIEW {name}")
        if name.workspace != DEFAULT_WORKSPACE or context.session.is_temporary_view(statement.name.parts):
            return run_guarded(statement, given, context)
        notices = check_breaks(given.parsed, context)
        dropped = _keep_table(name, statement, context)
        if dropped is not None:
            _purge_unless_kept(dropped, context)
        elif not statement.if_exists:
            raise NotFound(
                f"table or view {name} does not exist",
                hint="SHOW TABLES lists all tables; names are workspace.schema.table",
            ).of(*name.parts)
    return Result(NOTHING, notices)


def _refuse_other(name: TableName, context: StatementContext) -> None:
    if context.lake.store.streams.find(name) is not None:
        raise Refused(f"{name} is a table stream", hint=f"use DROP TABLE STREAM {name}")
    if context.lake.store.definitions.find(name) is not None:
        raise Refused(f"{name} is a dynamic table", hint=f"use DROP DYNAMIC TABLE {name}")


def _keep_table(name: TableName, statement: DropTable, context: StatementContext) -> Dropped | None:
    """None if there is no such table."""
    with context.lake.moving_names:
        _refuse_other(name, context)
        loaded = context.session.catalog.table(name)
        if loaded is None:
            return None
        days = 0 if statement.purge else retention_of(loaded, context.lake.settings).days
        return keep(_dropped(loaded, days, context), context.lake.store.dropped, context.session.catalog)


def _dropped(
    table: Table, days: int, context: StatementContext, dynamic: DynamicTable | None = None
) -> Dropped:
    name, snapshot = table.name, table.snapshot
    return Dropped(
        kind=ObjectKind.TABLE if dynamic is None else ObjectKind.DYNAMIC_TABLE,
        name=name,
        kept_as=TableName(name.workspace, DROPPED_SCHEMA, uuid.uuid4().hex),
        uuid=table.version.uuid,
        location=table.directory,
        dropped_at=context.now(),
        retention_days=days,
        dynamic_table_id=None if dynamic is None else dynamic.id,
        created_at=None if dynamic is None else dynamic.created_at,
        rows=snapshot.rows if snapshot else 0,
        bytes=snapshot.bytes if snapshot else 0,
    )


def _purge_unless_kept(dropped: Dropped, context: StatementContext) -> None:
    if dropped.retention_days == 0:
        with context.lake.purging:
            context.lake.store.dropped.begin_purge(dropped)
            purge(dropped, context.lake.store.dropped, context.lake.store.streams, context.session.catalog)
