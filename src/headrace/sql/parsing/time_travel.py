"""``VERSION AS OF`` and ``TIMESTAMP AS OF`` behind the name of a table."""

from __future__ import annotations

from headrace.sql.parsing.statements import Expression
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind, Token, Tokens, tokenize, words_of
from headrace.sql.tokens.targets import after_parentheses

_VERSION = frozenset({"VERSION", "SYSTEM_VERSION"})
_TIMESTAMP = frozenset({"TIMESTAMP", "SYSTEM_TIME"})
_TYPED = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIME", "X"})
_OPERATORS = frozenset({"+", "-", "*", "/", "%", "||", "::", "&", "|", "^", "DIV"})


def after_time_travel(tokens: Tokens, index: int) -> int:
    """The index behind the clause that starts at ``index``; ``index`` itself if none does."""
    start = index + (words_of(tokens[index : index + 1]) == ["FOR"])
    words = words_of(tokens[start : start + 3])
    if words[1:] != ["AS", "OF"]:
        return index
    if words[0] in _VERSION:
        return _after_operand(tokens, start + 3)
    return _after_expression(tokens, start + 3) if words[0] in _TIMESTAMP else index


def read_timestamp(cursor: TokenReader, *stops: str) -> Expression:
    """What follows ``TIMESTAMP AS OF``: an expression up to one of ``stops`` or to the end."""
    expression = cursor.expression("a timestamp", *stops, ";")
    tokens = tokenize(expression.text)
    end = _after_expression(tokens, 0)
    if end < len(tokens):
        raise cursor.error(f"unexpected {tokens[end].text}", tokens[end].span.shifted(expression.span.start))
    return expression


def _after_expression(tokens: Tokens, index: int) -> int:
    """Operands with operators between them: a name that follows an operand is the table's alias."""
    index = _after_operand(tokens, index)
    while index < len(tokens) and tokens[index].upper in _OPERATORS:
        index = _after_operand(tokens, index + 1)
    return index


def _after_operand(tokens: Tokens, index: int) -> int:
    while index < len(tokens) and tokens[index].text in ("-", "+", "~"):
        index += 1
    if index >= len(tokens):
        return len(tokens)
    word = tokens[index].upper
    if word == "INTERVAL" and index + 1 < len(tokens) and tokens[index + 1].text not in (".", ")"):
        return _after_interval(tokens, index + 1)
    if word == "CASE":
        return _after_case(tokens, index)
    if word == ":":
        index += 1
    typed = word in _TYPED and index + 1 < len(tokens) and tokens[index + 1].kind is Kind.STRING
    return _after_suffixes(tokens, index if word == "(" else index + 1 + typed)


def _after_suffixes(tokens: Tokens, index: int) -> int:
    """Past ``.name``, ``(...)`` and ``[...]``."""
    while index < len(tokens):
        token = tokens[index]
        if token.text == "(":
            index = after_parentheses(tokens, index)
        elif token.text == "[":
            index = next((i + 1 for i in range(index, len(tokens)) if tokens[i].text == "]"), len(tokens))
        elif token.text == "." and index + 1 < len(tokens):
            index += 2
        else:
            break
    return index


_UNITS = frozenset(
    """
    YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND MICROSECOND NANOSECOND
    YEARS QUARTERS MONTHS WEEKS DAYS HOURS MINUTES SECONDS MILLISECONDS MICROSECONDS NANOSECONDS
    """.split()  # noqa: SIM905  (a table of words)
)


def _after_interval(tokens: Tokens, index: int) -> int:
    """``1 DAY``, ``'1' DAY``, ``'1 day'``, ``'1-2' YEAR TO MONTH``, ``1 DAY 2 HOURS``."""
    while index < len(tokens) and _starts_amount(tokens[index]):
        index = _after_operand(tokens, index)
        if index < len(tokens) and tokens[index].upper in _UNITS:
            index += 1
            if words_of(tokens[index : index + 1]) == ["TO"]:
                index += 2
    return index


def _starts_amount(token: Token) -> bool:
    return token.kind in (Kind.NUMBER, Kind.STRING) or token.text in ("(", "-", "+")


def _after_case(tokens: Tokens, index: int) -> int:
    depth = 0
    for position in range(index, len(tokens)):
        depth += {"CASE": 1, "END": -1}.get(tokens[position].upper, 0)
        if depth == 0:
            return position + 1
    return len(tokens)
