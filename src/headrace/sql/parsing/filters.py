"""``[IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]``, the end of a SHOW."""

from __future__ import annotations

from headrace.sql.parsing.statements import Expression, Name
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind

Filters = tuple[Name | None, str | None, Expression | None, int | None]


def read_filters(cursor: TokenReader) -> Filters:
    """Schema, pattern, condition and limit."""
    return _schema(cursor), read_pattern(cursor), read_where(cursor), read_limit(cursor)


def read_plain_filters(cursor: TokenReader) -> tuple[str | None, Expression | None, int | None]:
    """Pattern, condition and limit, of what lives in no schema."""
    return read_pattern(cursor), read_where(cursor), read_limit(cursor)


def _schema(cursor: TokenReader) -> Name | None:
    if cursor.take("IN") or cursor.take("FROM"):
        return cursor.name("the name of a schema", most_parts=2)
    return None


def read_pattern(cursor: TokenReader) -> str | None:
    if cursor.take("LIKE") or (cursor.token and cursor.token.kind is Kind.STRING):
        return cursor.string("a pattern")
    return None


def read_where(cursor: TokenReader) -> Expression | None:
    return cursor.expression("a condition after WHERE", "LIMIT", ";") if cursor.take("WHERE") else None


def read_limit(cursor: TokenReader) -> int | None:
    """LIMIT, and nothing after it."""
    limit = cursor.whole_number("a whole number after LIMIT") if cursor.take("LIMIT") else None
    cursor.expect_end()
    return limit
