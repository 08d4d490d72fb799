"""``load_history('s.t')``: the files that were loaded into a table in the last days."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from headrace.commands.error_location import pointing_at
from headrace.commands.local_view import local_view
from headrace.commands.statement_context import StatementContext
from headrace.errors import SqlSyntaxError
from headrace.ingest.files.ledger import FILES_KEY, HISTORY, LoadedFile, read_ledger
from headrace.lake.commit.positioned_commit import SideFiles, position_of
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.dotted_name import dotted_parts
from headrace.views.arrow import to_arrow

_FORM = "load_history('schema.table')"


@dataclass(frozen=True)
class LoadRow:
    file_path: str
    file_size: int
    last_modified: datetime
    load_time: datetime
    loaded_by: str

    @staticmethod
    def of(loaded: LoadedFile) -> LoadRow:
        file = loaded.file
        modified = datetime.fromtimestamp(file.modified_ms / 1000, UTC)
        return LoadRow(file.location, file.size, modified, loaded.loaded_at, loaded.loaded_by)


@contextmanager
def load_history(cursor: TokenReader, context: StatementContext) -> Iterator[str]:
    cursor.hint = _FORM
    name = cursor.quoted_word("the name of a table")
    cursor.expect(")")
    with pointing_at(cursor.text, name.span):
        loaded = _loaded_into(name.text, context)
    since = context.now() - HISTORY
    rows = [LoadRow.of(each) for each in loaded if each.loaded_at >= since]
    with local_view(to_arrow(LoadRow, rows, context.lake.settings.zone), context.session) as view:
        yield view


def _loaded_into(name: str, context: StatementContext) -> tuple[LoadedFile, ...]:
    parts = dotted_parts(name)
    if parts is None:
        raise SqlSyntaxError(f"{name!r} is not a name", hint=_FORM)
    found = context.session.resolve(parts)
    table = context.table(found, view_is="", hint="load_history is about a table")
    position = position_of(table, FILES_KEY, context.session)
    return read_ledger(position, SideFiles(table, context.session)).loaded
