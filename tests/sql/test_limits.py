"""Reading a statement takes work in proportion to its length, and there is an end to its length."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from headrace.errors import Error, SqlSyntaxError
from headrace.sql.parsed import ParsedStatement
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.sandbox.sandbox_context import Grounds
from headrace.sql.sandbox.sandbox_rules import refuse_outside
from headrace.sql.tokens.lexer import DEEPEST_COMMENT
from headrace.sql.tokens.split import split
from headrace.sql.tokens.statement_limits import (
    DEEPEST_NESTING,
    MOST_CHARACTERS,
    MOST_TOKENS,
    expect_readable,
)

LAKE = Grounds("/lake/warehouse")

SHAPES: dict[str, Callable[[int], str]] = {
    "comments side by side": lambda n: "SELECT 1 " + "/* a */ " * n,
    "nested comments": lambda n: "SELECT 1 " + "/*" * n + "*/" * n,
    "an IN list": lambda n: f"SELECT * FROM t WHERE a IN ({','.join(map(str, range(n)))})",
    "parentheses": lambda n: "SELECT " + "(" * n + "1" + ")" * n,
    "a sum": lambda n: "SELECT " + "+".join(["a.b"] * n),
    "a block": lambda n: "BEGIN " + "SELECT 1; " * n + "END",
    "statements in a block": lambda n: "BEGIN " + "EXECUTE IMMEDIATE 'SELECT 1'; CALL p(1); " * n + "END",
    "USING": lambda n: "CREATE TABLE t " + "USING iceberg " * n,
    "LOCATION": lambda n: "CREATE TABLE t " + "LOCATION " * n,
    "IDENTIFIER()": lambda n: "SELECT " + "IDENTIFIER(" * n + "'a'" + ")" * n,
    "functions": lambda n: "CREATE VIEW v AS SELECT " + ",".join(["f(function)"] * n),
    "inserts": lambda n: "FROM t " + "INSERT INTO s SELECT a " * n,
    "properties": lambda n: "ALTER TABLE t SET TBLPROPERTIES (" + ",".join(["'a' = 'b'"] * n) + ")",
    "strings": lambda n: "SELECT " + "'a' " * n,
    "CASE": lambda n: "SELECT " + "CASE WHEN a THEN " * n + "1" + " END" * n,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_text_is_twice_the_work(shape: str) -> None:
    make = SHAPES[shape]
    small, large = (_work(make(length)) for length in (100, 200))
    assert large <= 2.5 * small


def _work(text: str) -> int:
    """Lines of Python that are run to read it, and the tokens that are copied."""
    lines = 0

    def count(frame: object, event: str, argument: object) -> object:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)  # type: ignore[arg-type]
    try:
        _read(text)
    finally:
        sys.settrace(before)
    return lines


def _read(text: str) -> None:
    for step in (
        split,
        parse_statement,
        lambda each: ParsedStatement(each).effects,
        lambda each: refuse_outside(ParsedStatement(each), LAKE),
    ):
        try:
            step(text)  # type: ignore[operator]
        except Error:
            continue


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT '" + "a" * MOST_CHARACTERS + "'", "1,000,009 characters, but the limit is 1,000,000"),
        ("SELECT " + "1," * (MOST_TOKENS // 2), "words and symbols, but the limit is 100,000"),
        (
            f"SELECT * FROM t WHERE a IN ({','.join(map(str, range(100_000)))})",
            "200,008 words and symbols, but the limit is 100,000",
        ),
        ("SELECT " + "(" * 5000 + "1" + ")" * 5000, "nested more than 200 levels deep"),
        ("SELECT 1 " + "/*" * 5000 + "*/" * 5000, "comments are nested more than 20 levels deep"),
        ("SELECT 1 " + "/*" * 21 + "*/" * 21, "comments are nested more than 20 levels deep"),
        ("SELECT " + "CASE WHEN a THEN " * 201 + "1" + " END" * 201, "nested more than 200 levels deep"),
        ("SELECT " + "array[" * 201, "nested more than 200 levels deep"),
    ],
)
def test_there_is_a_limit_and_it_is_told(text: str, message: str) -> None:
    with pytest.raises(SqlSyntaxError, match=message):
        expect_readable(text)


def test_up_to_the_limit_everything_is_read() -> None:
    deep = DEEPEST_NESTING
    expect_readable(f"SELECT * FROM t WHERE a IN ({','.join(map(str, range(45_000)))})")
    expect_readable("SELECT " + "(" * deep + "1" + ")" * deep)
    expect_readable("SELECT 1 " + "/*" * DEEPEST_COMMENT + "*/" * DEEPEST_COMMENT)
    expect_readable("SELECT " + ",".join(["'/data/*'"] * 1000))
    expect_readable("BEGIN " + "IF a THEN SELECT 1; END IF; " * 1000 + "END")
