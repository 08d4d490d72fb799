"""Names and literals among the tokens of a statement that Spark will read."""

from __future__ import annotations

from collections.abc import Iterator

from headrace.sql.tokens.dotted_name import dotted_parts
from headrace.sql.tokens.lexer import Kind, Tokens, words_of
from headrace.sql.tokens.positions import Span

_PARENTHESES = {"(": 1, ")": -1}
_BRACKETS = {"(": 1, "[": 1, ")": -1, "]": -1}
_EXPLAINED_HOW = frozenset({"LOGICAL", "FORMATTED", "EXTENDED", "CODEGEN", "COST"})


def after_explain(tokens: Tokens) -> Tokens:
    """The statement that EXPLAIN is about; one without EXPLAIN is itself."""
    if words_of(tokens[:1]) != ["EXPLAIN"]:
        return tokens
    return tokens[2:] if set(words_of(tokens[1:2])) & _EXPLAINED_HOW else tokens[1:]


def after_parentheses(tokens: Tokens, index: int) -> int:
    depth = 0
    for position in range(index, len(tokens)):
        depth += _PARENTHESES.get(tokens[position].upper, 0)
        if depth == 0:
            return position + 1
    return len(tokens)


def executed_expression(tokens: Tokens) -> Tokens:
    """What EXECUTE IMMEDIATE runs, of the tokens that follow it."""
    words = words_of(tokens)
    end = next((index for index, word in enumerate(words) if word in ("INTO", "USING", ";")), len(tokens))
    return tokens[:end]


def split_at_commas(tokens: Tokens) -> Iterator[Tokens]:
    start = depth = 0
    for index, token in enumerate(tokens):
        depth += _BRACKETS.get(token.upper, 0)
        if depth == 0 and token.upper == ",":
            yield tokens[start:index]
            start = index + 1
    yield tokens[start:]


def read_target(tokens: Tokens, fallback: Span) -> tuple[tuple[str, ...] | None, Span, Tokens]:
    """The name that ``tokens`` start with, its place, and what comes after it."""
    if not tokens:
        return None, fallback, ()
    end = _end_of_name(tokens)
    if end == 0:
        return None, tokens[0].span, tokens
    name, rest = tokens[:end], tokens[end:]
    if name[-1].upper == "IDENTIFIER" and words_of(rest[:1]) == ["("]:
        return _identifier_clause(tokens, end)
    return tuple(token.value for token in name[::2]), name[0].span.to(name[-1].span), rest


def _end_of_name(tokens: Tokens) -> int:
    if not tokens[0].is_name:
        return 0
    end = 1
    while end + 1 < len(tokens) and tokens[end].text == "." and tokens[end + 1].is_name:
        end += 2
    return end


def _identifier_clause(tokens: Tokens, opening: int) -> tuple[tuple[str, ...] | None, Span, Tokens]:
    end = after_parentheses(tokens, opening)
    argument, rest = tokens[opening + 1 : end - 1], tokens[end:]
    span = tokens[0].span.to(tokens[end - 1].span)
    alone = opening == 1 and words_of(rest[:1]) != ["."]
    literal = literal_value(argument)
    return (dotted_parts(literal) if alone and literal is not None else None), span, rest


def literal_value(tokens: Tokens) -> str | None:
    """Value of one string literal or of several in a row, which Spark joins."""
    if tokens and all(token.kind is Kind.STRING for token in tokens):
        return "".join(token.value for token in tokens)
    return None
