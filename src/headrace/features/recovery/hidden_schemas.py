"""The schemas in which dropped tables and stored groups are kept are nobody's to name."""

from __future__ import annotations

from headrace.lake.session import hidden_schema_refused
from headrace.model.names import HIDDEN_SCHEMAS
from headrace.sql.parsed import ParsedStatement
from headrace.sql.tokens.lexer import Kind
from headrace.sql.tokens.positions import place_of

_NAMES_IN_STRINGS = frozenset({"CALL", "EXECUTE", "IDENTIFIER", "USING"})
"""Words of statements in which a string can name a table."""


def refuse_hidden_schemas(statement: ParsedStatement) -> None:
    for schema in sorted(HIDDEN_SCHEMAS):
        if schema in statement.text:
            _refuse(schema, statement)


def _refuse(schema: str, statement: ParsedStatement) -> None:
    tokens = statement.tokens
    reads_strings = any(token.upper in _NAMES_IN_STRINGS for token in tokens)
    for token in tokens:
        is_string = token.kind is Kind.STRING
        named = token.is_name and token.value == schema
        if named or (is_string and reads_strings and schema in token.value):
            error = hidden_schema_refused(schema)
            error.at(place_of(statement.text, token.span))
            raise error
