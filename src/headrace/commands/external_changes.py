"""Changes of base tables that other engines ask for: names are checked as those of statements are."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.commands.new_names import expect_possible
from headrace.commands.statement_context import StatementContext
from headrace.errors import AlreadyExists, NotFound, Refused
from headrace.lake.commit.external_change import make_external_change
from headrace.model.external_change import ExternalChange
from headrace.model.names import TableName
from headrace.model.quoting import show_identifier


def change_table(
    change: ExternalChange,
    name: TableName,
    request: str,
    places: Sequence[str],
    context: StatementContext,
) -> str:
    """The answer in the words of the protocol, which ``request`` is in, too."""
    if context.session.catalog.table(name) is not None and change is ExternalChange.COMMIT:
        if context.lake.store.definitions.find(name) is not None:
            raise Refused(f"{name} is a dynamic table: only a refresh can change it")
        return make_external_change(change, name, request, places, context.session)
    with context.lake.moving_names:
        _expect_free(name, context)
        return make_external_change(change, name, request, places, context.session)


def _expect_free(name: TableName, context: StatementContext) -> None:
    """Of a new table: Iceberg itself knows no streams, and takes names that differ in case alone."""
    expect_possible(name.table)
    if not context.session.catalog.has_schema(name.workspace, name.schema):
        raise NotFound(f"schema {show_identifier(name.schema)} does not exist")
    taken = context.session.as_spelled(name)
    kind = context.kind_of(taken)
    if kind is not None:
        raise AlreadyExists(f"{taken} already exists and is a {kind}")
