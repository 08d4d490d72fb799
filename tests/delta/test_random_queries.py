"""Whole random queries and random changes against recomputation.

HEADRACE_RANDOM_QUERIES asks for more queries than the default run's; the slow run makes them larger.
"""

from __future__ import annotations

import os

import duckdb
import pytest

from tests.delta.ducks import Pond
from tests.delta.random_queries import RandomQuery, random_query
from tests.delta.random_tables import random_versions

BATCH = 50
QUERIES = int(os.environ.get("HEADRACE_RANDOM_QUERIES", "1000"))
LARGE = range(100_000, 100_400)


@pytest.fixture(scope="module")
def duck() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


@pytest.mark.parametrize("first", range(0, QUERIES, BATCH))
def test_random_queries(first: int, duck: duckdb.DuckDBPyConnection) -> None:
    for seed in range(first, first + BATCH):
        _assert_exact(random_query(seed), seed, duck)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("first", LARGE[::BATCH])
def test_large_random_queries(first: int, duck: duckdb.DuckDBPyConnection) -> None:
    for seed in range(first, first + BATCH):
        _assert_exact(random_query(seed, parts=6), seed, duck)


def _assert_exact(query: RandomQuery, seed: int, duck: duckdb.DuckDBPyConnection) -> None:
    pond = Pond(query.tables, duck)
    for both in random_versions(query.tables, seed, 2):
        try:
            pond.assert_exact(query.sql, both)
        except Exception as error:
            old, new = both
            raise AssertionError(
                f"seed {seed}: {error}\n{query.sql}\ntables {query.tables}\nold {old}\nnew {new}"
            ) from error
