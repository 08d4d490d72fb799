"""Statements that are known, and refused."""

from __future__ import annotations

from typing import NoReturn

from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import NotSupportedError
from headrace.features.dynamic_tables.grammar_statements import CreateMaterializedView
from headrace.sql.parsing.statements import NotYet
from headrace.sql.tokens.positions import place_of


def refuse_materialized_view(
    statement: CreateMaterializedView, given: StatementInput, context: StatementContext
) -> NoReturn:
    raise NotSupportedError(
        "materialized views are not supported",
        hint="use CREATE DYNAMIC TABLE, which stores the result of a query and refreshes it",
        place=place_of(given.text, statement.span),
    )


def refuse_not_yet(statement: NotYet, given: StatementInput, context: StatementContext) -> NoReturn:
    raise NotSupportedError(
        f"{statement.feature} is not supported in this version", place=place_of(given.text, statement.span)
    )
