"""What the tests of every family's grammar check alike."""

from __future__ import annotations

from typing import TypeVar

import pytest

from headrace.errors import SqlSyntaxError
from headrace.sql.parsing.grammar import parse_statement
from headrace.sql.parsing.statements import Statement

S = TypeVar("S", bound=Statement)


def parsed_as(kind: type[S], text: str) -> S:
    statement = parse_statement(text)
    assert isinstance(statement, kind)
    return statement


def syntax_error(text: str, message: str, column: int) -> SqlSyntaxError:
    """The error of a statement in one line: its message and place are these, and it says what to do."""
    with pytest.raises(SqlSyntaxError) as caught:
        parse_statement(text)
    error = caught.value
    assert error.place is not None
    assert (error.message, error.place.line, error.place.column) == (message, 1, column)
    assert error.hint
    return error
