"""EXECUTE PIPE: brings what the source of a pipe has when it is asked, in as many batches as that takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import Error, InternalError
from headrace.features.pipes.grammar_copy import CopyInto
from headrace.features.pipes.grammar_pipes import ExecutePipe
from headrace.features.pipes.model import Copy, Pipe, PipeProgress
from headrace.ingest.pipe_definitions import find_pipe
from headrace.ingest.sources import PipeSource, reader_of, source_of_pipe
from headrace.ingest.writer import Written, current_position, write_next
from headrace.lake.session import LakeSession
from headrace.model.quoting import quote_identifier
from headrace.result import LocalRows, Result
from headrace.sql.parsed import ParsedStatement
from headrace.views.arrow import to_arrow

_MOST_BATCHES = 100
"""Of one run; the next one continues."""


@dataclass(frozen=True)
class PipeRunRow:
    batches: int = 0
    records: int = 0
    """Files or messages."""
    rows: int = 0
    rejected_rows: int = 0

    def plus(self, written: Written) -> PipeRunRow:
        return PipeRunRow(
            self.batches + 1,
            self.records + written.batch.records,
            self.rows + written.rows,
            self.rejected_rows + written.batch.rejected,
        )


def execute_pipe(statement: ExecutePipe, given: StatementInput, context: StatementContext) -> Result:
    pipe = find_pipe(statement.name, given, context)
    with pointing_at(given.text, statement.name.span), _session_of(pipe, context) as session:
        row = _run(pipe, session, context)
    return Result(LocalRows(to_arrow(PipeRunRow, [row], context.lake.settings.zone)), (), row.rows)


def copy_of(pipe: Pipe) -> Copy:
    node = ParsedStatement(pipe.copy).node
    if not isinstance(node, CopyInto):
        raise InternalError(f"the definition of pipe {pipe.name} cannot be read")
    return node.copy


@contextmanager
def _session_of(pipe: Pipe, context: StatementContext) -> Iterator[LakeSession]:
    """One with the lake's own settings, whatever the user has set."""
    with context.lake.borrow_session() as session:
        before = (session.workspace, session.schema)
        _use(session, pipe.workspace, pipe.schema)
        try:
            yield session
        finally:
            _use(session, *before)


def _use(session: LakeSession, workspace: str, schema: str) -> None:
    session.run(f"USE {quote_identifier(workspace)}.{quote_identifier(schema)}")


def _run(pipe: Pipe, session: LakeSession, context: StatementContext) -> PipeRunRow:
    progress = replace(pipe.progress, last_run_at=context.now())
    row = PipeRunRow()
    try:
        source = source_of_pipe(pipe, copy_of(pipe), reader_of(context, session))
        source.resume(current_position(pipe.target, source.key, session))
        while row.batches < _MOST_BATCHES:
            written = write_next(source, pipe.target, session)
            if written is None:
                break
            row = row.plus(written)
            progress = _after(progress, written, context)
            context.lake.store.pipes.record(pipe, progress)
            if not written.batch.has_more:
                break
        progress = _with_lag(progress, source, pipe, session)
    except Error as error:
        failed = replace(progress, failures=progress.failures + 1, last_error=error.message)
        context.lake.store.pipes.record(pipe, failed)
        error.place = None
        raise
    context.lake.store.pipes.record(pipe, replace(progress, failures=0, last_error=None))
    return row


def _after(progress: PipeProgress, written: Written, context: StatementContext) -> PipeProgress:
    return replace(
        progress,
        last_commit_at=context.now(),
        batches=progress.batches + 1,
        records=progress.records + written.batch.records,
        rows=progress.rows + written.rows,
        rejected_rows=progress.rejected_rows + written.batch.rejected,
    )


def _with_lag(progress: PipeProgress, source: PipeSource, pipe: Pipe, session: LakeSession) -> PipeProgress:
    lag = source.lag(current_position(pipe.target, source.key, session))
    return replace(progress, lag_records=lag.records, lag_bytes=lag.bytes, lag_seconds=lag.seconds)
