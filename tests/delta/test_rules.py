"""Each delta rule against recomputation, on random bags with NULLs and duplicates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.delta.duckdb_tables import DuckDbTables, Row, Versions


def _queries() -> dict[str, str]:
    """One of each shape, by name."""
    text = (Path(__file__).parent / "queries.sql").read_text()
    return dict(re.findall(r"^-- ([^\n]+)\n(.+?);$", text, re.MULTILINE | re.DOTALL))


QUERIES = _queries()

numbers = st.one_of(st.none(), st.integers(0, 3))
words = st.one_of(st.none(), st.sampled_from(["x", "y", ""]))
amounts = st.one_of(st.none(), st.sampled_from([Decimal("0.00"), Decimal("1.50"), Decimal("-2.25")]))
rows_of = {
    "t": st.tuples(numbers, words, amounts),
    "u": st.tuples(numbers, numbers),
    "v": st.tuples(numbers, words),
}


@st.composite
def versions(draw: st.DrawFn) -> Versions:
    """Old rows of each table, and what inserts, deletes and updates make of them."""
    old: dict[str, list[Row]] = {}
    new: dict[str, list[Row]] = {}
    for table, row in rows_of.items():
        before = draw(st.lists(row, max_size=6))
        kept = [r for r in before if draw(st.integers(0, 3)) > 0]
        old[table], new[table] = before, kept + draw(st.lists(row, max_size=3))
    return old, new


@pytest.fixture
def database() -> Iterator[DuckDbTables]:
    with duckdb.connect() as connection:
        yield DuckDbTables(duck=connection)


@pytest.mark.parametrize("name", QUERIES)
def test_rule(name: str, database: DuckDbTables) -> None:
    @settings(max_examples=50)
    @given(versions())
    def check(both: Versions) -> None:
        database.assert_exact(QUERIES[name], both)

    check()
