"""What a user may have meant by the name of a table that does not exist."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headrace.commands.statement_context import StatementContext
from headrace.errors import Error, NotFound
from headrace.model.names import TableName
from headrace.model.near_names import did_you_mean, near_names


@contextmanager
def proposing_names(context: StatementContext) -> Iterator[None]:
    """A table, view or stream that is not found inside is an error that names the nearest ones."""
    try:
        yield
    except NotFound as error:
        if error.missing is not None:
            error.hint = _proposal(error.missing, context) or error.hint
        raise


def _proposal(parts: tuple[str, ...], context: StatementContext) -> str | None:
    if not 0 < len(parts) <= 3:
        return None
    session = context.session
    try:
        wanted = TableName.resolve(parts, session.workspace, session.schema)
        return did_you_mean(near_names(wanted, context.lake.names()))
    except (Error, ValueError):
        return None
