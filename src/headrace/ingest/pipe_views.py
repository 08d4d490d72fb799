"""SHOW PIPES and DESC PIPE."""

from __future__ import annotations

from headrace.commands.local_view import selected
from headrace.commands.show import like, schema_named
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.features.pipes.grammar_pipes import DescribePipe, ShowPipes
from headrace.features.pipes.model import Pipe
from headrace.ingest.pipe_definitions import find_pipe
from headrace.ingest.pipe_run import copy_of
from headrace.ingest.sources import reader_of, source_of_pipe
from headrace.ingest.writer import current_position
from headrace.result import LocalRows, Result
from headrace.views.arrow import to_arrow
from headrace.views.described import info_table
from headrace.views.pipes import ExtendedPipeDetails, PipeDetails, PipeLatency, PipeRow


def show_pipes(statement: ShowPipes, given: StatementInput, context: StatementContext) -> Result:
    pipes = context.lake.store.pipes.all()
    if statement.schema is not None:
        pipes = context.lake.store.pipes.in_schema(*schema_named(statement.schema, given.text, context))
    rows = [PipeRow.of(pipe) for pipe in pipes if like(pipe.name.table, statement.like)]
    table = to_arrow(PipeRow, rows, context.lake.settings.zone)
    return selected(table, statement.where, statement.limit, given, context)


def describe_pipe(statement: DescribePipe, given: StatementInput, context: StatementContext) -> Result:
    pipe = find_pipe(statement.name, given, context)
    details = (
        ExtendedPipeDetails.with_latency(pipe, _latency(pipe, context))
        if statement.extended
        else PipeDetails.of(pipe)
    )
    return Result(LocalRows(info_table(details, context.lake.settings.zone)))


def _latency(pipe: Pipe, context: StatementContext) -> PipeLatency:
    """As the source is now."""
    session = context.session
    source = source_of_pipe(pipe, copy_of(pipe), reader_of(context, session))
    lag = source.lag(current_position(pipe.target, source.key, session))
    return PipeLatency(pipe.progress.last_commit_at, lag.records, lag.seconds)
