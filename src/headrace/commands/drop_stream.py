"""DROP TABLE STREAM: it can be undropped for as long as a table without a retention of its own."""

from __future__ import annotations

from headrace.commands.keep import purge
from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.errors import NotFound
from headrace.model.dropped import Dropped
from headrace.model.names import DROPPED_SCHEMA, TableName
from headrace.model.object_kind import ObjectKind
from headrace.model.stream import TableStream
from headrace.result import NOTHING, Result
from headrace.sql.statements import DropTableStream


def drop_table_stream(statement: DropTableStream, text: str, bench: Workbench) -> Result:
    try:
        with pointing_at(text, statement.name.span):
            stream = bench.table_stream(statement.name, "DROP {kind} {name}")
    except NotFound as error:
        if not statement.if_exists:
            raise
        return Result(NOTHING, (f"{error.message}, nothing was done",))
    with bench.lake.alone_with_streams([stream]), bench.lake.moving_names:
        bench.lake.store.streams.drop(stream, _dropped(stream, bench))
        for dropped in bench.lake.store.dropped.of_name(stream.name):
            if dropped.uuid == stream.id and dropped.retention_days == 0:
                purge(dropped, bench.lake.store.dropped, bench.lake.store.streams, bench.session.catalog)
    return Result(NOTHING)


def _dropped(stream: TableStream, bench: Workbench) -> Dropped:
    return Dropped(
        kind=ObjectKind.TABLE_STREAM,
        name=stream.name,
        kept_as=TableName(stream.name.workspace, DROPPED_SCHEMA, stream.id),
        uuid=stream.id,
        location="",
        dropped_at=bench.now(),
        retention_days=bench.lake.settings.data_retention_days,
        created_at=stream.created_at,
    )
