"""Names of what lives in no schema: clusters and tasks."""

from __future__ import annotations

from headrace.sql.cursor import Cursor
from headrace.sql.lexer import Kind
from headrace.sql.statements import Word

QUOTE_IT = "enclose a name with characters other than letters, digits and _ in backticks: `1. Load`"


def read_single_name(cursor: Cursor, what: str) -> Word:
    """An identifier that no dot follows."""
    if cursor.token and cursor.token.kind in (Kind.NUMBER, Kind.STRING):
        raise cursor.error(f"expected {what}{cursor.found()}", hint=QUOTE_IT)
    name = cursor.word(what)
    if cursor.at_any(".", "-"):
        raise cursor.error(f"unexpected {cursor.next().text} in {what}", cursor.span_before, QUOTE_IT)
    return name
