"""Names of what lives in no schema: clusters and tasks."""

from __future__ import annotations

from headrace.sql.parsing.statements import Word
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind

QUOTE_IT = "enclose a name with characters other than letters, digits and _ in backticks: `1. Load`"


def read_single_name(cursor: TokenReader, what: str) -> Word:
    """An identifier that no dot follows."""
    if cursor.token and cursor.token.kind in (Kind.NUMBER, Kind.STRING):
        raise cursor.error(f"expected {what}{cursor.found()}", hint=QUOTE_IT)
    name = cursor.word(what)
    if cursor.at_any(".", "-"):
        raise cursor.error(f"unexpected {cursor.next().text} in {what}", cursor.span_before, QUOTE_IT)
    return name
