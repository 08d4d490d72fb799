"""SHOW STREAM WRITERS: on a server by itself, in an embedded lake by the process that has it open."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from headrace.commands.show import like
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.features.stream_writers.grammar import ShowStreamWriters
from headrace.ingest.stream_writers.embedded import writes_of
from headrace.result import LocalRows, Result
from headrace.views.arrow import to_arrow
from headrace.views.stream_writers import StreamWriterRow


def shown_writers(statement: ShowStreamWriters, rows: Sequence[StreamWriterRow], zone: ZoneInfo) -> LocalRows:
    found = [row for row in rows if like(row.table_name, statement.like)]
    return LocalRows(to_arrow(StreamWriterRow, found[: statement.limit], zone))


def show_stream_writers(
    statement: ShowStreamWriters, given: StatementInput, context: StatementContext
) -> Result:
    writes = writes_of(context.lake)
    rows = [] if writes is None else writes.rows()
    return Result(shown_writers(statement, rows, context.lake.settings.zone))
