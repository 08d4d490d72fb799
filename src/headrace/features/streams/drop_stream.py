"""DROP TABLE STREAM: it can be undropped for as long as a table without a retention of its own."""

from __future__ import annotations

from datetime import datetime

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import NotFound
from headrace.features.recovery.trash import purge
from headrace.features.streams.grammar import DropTableStream
from headrace.features.streams.model import TableStream
from headrace.lake.settings import Settings
from headrace.model.dropped import Dropped
from headrace.model.names import DROPPED_SCHEMA, TableName
from headrace.model.object_kind import ObjectKind
from headrace.result import NOTHING, Result


def drop_table_stream(statement: DropTableStream, given: StatementInput, context: StatementContext) -> Result:
    try:
        with pointing_at(given.text, statement.name.span):
            stream = context.table_stream(statement.name, "DROP {kind} {name}")
    except NotFound as error:
        if not statement.if_exists:
            raise
        return Result(NOTHING, (f"{error.message}, nothing was done",))
    with context.lake.alone_with_streams([stream]), context.lake.moving_names:
        context.lake.store.streams.drop(stream, _dropped(stream, context.now(), context.lake.settings))
        for dropped in context.lake.store.dropped.of_name(stream.name):
            if dropped.uuid == stream.id and dropped.retention_days == 0:
                purge(
                    dropped, context.lake.store.dropped, context.lake.store.streams, context.session.catalog
                )
    return Result(NOTHING)


def _dropped(stream: TableStream, now: datetime, settings: Settings) -> Dropped:
    return Dropped(
        kind=ObjectKind.TABLE_STREAM,
        name=stream.name,
        kept_as=TableName(stream.name.workspace, DROPPED_SCHEMA, stream.id),
        uuid=stream.id,
        location="",
        dropped_at=now,
        retention_days=settings.data_retention_days,
        created_at=stream.created_at,
    )
