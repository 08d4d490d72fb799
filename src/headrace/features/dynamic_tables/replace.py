"""CREATE OR REPLACE of a dynamic table that is there."""

from __future__ import annotations

from dataclasses import replace

from headrace.commands.statement_context import StatementContext
from headrace.errors import Error, NotFound, Refused
from headrace.features.dynamic_tables.grammar_statements import CreateDynamicTable
from headrace.features.dynamic_tables.replaced_options import with_options_of
from headrace.lake.commit.sync_schema import bring_in_line, is_in_line
from headrace.lake.session import LakeSession
from headrace.model.dynamic_table import Column, DynamicTable
from headrace.model.names import TableName
from headrace.model.quoting import show_identifier
from headrace.refresh.arguments import with_some_values
from headrace.refresh.observe import load_target
from headrace.sql.queries.column_use import reads_column
from headrace.sql.queries.hiding import only_columns
from headrace.sql.queries.replacement import NeedsRecreation, Unchanged, Waits, classify_replacement


def check_replacement(
    existing: DynamicTable, wanted: DynamicTable, context: StatementContext
) -> Unchanged | Waits:
    """Changes nothing."""
    replacement = classify_replacement(existing, wanted)
    if isinstance(replacement, NeedsRecreation):
        raise Refused(replacement.reason, hint=replacement.hint)
    if isinstance(replacement, Waits) and replacement.removed:
        _refuse_where_read(existing, replacement.removed, context)
    return replacement


def waiting_notice(table: DynamicTable) -> tuple[str, ...]:
    return (
        f"the new definition of {table.name} takes effect with the next refresh after a change in its "
        f"sources; REFRESH DYNAMIC TABLE {table.name} FULL applies it at once",
    )


def replace_in_place(
    checked: DynamicTable, wanted: DynamicTable, statement: CreateDynamicTable, context: StatementContext
) -> None:
    """Rows and history stay. Announced, made, confirmed: what dies between is finished when next opened."""
    with context.lake.alone_with(checked), context.lake.borrow_session() as session:
        existing = _still_there(checked, context)
        wanted = with_options_of(existing, wanted, statement)
        replacement = check_replacement(existing, wanted, context)
        table = _replaced(existing, wanted, replacement)
        store = context.lake.store
        if isinstance(replacement, Waits):
            _forget_partitions(table, context)
        store.lifecycle.begin_replace(table)
        try:
            bring_in_line(table, session)
        except BaseException as error:
            if not _has_landed(table, session):
                store.lifecycle.replace(existing)
                raise
            store.lifecycle.finish_replace(table.id)
            if not isinstance(error, Error):
                raise
        else:
            store.lifecycle.finish_replace(table.id)


def _forget_partitions(table: DynamicTable, context: StatementContext) -> None:
    """Each is recomputed when it is next refreshed."""
    version = load_target(table, context.session.catalog).version.snapshot_id
    if version is not None and table.partitioned_by:
        context.lake.store.partitions.start_anew(table.id, version)


def _still_there(checked: DynamicTable, context: StatementContext) -> DynamicTable:
    existing = context.lake.store.definitions.find(checked.name)
    if existing is None or existing.id != checked.id:
        raise NotFound(f"dynamic table {checked.name} was concurrently dropped")
    return existing


def _has_landed(table: DynamicTable, session: LakeSession) -> bool:
    try:
        return is_in_line(table, session)
    except Error:
        return False


def _replaced(existing: DynamicTable, wanted: DynamicTable, replacement: Unchanged | Waits) -> DynamicTable:
    """A column that stays keeps the spelling that the table has for it."""
    if isinstance(replacement, Unchanged):
        comments = {column.name.lower(): column.comment for column in wanted.columns}
        definition = existing.definition
        columns = [replace(column, comment=comments[column.name.lower()]) for column in existing.columns]
    else:
        names = {column.name.lower(): column.name for column in existing.columns}
        definition = wanted.definition
        columns = [replace(c, name=names.get(c.name.lower(), c.name)) for c in wanted.columns]
    return replace(
        wanted,
        id=existing.id,
        definition=definition,
        columns=tuple(columns),
        creator=existing.creator,
        created_at=existing.created_at,
    )


def _refuse_where_read(table: DynamicTable, removed: tuple[Column, ...], context: StatementContext) -> None:
    """Refused if another dynamic table needs one of the columns."""
    names = [column.name for column in removed]
    needed: dict[str, list[str]] = {}
    with context.lake.borrow_session() as session:
        for reader in map(
            context.lake.store.definitions.find, context.lake.store.definitions.readers_of(table.name)
        ):
            if reader is not None and (missed := _needed(reader, table.name, names, session)):
                needed[str(reader.name)] = missed
    if needed:
        columns = [
            show_identifier(name) for name in names if any(name in missed for missed in needed.values())
        ]
        raise Refused(
            f"column{'s' if len(columns) > 1 else ''} {', '.join(columns)} of {table.name} "
            f"cannot be removed: still read by {', '.join(needed)}",
            hint="change or drop what reads it first",
        )


def _needed(reader: DynamicTable, name: TableName, columns: list[str], session: LakeSession) -> list[str]:
    single = [column for column in columns if _needs(reader, name, [column], session)]
    return single or (columns if len(columns) > 1 and _needs(reader, name, columns, session) else [])


def _needs(reader: DynamicTable, name: TableName, columns: list[str], session: LakeSession) -> bool:
    """Whether the query means something else without the columns, or nothing."""
    removed = {column.lower() for column in columns}
    known = {
        source.name: _present(source.name, source.columns, session) for source in reader.definition.sources
    }
    left = [column for column in known[name] if column.lower() not in removed]
    columns_known = {source.name: source.columns for source in reader.definition.sources}
    query = with_some_values(reader.definition.expanded, {})
    if left and not any(reads_column(query, columns_known, name, column) for column in columns):
        return False
    now, then = (only_columns(query, columns_of).text for columns_of in (known, known | {name: left}))
    return not session.same_plan(now, then)


def _present(name: TableName, columns: tuple[str, ...], session: LakeSession) -> list[str]:
    """Of the columns that a query knows those that are still there."""
    table = session.catalog.table(name)
    present = {column.lower() for column in table.columns} if table is not None else set()
    return [column for column in columns if column.lower() in present]
