"""Spark SQL as sqlglot reads and writes it, corrected where it differs from Spark 4.1."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import ClassVar

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import DialectType
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.generators.spark import SparkGenerator
from sqlglot.tokenizer_core import Token as SqlglotToken
from sqlglot.tokenizer_core import TokenType

from headrace.errors import SqlSyntaxError
from headrace.sql.tokens.lexer import Kind, Token, Tokens, tokenize
from headrace.sql.tokens.positions import Span, place_of, splice


class HeadraceSpark(Spark):
    class Tokenizer(Spark.Tokenizer):
        STRING_ESCAPES = ["\\", "'", '"']  # noqa: RUF012  (sqlglot reads a plain list)

    class Generator(SparkGenerator):
        EXPRESSIONS_WITHOUT_NESTED_CTES: ClassVar[set[type[exp.Expr]]] = set()

    def tokenize(self, sql: str, dialect: DialectType = None) -> list[SqlglotToken]:
        """``window(`` is a call, also where sqlglot would see the start of a WINDOW clause."""
        tokens = super().tokenize(sql, dialect)
        for word, following in pairwise(tokens):
            if word.token_type is TokenType.WINDOW and following.token_type is TokenType.L_PAREN:
                word.token_type = TokenType.VAR
        return tokens


def parse_query(text: str) -> exp.Expr:
    """The query's tree; every identifier in it knows its offsets in ``text``."""
    return parse_query_tokens(text, tokenize(text))


def parse_query_tokens(text: str, tokens: Tokens) -> exp.Expr:
    """The same of a query whose tokens are known."""
    from_queries = [(span, "FROM ") for span in table_queries(tokens)]
    readable = splice(text, [*from_queries, *_table_arguments(tokens), *_hex_literals(tokens)])
    with quiet_sqlglot():
        try:
            tree = sqlglot.parse_one(readable, read=HeadraceSpark)
        except ParseError as error:
            raise _syntax_error(text, error) from None
        except (SqlglotError, RecursionError) as error:
            raise SqlSyntaxError(f"the query cannot be parsed: {error}") from None
    if not isinstance(tree, exp.Query | exp.Values):
        raise SqlSyntaxError(
            "this is not a query", place=place_of(text, tokens[0].span if tokens else Span(0, 0))
        )
    return tree


_quiet: ContextVar[bool] = ContextVar("quiet_sqlglot", default=False)


class _Quiet(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return not _quiet.get()


logging.getLogger("sqlglot").addFilter(_Quiet())


@contextmanager
def quiet_sqlglot() -> Iterator[None]:
    """sqlglot's warnings go nowhere: they are for its own users."""
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)


_BEFORE_A_QUERY = frozenset({"", "(", ")", "=>", "UNION", "ALL", "DISTINCT", "EXCEPT", "INTERSECT", "MINUS"})


def table_queries(tokens: Tokens) -> Iterator[Span]:
    """The word TABLE where it means ``SELECT * FROM``."""
    for _, token, following in _tables(tokens):
        if following.is_name:
            yield token.span


def _table_arguments(tokens: Tokens) -> Iterator[tuple[Span, str]]:
    """``f(TABLE(t))`` as ``f((FROM t))``, which sqlglot can read, without moving any offset."""
    for index, token, following in _tables(tokens):
        if following.text == "(" and _is_table_argument(tokens[index + 2 :]):
            gap = token.span.to(following.span)
            yield gap, "(FROM".ljust(gap.end - gap.start)


def _tables(tokens: Tokens) -> Iterator[tuple[int, Token, Token]]:
    """Each TABLE that stands where a query can start, its index, and what follows it."""
    for index, (token, following) in enumerate(pairwise(tokens)):
        previous = tokens[index - 1].upper if index else ""
        if token.upper == "TABLE" and previous in _BEFORE_A_QUERY:
            yield index, token, following


def _hex_literals(tokens: Tokens) -> Iterator[tuple[Span, str]]:
    """``X  'F0'`` as ``  X'F0'``: sqlglot wants the two to touch."""
    for word, string in pairwise(tokens):
        if word.upper == "X" and string.kind is Kind.STRING:
            span = Span(word.span.start, string.span.start)
            yield span, "X".rjust(span.end - span.start)


def _is_table_argument(tokens: Tokens) -> bool:
    """Whether a function gets a table by name, as in ``f(TABLE(t))``."""
    end = next((index for index, token in enumerate(tokens) if not (token.is_name or token.text == ".")), 0)
    return end > 0 and tokens[end].text == ")"


def _syntax_error(text: str, error: ParseError) -> SqlSyntaxError:
    details = error.errors[0] if error.errors else {}
    highlight = str(details.get("highlight") or "")
    line_starts = [0, *(index + 1 for index, char in enumerate(text) if char == "\n")]
    line = min(int(details.get("line") or 1), len(line_starts))
    end = min(line_starts[line - 1] + int(details.get("col") or 1), len(text))
    start = max(0, end - max(1, len(highlight)))
    found = f" near {highlight}" if highlight.strip() else ""
    return SqlSyntaxError(f"the query cannot be parsed{found}", place=place_of(text, Span(start, end)))
