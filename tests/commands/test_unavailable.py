"""Statements that are understood and that this version cannot run; no lake is needed to say so."""

from __future__ import annotations

from typing import cast

import pytest

from headrace.commands.execute import execute
from headrace.commands.statement_context import StatementContext
from headrace.errors import InterfaceError, NotSupportedError
from headrace.sql.parsed import ParsedStatement

NO_BENCH = cast(StatementContext, None)


@pytest.mark.parametrize(
    ("text", "feature", "column", "length"),
    [
        ("create or replace pipe p as copy into t from x", "CREATE OR REPLACE PIPE", 1, 22),
    ],
)
def test_refusal(text, feature, column, length):
    with pytest.raises(NotSupportedError) as caught:
        execute(ParsedStatement(text), None, NO_BENCH)
    assert caught.value.message == f"{feature} is not supported in this version"
    assert (caught.value.place.column, caught.value.place.length) == (column, length)
    with pytest.raises(InterfaceError):
        execute(ParsedStatement(text), {"x": 1}, NO_BENCH)
