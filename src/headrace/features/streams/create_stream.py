"""CREATE TABLE STREAM."""

from __future__ import annotations

import uuid
from dataclasses import replace

from headrace.commands.new_names import expect_possible
from headrace.commands.pointing import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import AlreadyExists, NotFound, Refused
from headrace.features.recovery.moments import version_at
from headrace.features.streams.change_sql import OWN_COLUMNS
from headrace.features.streams.grammar import CreateTableStream
from headrace.features.streams.model import TableStream
from headrace.features.streams.staged_rows import visible_fields
from headrace.lake.tables import Table
from headrace.model.names import DEFAULT_WORKSPACE, TableName
from headrace.model.object_kind import ObjectKind
from headrace.model.quoting import show_identifier
from headrace.result import NOTHING, Result


def create_table_stream(
    statement: CreateTableStream, given: StatementInput, context: StatementContext
) -> Result:
    with pointing_at(given.text, statement.name.span):
        name = context.resolve(statement.name)
        existing = context.lake.store.streams.find(name)
        if existing is not None and statement.if_not_exists:
            return Result(NOTHING, (f"{name} already exists, nothing was done",))
        _check_name(name, existing, statement, context)
    with pointing_at(given.text, statement.source.span):
        source = _source(statement, context)
    stream = _stream(name, source, statement, given.text, context)
    with pointing_at(given.text, statement.name.span):
        if existing is None:
            with context.lake.moving_names:
                _check_name(name, existing, statement, context)
                context.lake.store.streams.create(stream)
        else:
            with context.lake.alone_with_streams([existing]):
                context.lake.store.streams.create(stream, instead_of=existing.id)
    return Result(NOTHING)


def _check_name(
    name: TableName, existing: TableStream | None, statement: CreateTableStream, context: StatementContext
) -> None:
    if existing is not None:
        if not statement.or_replace:
            raise AlreadyExists(
                f"table stream {name} already exists",
                hint="use CREATE OR REPLACE to recreate it, or IF NOT EXISTS to keep it",
            )
        return
    if name.workspace != DEFAULT_WORKSPACE:
        raise Refused(
            f"streams can be created only in the workspace {DEFAULT_WORKSPACE}",
            hint=f"create it there, on the table in {show_identifier(name.workspace)}",
        )
    if not context.session.catalog.has_schema(name.workspace, name.schema):
        raise NotFound(
            f"schema {name.workspace}.{name.schema} does not exist", hint="create it with CREATE SCHEMA"
        )
    expect_possible(name.table)
    if (taken := context.kind_of(name)) is not None:
        raise AlreadyExists(f"{name} already exists and is a {taken}", hint="choose another name")


def _source(statement: CreateTableStream, context: StatementContext) -> Table:
    name = context.resolve(statement.source)
    if statement.source_kind is ObjectKind.DYNAMIC_TABLE:
        context.dynamic_table(statement.source, "ON {kind} {name}")
    if context.lake.store.streams.find(name) is not None:
        raise Refused(f"{name} is a table stream", hint="create the stream on a table")
    table = context.table(name, view_is="", hint="create a stream on each of the tables that it reads")
    for field in visible_fields(table):
        if field.name.lower() in OWN_COLUMNS:
            raise Refused(
                f"column {field.name} of {name} has a name that is reserved for streams",
                hint=f"rename it with ALTER TABLE {name} RENAME COLUMN {field.name} TO ...",
            )
    return table


def _stream(
    name: TableName, source: Table, statement: CreateTableStream, text: str, context: StatementContext
) -> TableStream:
    offset = source.version
    if statement.start_at is not None:
        offset = replace(offset, snapshot_id=version_at(statement.start_at, source, text, context))
    return TableStream(
        id=uuid.uuid4().hex,
        name=name,
        source=source.name,
        offset=offset,
        mode=statement.mode,
        shows_initial_rows=statement.show_initial_rows,
        initial_rows_due=statement.show_initial_rows,
        creator=context.user,
        created_at=context.now(),
        comment=statement.comment,
    )
