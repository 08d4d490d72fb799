"""The schema in which dropped tables are kept is nobody's to name."""

from __future__ import annotations

from headrace.lake.session import dropped_schema_refused
from headrace.model.names import DROPPED_SCHEMA
from headrace.sql.parsed import ParsedStatement
from headrace.sql.tokens.lexer import Kind
from headrace.sql.tokens.positions import place_of

_NAMES_IN_STRINGS = frozenset({"CALL", "EXECUTE", "IDENTIFIER", "USING"})
"""Words of statements in which a string can name a table."""


def refuse_dropped_schema(statement: ParsedStatement) -> None:
    if DROPPED_SCHEMA not in statement.text:
        return
    tokens = statement.tokens
    reads_strings = any(token.upper in _NAMES_IN_STRINGS for token in tokens)
    for token in tokens:
        is_string = token.kind is Kind.STRING
        named = token.is_name and token.value == DROPPED_SCHEMA
        if named or (is_string and reads_strings and DROPPED_SCHEMA in token.value):
            error = dropped_schema_refused()
            error.at(place_of(statement.text, token.span))
            raise error
