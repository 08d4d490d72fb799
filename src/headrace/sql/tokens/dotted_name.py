"""A dotted name that is given as text."""

from __future__ import annotations

from headrace.errors import SqlSyntaxError
from headrace.sql.tokens.lexer import tokenize


def dotted_parts(text: str) -> tuple[str, ...] | None:
    """Parts of a dotted name given as text; None where it is not one."""
    try:
        tokens = tokenize(text)
    except SqlSyntaxError:
        return None
    names, dots = tokens[::2], tokens[1::2]
    well_formed = len(tokens) % 2 == 1 and all(token.is_name for token in names)
    if not well_formed or any(token.text != "." for token in dots):
        return None
    return tuple(token.value for token in names)
