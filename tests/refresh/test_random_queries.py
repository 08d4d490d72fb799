"""Random whole queries over random tables, on Spark: each follows random changes, and is exact after each."""

from __future__ import annotations

from random import Random

import pytest
from pyspark.errors import AnalysisException

import headrace
from headrace.connection import Connection
from tests.delta.random_queries import RandomQuery, query_over
from tests.delta.random_tables import Tables
from tests.oracle import PlainSpark, assert_plainly_exact
from tests.refresh.helpers import refresh
from tests.refresh.random_changes import change, creation, tables_in
from tests.refresh.schema_evolution import WHY_FULL, Evolution
from tests.refresh.thresholds import draw_thresholds
from tests.sampling import fresh_seeds

QUERIES, ROUNDS = 6, 2
"""Of each batch, which shares its tables."""
BATCHES = 17

ALLOWED = ("Headrace does not interpret the query exactly as Spark does", "times cheaper: ", *WHY_FULL)
"""Why a query may be recomputed: Spark's plans of two texts that mean the same are not always alike."""

CHOICES = (
    "",
    "PROPERTIES ('full_refresh_margin' = '1000')",
    "PROPERTIES ('full_refresh_margin' = '1000', 'state' = 'always')",
    "PROPERTIES ('full_refresh_margin' = '1000', 'state' = 'none')",
)
"""The cost decides; or the table stays INCREMENTAL though it is small, and cheaper to recompute: with indexes
of the rows that it looks up where they pay, always, or never."""


@pytest.mark.parametrize("batch", fresh_seeds("refresh/random queries", BATCHES, share=0.1))
def test_random_queries_follow_random_changes(
    lake: Connection, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random(batch)
    drawn = draw_thresholds(rng, monkeypatch)
    tables = tables_in(rng, lake.schema)
    lake.sql(creation(rng, tables))
    plain = PlainSpark(lake)
    evolutions = {str(name): Evolution(rng, columns) for name, columns in tables.items()}
    queries = {f"d{n}": _query(rng, tables, plain) for n in range(QUERIES)}
    wrong = []
    done = []
    for name, query in queries.items():
        clause = rng.choice(CHOICES)
        lake.sql(f"CREATE DYNAMIC TABLE {name} {clause} AS {query.sql}; REFRESH DYNAMIC TABLE {name}")
    for _ in range(ROUNDS):
        done.append(";\n".join([*_altered(rng, evolutions), change(rng, tables)]))
        lake.sql(done[-1])
        wrong += [
            f"{name} of batch {batch} ({drawn}): {reason}\n{query.sql}\nafter\n{done[-1]}"
            for name, query in queries.items()
            if (reason := _what_is_wrong(lake, name, query))
        ]
    assert not wrong, "\n\n".join(wrong)


def _altered(rng: Random, evolutions: dict[str, Evolution]) -> list[str]:
    """In one round of three a table gets other columns."""
    if rng.random() > 1 / 3:
        return []
    table, evolution = rng.choice(list(evolutions.items()))
    return [statement.format(table=table) for statement in evolution.statements()]


def _query(rng: Random, tables: Tables, plain: PlainSpark) -> RandomQuery:
    """One that Spark takes: without a subquery beside groups that is no key."""
    while True:
        query = query_over(rng, tables, rng.choice((0, 1, 2, 2, 3, 4)))
        if _is_taken(plain, query.plain):
            return query


def _is_taken(plain: PlainSpark, query: str) -> bool:
    try:
        plain.analyze(query)
    except AnalysisException as error:
        if "neither present in GROUP BY" not in str(error):
            raise
        return False
    return True


def _what_is_wrong(lake: Connection, name: str, query: RandomQuery) -> str | None:
    try:
        row = refresh(lake, name)
        assert_plainly_exact(lake, name, query.plain)
    except (headrace.Error, AssertionError) as error:
        return str(error)
    if row["refresh_mode"] != "FULL" or any(reason in row["refresh_mode_reason"] for reason in ALLOWED):
        return None
    return str(row["refresh_mode_reason"])
