"""SET and RESET of ``dt.args.*``, the arguments of dynamic tables; all other settings are Spark's."""

from __future__ import annotations

from headrace.features.dynamic_tables.grammar_statements import ResetArgument, SetArgument, ShowArgument
from headrace.sql.parsing.statements import Word
from headrace.sql.parsing.token_reader import TokenReader
from headrace.sql.tokens.lexer import Kind, Token

PREFIX = "dt.args."
SET_FORM = "SET dt.args.name = value"
RESET_FORM = "RESET dt.args.name"


def read_set(cursor: TokenReader) -> SetArgument | ShowArgument | None:
    """Of what follows SET."""
    if not _at_argument(cursor):
        return None
    name = _name(cursor)
    if cursor.done:
        return ShowArgument(name)
    cursor.expect("=")
    return SetArgument(name, _value(cursor))


def read_reset(cursor: TokenReader) -> ResetArgument | None:
    """Of what follows RESET."""
    if not _at_argument(cursor):
        return None
    name = _name(cursor)
    cursor.expect_end()
    return ResetArgument(name)


def _at_argument(cursor: TokenReader) -> bool:
    """Whether a key that starts with ``dt.args.`` comes next; backticks may be around any part of it."""
    key = ""
    distance = 0
    while (token := cursor.ahead(distance)) and (token.is_name or token.text == "."):
        key += token.value
        distance += 1
    return key.lower().startswith(PREFIX)


def _name(cursor: TokenReader) -> Word:
    key = cursor.name("the name of an argument", most_parts=None)
    name = ".".join(key.parts)[len(PREFIX) :]
    if not name:
        raise cursor.error("the name of an argument is missing", key.span)
    return Word(name, key.span)


def _value(cursor: TokenReader) -> Word:
    """One literal without its quotes; anything else as it is typed, which is what Spark's own SET does."""
    tokens: list[Token] = []
    while cursor.token and not cursor.at(";"):
        tokens.append(cursor.next())
    if not tokens:
        raise cursor.error(f"expected a value after ={cursor.found()}")
    cursor.expect_end()
    span = tokens[0].span.to(tokens[-1].span)
    is_literal = all(token.kind is Kind.STRING for token in tokens)
    return Word("".join(token.value for token in tokens) if is_literal else span.of(cursor.text), span)
