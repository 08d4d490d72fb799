"""DROP DYNAMIC TABLE and DROP TABLE: what is dropped is kept for its retention."""

from __future__ import annotations

import uuid

from headrace.commands.guard import run_guarded
from headrace.commands.keep import keep, purge
from headrace.commands.pointing import pointing_at
from headrace.commands.source_readers import check_break, check_breaks
from headrace.commands.workbench import Workbench
from headrace.errors import NotFound, Refused
from headrace.lake.retention import retention_of
from headrace.lake.session import Parameters
from headrace.lake.tables import TABLE_ID, Table
from headrace.model.dropped import Dropped
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import DEFAULT_WORKSPACE, DROPPED_SCHEMA, TableName
from headrace.model.object_kind import ObjectKind
from headrace.result import NOTHING, Result
from headrace.sql.breaking import Break
from headrace.sql.parsed import ParsedStatement
from headrace.sql.statements import DropDynamicTable, DropTable


def drop_dynamic_table(statement: DropDynamicTable, text: str, bench: Workbench) -> Result:
    try:
        with pointing_at(text, statement.name.span):
            table = bench.dynamic_table(statement.name, "DROP {kind} {name}")
    except NotFound as error:
        if not statement.if_exists:
            raise
        return Result(NOTHING, (f"{error.message}, nothing was done",))
    with pointing_at(text, statement.name.span):
        broken = check_break(Break(table.name.parts, statement.name.span, "drops"), bench)
    return Result(NOTHING, _drop(table, bench) + broken)


def _drop(table: DynamicTable, bench: Workbench) -> tuple[str, ...]:
    with bench.lake.alone_with(table), bench.lake.moving_names:
        loaded = bench.session.catalog.table(table.name)
        is_its_own = loaded is not None and loaded.properties.get(TABLE_ID) == table.id
        if loaded is None or not is_its_own:
            _drop_for_good(table, bench)
            return ()
        if table.name.workspace != DEFAULT_WORKSPACE:
            _drop_for_good(table, bench)
            return (f"it cannot be undropped: only tables of the workspace {DEFAULT_WORKSPACE} are kept",)
        days = retention_of(loaded, bench.lake.settings).days
        dropped = keep(_dropped(loaded, days, bench, table), bench.lake.store.dropped, bench.session.catalog)
    _purge_unless_kept(dropped, bench)
    return ()


def _drop_for_good(table: DynamicTable, bench: Workbench) -> None:
    bench.lake.store.lifecycle.begin_drop(table.id)
    bench.session.catalog.drop_if_owned(table.name, table.id)
    bench.lake.store.lifecycle.finish_drop(table.id)


def drop_table(
    statement: DropTable, parsed: ParsedStatement, parameters: Parameters | None, bench: Workbench
) -> Result:
    with pointing_at(parsed.text, statement.name.span):
        name = bench.resolve(statement.name)
        _refuse_other(name, bench)
        catalog = bench.session.catalog
        if catalog.table(name) is None and catalog.view(name) is not None:
            raise Refused(f"{name} is a view", hint=f"use DROP VIEW {name}")
        if name.workspace != DEFAULT_WORKSPACE or bench.session.is_temporary_view(statement.name.parts):
            return run_guarded(parsed, parameters, bench)
        notices = check_breaks(parsed, bench)
        dropped = _keep_table(name, statement, bench)
        if dropped is not None:
            _purge_unless_kept(dropped, bench)
        elif not statement.if_exists:
            raise NotFound(
                f"table or view {name} does not exist",
                hint="SHOW TABLES lists all tables; names are workspace.schema.table",
            ).of(*name.parts)
    return Result(NOTHING, notices)


def _refuse_other(name: TableName, bench: Workbench) -> None:
    if bench.lake.store.streams.find(name) is not None:
        raise Refused(f"{name} is a table stream", hint=f"use DROP TABLE STREAM {name}")
    if bench.lake.store.definitions.find(name) is not None:
        raise Refused(f"{name} is a dynamic table", hint=f"use DROP DYNAMIC TABLE {name}")


def _keep_table(name: TableName, statement: DropTable, bench: Workbench) -> Dropped | None:
    """None if there is no such table."""
    with bench.lake.moving_names:
        _refuse_other(name, bench)
        loaded = bench.session.catalog.table(name)
        if loaded is None:
            return None
        days = 0 if statement.purge else retention_of(loaded, bench.lake.settings).days
        return keep(_dropped(loaded, days, bench), bench.lake.store.dropped, bench.session.catalog)


def _dropped(table: Table, days: int, bench: Workbench, dynamic: DynamicTable | None = None) -> Dropped:
    name, snapshot = table.name, table.snapshot
    return Dropped(
        kind=ObjectKind.TABLE if dynamic is None else ObjectKind.DYNAMIC_TABLE,
        name=name,
        kept_as=TableName(name.workspace, DROPPED_SCHEMA, uuid.uuid4().hex),
        uuid=table.version.uuid,
        location=table.directory,
        dropped_at=bench.now(),
        retention_days=days,
        dynamic_table_id=None if dynamic is None else dynamic.id,
        created_at=None if dynamic is None else dynamic.created_at,
        rows=snapshot.rows if snapshot else 0,
        bytes=snapshot.bytes if snapshot else 0,
    )


def _purge_unless_kept(dropped: Dropped, bench: Workbench) -> None:
    if dropped.retention_days == 0:
        with bench.lake.purging:
            bench.lake.store.dropped.begin_purge(dropped)
            purge(dropped, bench.lake.store.dropped, bench.lake.store.streams, bench.session.catalog)
