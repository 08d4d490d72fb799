from __future__ import annotations

import pytest
import sqlglot

from headrace.algebra.conditions import negation_inward


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("NOT (a OR b)", "(NOT (a) AND NOT (b))"),
        ("NOT (a AND NOT b)", "(NOT (a) OR (b))"),
        ("NOT NOT a", "(a)"),
        ("CASE WHEN NOT (a OR b) THEN NOT c END", "CASE WHEN (NOT (a) AND NOT (b)) THEN NOT c END"),
        ("NOT (a = b)", "NOT (a = b)"),
        ("(a IN (SELECT 1)) = FALSE", "(NOT (a IN (SELECT 1)))"),
        ("TRUE <> (a IN (SELECT 1) OR b)", "((NOT (a IN (SELECT 1)) AND NOT (b)))"),
    ],
)
def test_negation_inward(written: str, read: str) -> None:
    assert negation_inward(sqlglot.parse_one(written)).sql() == read
