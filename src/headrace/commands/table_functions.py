"""Functions that Headrace has beside Spark's, in the place of a table: ``FROM load_history('s.t')``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from pkgutil import resolve_name
from typing import TypeAlias

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.sql.parsed import ParsedStatement
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Tokens
from headrace.sql.tokens.positions import splice

TableFunction: TypeAlias = Callable[[TokenReader, StatementContext], AbstractContextManager[str]]
"""Given a cursor behind the opening parenthesis, steps over the closing one; gives the name of a view."""

FUNCTIONS: Mapping[str, str] = {
    "LOAD_HISTORY": "headrace.ingest.load_history:load_history",
    "READ_KAFKA": "headrace.ingest.kafka.table_function:read_kafka",
}
"""By name: ``module:function``, imported when first used."""
_BEFORE_A_TABLE = frozenset({"FROM", "JOIN", ",", "LATERAL"})


@contextmanager
def with_table_functions(statement: ParsedStatement, context: StatementContext) -> Iterator[ParsedStatement]:
    """``statement`` with the names of temporary views in the place of these functions, where it has any."""
    with ExitStack() as views:
        edits = []
        for index in calls_in(statement.tokens):
            token = statement.tokens[index]
            cursor = TokenReader(statement.text, statement.tokens[index + 2 :])
            with pointing_at(statement.text, token.span):
                view = views.enter_context(_function(FUNCTIONS[token.upper])(cursor, context))
            span = token.span.to(cursor.span_before)
            edits.append((span, view.ljust(span.end - span.start)))
        yield statement.with_text(splice(statement.text, edits))


def calls_in(tokens: Tokens) -> list[int]:
    """Where the names of these functions are, each followed by a parenthesis."""
    return [
        index
        for index in range(1, len(tokens) - 1)
        if tokens[index].upper in FUNCTIONS
        and tokens[index + 1].upper == "("
        and tokens[index - 1].upper in _BEFORE_A_TABLE
    ]


@cache
def _function(path: str) -> TableFunction:
    found: TableFunction = resolve_name(path)
    return found
