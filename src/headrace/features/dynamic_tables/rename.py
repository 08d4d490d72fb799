"""Other names for a dynamic table and its columns: what speaks against them."""

from __future__ import annotations

from dataclasses import replace

from headrace.commands.catalog_capabilities import expect_renames
from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.errors import AlreadyExists, NotFound, Refused
from headrace.features.dynamic_tables.create import check_cycle
from headrace.features.dynamic_tables.grammar_clauses import rename_column_in
from headrace.features.dynamic_tables.grammar_statements import RenameColumn
from headrace.features.dynamic_tables.result_columns import ICEBERG_COLUMNS
from headrace.lake.session import LakeSession
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName
from headrace.model.quoting import show_identifier
from headrace.refresh.observe import load_target
from headrace.sql.queries.column_use import reads_column
from headrace.sql.queries.hiding import OWN_PREFIX, is_hidden


def with_new_name(table: DynamicTable, parts: tuple[str, ...], context: StatementContext) -> DynamicTable:
    here = table.name.workspace, table.name.schema
    taken = context.session.resolve(parts, *here)
    if taken != table.name:
        _check_name(taken, table, context)
    return replace(table, name=context.session.resolve_new(parts, *here))


def _check_name(name: TableName, table: DynamicTable, context: StatementContext) -> None:
    if name.workspace != table.name.workspace:
        raise Refused(
            f"{table.name} cannot be moved out of its workspace {show_identifier(table.name.workspace)}",
            hint=f"create it again in {show_identifier(name.workspace)}",
        )
    catalog = context.session.catalog
    expect_renames(table.name, catalog.capabilities)
    if not catalog.has_schema(name.workspace, name.schema):
        schema = ".".join(map(show_identifier, (name.workspace, name.schema)))
        raise NotFound(f"schema {schema} does not exist", hint="create it with CREATE SCHEMA")
    if (taken := context.kind_of(name)) is not None:
        raise AlreadyExists(f"{name} already exists and is a {taken}", hint="choose another name")
    check_cycle(name, table.definition, context, places={})


def with_column_renamed(
    table: DynamicTable, action: RenameColumn, text: str, context: StatementContext
) -> DynamicTable:
    with pointing_at(text, action.column.span):
        old = _existing_column(table, action.column.text)
    with pointing_at(text, action.to.span):
        _check_new_column(table, old, action.to.text)
        _check_partitions(table, old, action.to.text, context.session)
    with pointing_at(text, action.column.span):
        _check_readers(table, old, context)
    new = action.to.text
    return replace(
        table,
        columns=tuple(replace(c, name=new) if c.name == old else c for c in table.columns),
        partitioned_by=tuple(rename_column_in(part, old, new) for part in table.partitioned_by),
        clustered_by=tuple(rename_column_in(part, old, new) for part in table.clustered_by),
    )


def _existing_column(table: DynamicTable, name: str) -> str:
    """As it is written in the table."""
    for column in table.columns:
        if column.name.lower() == name.lower():
            return column.name
    raise NotFound(
        f"{table.name} has no column {show_identifier(name)}",
        hint=f"its columns: {', '.join(show_identifier(column.name) for column in table.columns)}",
    )


def _check_new_column(table: DynamicTable, old: str, new: str) -> None:
    taken = {column.name.lower() for column in table.columns if column.name != old}
    if new.lower() in taken:
        raise AlreadyExists(
            f"{table.name} already has a column {show_identifier(new)}", hint="choose another name"
        )
    if is_hidden(new):
        raise Refused(
            f"column {new} cannot have a name that starts with {OWN_PREFIX}",
            hint="such names are reserved for Headrace; choose another one",
        )
    if new.lower() in ICEBERG_COLUMNS:
        raise Refused(
            f"column {new} cannot have that name, which is reserved for Iceberg",
            hint="choose another one",
        )


def _check_partitions(table: DynamicTable, old: str, new: str, session: LakeSession) -> None:
    stored = load_target(table, session.catalog)
    field = next(field for field in stored.fields if field.name == old)
    if stored.reserves_for_partitions(new, field.id):
        raise Refused(
            f"{table.name} has a partition field {show_identifier(new)}: no other column can have that name",
            hint="choose another name",
        )


def _check_readers(table: DynamicTable, column: str, context: StatementContext) -> None:
    store = context.lake.store
    readers = [reader for reader in store.definitions.all() if _reads(reader, table.name, column)]
    if readers:
        listed = ", ".join(str(reader.name) for reader in readers)
        raise Refused(
            f"column {show_identifier(column)} of {table.name} is read under that name by {listed}",
            hint="drop what reads it, rename the column, and create it again with the new name",
        )


def _reads(reader: DynamicTable, table: TableName, column: str) -> bool:
    columns = {source.name: source.columns for source in reader.definition.sources}
    return table in columns and reads_column(reader.definition.expanded, columns, table, column)
