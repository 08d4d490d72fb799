"""SHOW TABLE STREAMS and DESC TABLE STREAM."""

from __future__ import annotations

from headrace.commands.error_location import pointing_at
from headrace.commands.local_view import selected
from headrace.commands.show import like, schema_named
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import OperationalError
from headrace.features.streams.grammar import DescribeTableStream, ShowTableStreams
from headrace.features.streams.model import TableStream
from headrace.features.streams.staged_rows import staleness, stream_columns
from headrace.lake.table.tables import Table
from headrace.model.quoting import quote_string
from headrace.model.text_table import show_value
from headrace.result import LocalRows, Result
from headrace.views.arrow import to_arrow
from headrace.views.described import column_table
from headrace.views.streams import TableStreamRow

Pairs = list[tuple[str, str | None]]


def show_table_streams(
    statement: ShowTableStreams, given: StatementInput, context: StatementContext
) -> Result:
    streams = context.lake.store.streams.all()
    if statement.schema is not None:
        streams = context.lake.store.streams.in_schema(*schema_named(statement.schema, given.text, context))
    rows = [_row(stream, context) for stream in streams if like(stream.name.table, statement.like)]
    table = to_arrow(TableStreamRow, rows, context.lake.settings.zone)
    return selected(table, statement.where, statement.limit, given, context)


def _row(stream: TableStream, context: StatementContext) -> TableStreamRow:
    return TableStreamRow.of(stream, *_state(stream, context.session.catalog.table(stream.source), context))


def _state(stream: TableStream, source: Table | None, context: StatementContext) -> tuple[str, str | None]:
    """A stream that cannot be read keeps none of the others from being shown."""
    if source is None:
        return "stale", f"{stream.source} does not exist"
    try:
        reason = staleness(stream, source, context.session)
    except OperationalError as error:
        return "unreadable", error.message
    return ("active", None) if reason is None else ("stale", reason)


def describe_table_stream(
    statement: DescribeTableStream, given: StatementInput, context: StatementContext
) -> Result:
    with pointing_at(given.text, statement.name.span):
        stream = context.table_stream(statement.name, "DESC {name}")
    return described(stream, context, extended=True)


def described(stream: TableStream, context: StatementContext, *, extended: bool) -> Result:
    source = context.session.catalog.table(stream.source)
    pairs: Pairs = []
    if source is not None:
        pairs += [(name, context.session.canonical_type(kind)) for name, kind in stream_columns(source)]
    if extended:
        pairs += _details(stream, source, context)
    return Result(LocalRows(column_table(pairs, context.lake.settings.zone)))


def create_stream_statement(stream: TableStream) -> str:
    """A statement that creates the stream again, to start from the table as it is then."""
    lines = [f"CREATE TABLE STREAM {stream.name} ON TABLE {stream.source}"]
    if stream.comment is not None:
        lines.append(f"COMMENT {quote_string(stream.comment)}")
    initial = str(stream.shows_initial_rows).upper()
    lines.append(
        f"WITH PROPERTIES ('TABLE_STREAM_MODE' = '{stream.mode}', 'SHOW_INITIAL_ROWS' = '{initial}')"
    )
    return "\n".join(lines)


def _details(stream: TableStream, source: Table | None, context: StatementContext) -> Pairs:
    state, reason = _state(stream, source, context)
    return [
        ("detailed table stream information", None),
        ("workspace", stream.name.workspace),
        ("schema", stream.name.schema),
        ("name", stream.name.table),
        ("creator", stream.creator),
        ("created_time", show_value(stream.created_at.astimezone(context.lake.settings.zone))),
        ("comment", stream.comment or ""),
        ("type", "TABLE STREAM"),
        ("source_table", str(stream.source)),
        ("table_stream_mode", stream.mode.value),
        ("show_initial_rows", str(stream.shows_initial_rows).upper()),
        ("state", state if reason is None else f"{state}: {reason}"),
        ("offset_version", str(stream.offset)),
    ]
