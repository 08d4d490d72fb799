"""COPY INTO: loads files into a table once."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from headrace.commands.error_location import pointing_at, pointing_into
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import NotSupportedError, Refused
from headrace.features.pipes.grammar_copy import CopyInto
from headrace.features.pipes.model import Copy, OnError
from headrace.ingest.files.directory_source import DirectorySource, FileBatch
from headrace.ingest.quarantine import rejected_table
from headrace.ingest.sources import reader_of, source_of_copy
from headrace.ingest.writer import write_next
from headrace.model.counted import counted
from headrace.model.names import DEFAULT_WORKSPACE, TableName
from headrace.result import LocalRows, Result
from headrace.views.arrow import to_arrow


@dataclass(frozen=True)
class CopyRow:
    files_loaded: int
    files_skipped: int
    rows_loaded: int
    rows_rejected: int


def copy_into(statement: CopyInto, given: StatementInput, context: StatementContext) -> Result:
    copy = statement.copy
    with pointing_at(given.text, copy.target.span):
        target = target_of(copy, context)
    with pointing_at(given.text, copy.source.span):
        source = source_of_copy(copy, target, reader_of(context))
        with pointing_into_query(copy, given.text):
            row = _load(source, target, context)
    notices = _notices(row, target, copy)
    table = to_arrow(CopyRow, [row], context.lake.settings.zone)
    return Result(LocalRows(table), notices, row.rows_loaded)


def pointing_into_query(copy: Copy, text: str) -> AbstractContextManager[None]:
    """Errors about the query point into the statement."""
    query = copy.query
    return nullcontext() if query is None else pointing_into(text, query.text, query.offset)


def target_of(copy: Copy, context: StatementContext) -> TableName:
    """The table that is loaded into: an ordinary one of the lake."""
    name = context.resolve(copy.target)
    if context.lake.store.definitions.find(name) is not None:
        raise Refused(
            f"{name} is a dynamic table: only a refresh can change its rows",
            hint="load into one of its source tables",
        )
    context.table(name, view_is=", but COPY INTO requires a table", hint="load into a table that it reads")
    if name.workspace != DEFAULT_WORKSPACE:
        raise NotSupportedError(
            f"{name} is not a table of the workspace {DEFAULT_WORKSPACE}",
            hint=f"load into a table of {DEFAULT_WORKSPACE}, then use INSERT INTO ... SELECT",
        )
    return name


def _load(source: DirectorySource, target: TableName, context: StatementContext) -> CopyRow:
    written = write_next(source, target, context.session)
    if written is None:
        return CopyRow(0, source.found(), 0, 0)
    batch = written.batch
    if not isinstance(batch, FileBatch):
        raise TypeError(batch)
    return CopyRow(batch.records, batch.skipped, written.rows, batch.rejected)


def _notices(row: CopyRow, target: TableName, copy: Copy) -> tuple[str, ...]:
    if not row.files_loaded and not row.files_skipped:
        return ("no files were found",)
    if not row.files_loaded:
        return (f"all files are loaded into {target} already; FORCE = TRUE loads them again",)
    rejected = counted(row.rows_rejected, "row")
    if row.rows_rejected and copy.on_error is OnError.QUARANTINE:
        return (f"{rejected} that could not be read went to {rejected_table(target)}",)
    if row.rows_rejected:
        return (f"left out {rejected} that could not be read",)
    return ()
