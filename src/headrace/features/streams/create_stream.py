"""CREATE TABLE STREAM."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from headrace.commands.error_location import pointing_at
from headrace.commands.new_names import expect_possible
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import AlreadyExists, NotFound, Refused
from headrace.features.recovery.resolve_timestamp import version_at
from headrace.features.streams.change_sql import OWN_COLUMNS
from headrace.features.streams.grammar import CreateTableStream
from headrace.features.streams.model import TableStream
from headrace.features.streams.staged_rows import visible_fields
from headrace.lake.table.tables import Table, TableCatalog
from headrace.model.names import DEFAULT_WORKSPACE, TableName
from headrace.model.object_kind import ObjectKind
from headrace.model.quoting import show_identifier
from headrace.model.version import TableVersion
from headrace.result import NOTHING, Result


def create_table_stream(
    statement: CreateTableStream, given: StatementInput, context: StatementContext
) -> Result:
    with pointing_at(given.text, statement.name.span):
        name = context.resolve(statement.name)
        existing = context.lake.store.streams.find(name)
        if existing is not None and statement.if_not_exists:
            return Result(NOTHING, (f"{name} already exists, nothing was done",))
        _check_name(name, existing, statement, context.session.catalog, context.kind_of)
    with pointing_at(given.text, statement.source.span):
        source = _source(statement, context)
    offset = source.version
    if statement.start_at is not None:
        session, zone = context.session, context.lake.settings.zone
        version = version_at(statement.start_at, source, given.text, session, zone)
        offset = replace(offset, snapshot_id=version)
    stream = _stream(name, source.name, offset, statement, context.user, context.now())
    with pointing_at(given.text, statement.name.span):
        if existing is None:
            with context.lake.moving_names:
                _check_name(name, existing, statement, context.session.catalog, context.kind_of)
                context.lake.store.streams.create(stream)
        else:
            with context.lake.alone_with_streams([existing]):
                context.lake.store.streams.create(stream, instead_of=existing.id)
    return Result(NOTHING)


def _check_name(
    name: TableName,
    existing: TableStream | None,
    statement: CreateTableStream,
    catalog: TableCatalog,
    kind_of: Callable[[TableName], str | None],
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
    if not catalog.has_schema(name.workspace, name.schema):
        raise NotFound(
            f"schema {name.workspace}.{name.schema} does not exist", hint="create it with CREATE SCHEMA"
        )
    expect_possible(name.table)
    if (taken := kind_of(name)) is not None:
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
    name: TableName,
    source: TableName,
    offset: TableVersion,
    statement: CreateTableStream,
    creator: str,
    now: datetime,
) -> TableStream:
    return TableStream(
        id=uuid.uuid4().hex,
        name=name,
        source=source,
        offset=offset,
        mode=statement.mode,
        shows_initial_rows=statement.show_initial_rows,
        initial_rows_due=statement.show_initial_rows,
        creator=creator,
        created_at=now,
        comment=statement.comment,
    )
