"""Text of one statement to the statement; whatever is not Headrace's passes through."""

from __future__ import annotations

from headrace.features.families import STATEMENTS
from headrace.sql.parsing.statements import Passthrough, Statement
from headrace.sql.tokens.lexer import Tokens, tokenize


def parse_statement(text: str) -> Statement:
    """The statement, or SqlSyntaxError where it is one of Headrace's and cannot be read."""
    return parse_tokens(text, tokenize(text))


def parse_tokens(text: str, tokens: Tokens) -> Statement:
    """The same of a text whose tokens are known."""
    return STATEMENTS.rules.read(text, tokens) or Passthrough(text)
