"""How large and how deep a statement of a server may be, so that reading it is no work by itself."""

from __future__ import annotations

from headrace.errors import SqlSyntaxError
from headrace.sql.tokens.lexer import Tokens, tokenize
from headrace.sql.tokens.positions import Span, place_of

MOST_CHARACTERS = 1_000_000
MOST_TOKENS = 100_000
DEEPEST_NESTING = 200
"""Of parentheses, brackets and CASE; comments have a limit of their own in the lexer."""

_DEEPER = frozenset({"(", "[", "CASE"})
_SHALLOWER = frozenset({")", "]", "END"})


def expect_readable(text: str) -> Tokens:
    """The tokens of a statement; SqlSyntaxError where it is beyond one of the limits."""
    if len(text) > MOST_CHARACTERS:
        raise SqlSyntaxError(
            f"the statement has {len(text):,} characters, but the limit is {MOST_CHARACTERS:,}",
            hint="load the values into a table, and join with it",
        )
    tokens = tokenize(text)
    if len(tokens) > MOST_TOKENS:
        raise SqlSyntaxError(
            f"the statement has {len(tokens):,} words and symbols, but the limit is {MOST_TOKENS:,}",
            hint="load the values into a table, and join with it",
        )
    depth = 0
    for token in tokens:
        depth += (token.upper in _DEEPER) - (token.upper in _SHALLOWER and depth > 0)
        if depth > DEEPEST_NESTING:
            raise _too_deep(text, token.span)
    return tokens


def _too_deep(text: str, span: Span) -> SqlSyntaxError:
    return SqlSyntaxError(
        f"the statement is nested more than {DEEPEST_NESTING} levels deep",
        hint="use fewer nested parentheses, CASE expressions or comments",
        place=place_of(text, span),
    )
