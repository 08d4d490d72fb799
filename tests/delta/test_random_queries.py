"""Whole random queries and random changes against recomputation.

HEADRACE_RANDOM_QUERIES asks for more queries than the default.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import duckdb
import pytest

from tests.delta.duckdb_tables import DuckDbTables
from tests.delta.independent import is_translated, rows_at
from tests.delta.random_queries import RandomQuery, random_query
from tests.delta.random_tables import random_versions
from tests.sampling import fresh_batches, fresh_seeds

BATCH = 50
QUERIES = int(os.environ.get("HEADRACE_RANDOM_QUERIES", "400"))
LARGE = 400


@pytest.fixture
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    """Closed after each test: the plans of large queries, which it keeps, take gigabytes."""
    with duckdb.connect() as connection:
        yield connection


@pytest.mark.parametrize("seeds", fresh_batches("delta/random queries", QUERIES // BATCH, BATCH))
def test_random_queries(seeds: range, duck: duckdb.DuckDBPyConnection) -> None:
    for seed in seeds:
        _assert_exact(random_query(seed), seed, duck)


@pytest.mark.parametrize("seed", fresh_seeds("delta/large random queries", LARGE, share=0.05))
def test_large_random_queries(seed: int, duck: duckdb.DuckDBPyConnection) -> None:
    _assert_exact(random_query(seed, parts=6), seed, duck)


def _assert_exact(query: RandomQuery, seed: int, duck: duckdb.DuckDBPyConnection) -> None:
    database = DuckDbTables(query.tables, duck)
    for both in random_versions(query.tables, seed, 2):
        try:
            database.assert_exact(query.sql, both)
            _assert_read_as_written(query, database, duck)
        except Exception as error:
            old, new = both
            raise AssertionError(
                f"seed {seed}: {error}\n{query.sql}\ntables {query.tables}\nold {old}\nnew {new}"
            ) from error


def _assert_read_as_written(
    query: RandomQuery, database: DuckDbTables, duck: duckdb.DuckDBPyConnection
) -> None:
    """What the change was compared with is the result of the query's own text, read by nobody but sqlglot."""
    for version in ("old", "new") if is_translated(query.sql) else ():
        assert database.result(query.sql, version) == rows_at(duck, query.tables, query.plain, version)
