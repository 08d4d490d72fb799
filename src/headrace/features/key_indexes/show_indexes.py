"""SHOW KEY INDEXES: by which indexes refreshes find rows, and what they take."""

from __future__ import annotations

from headrace.commands.error_location import pointing_at
from headrace.commands.local_view import selected
from headrace.commands.show import like, schema_named
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.features.key_indexes.grammar import ShowKeyIndexes
from headrace.result import Result
from headrace.views.arrow import to_arrow
from headrace.views.key_indexes import KeyIndexRow, key_index_rows


def show_key_indexes(statement: ShowKeyIndexes, given: StatementInput, context: StatementContext) -> Result:
    inside = _inside(statement, given.text, context)
    rows = [
        row
        for row in key_index_rows(context.lake.key_indexes.all())
        if _names(row)[: len(inside)] == inside and like(row.table_name or "", statement.like)
    ]
    table = to_arrow(KeyIndexRow, rows, context.lake.settings.zone)
    return selected(table, statement.where, statement.limit, given, context)


def _inside(statement: ShowKeyIndexes, text: str, context: StatementContext) -> tuple[str, ...]:
    """The names that a row must have: of a table, of a schema, or none."""
    if statement.table is not None:
        with pointing_at(text, statement.table.span):
            name = context.resolve(statement.table)
            context.table(name, view_is=", which has no rows of its own", hint="name a table that it reads")
        return name.parts
    return () if statement.schema is None else schema_named(statement.schema, text, context)


def _names(row: KeyIndexRow) -> tuple[str | None, ...]:
    return row.workspace_name, row.schema_name, row.table_name
