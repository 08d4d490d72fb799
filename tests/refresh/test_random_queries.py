"""Random whole queries over random tables, on Spark: each follows random changes, and is exact after each."""

from __future__ import annotations

from random import Random

import pytest

import headrace
from headrace.connection import Connection
from headrace.sql.qualify_clause import without_qualify
from tests.delta.random_queries import Query
from tests.delta.random_tables import Tables
from tests.refresh.helpers import assert_same_bag, refresh
from tests.refresh.random_changes import change, creation, tables_in

QUERIES, ROUNDS = 6, 2
"""Of each batch, which shares its tables."""
BY_DEFAULT, BATCHES = 0, 17

ALLOWED = ("the query is not understood just as Spark understands it",)
"""Why a query may be recomputed: Spark's plans of two texts that mean the same are not always alike."""

STAY = "PROPERTIES ('full_refresh_margin' = '1000')"
"""Small tables are cheaper to recompute; these stay INCREMENTAL."""


@pytest.mark.parametrize(
    "batch",
    [*range(BY_DEFAULT), *(pytest.param(n, marks=pytest.mark.slow) for n in range(BY_DEFAULT, BATCHES))],
)
def test_random_queries_follow_random_changes(lake: Connection, batch: int) -> None:
    rng = Random(batch)
    tables = tables_in(rng, lake.schema)
    lake.sql(creation(rng, tables))
    queries = {f"d{n}": _query(rng, tables, lake) for n in range(QUERIES)}
    wrong = []
    done = []
    for name, query in queries.items():
        lake.sql(f"CREATE DYNAMIC TABLE {name} {STAY} AS {query}; REFRESH DYNAMIC TABLE {name}")
    for _ in range(ROUNDS):
        done.append(change(rng, tables))
        lake.sql(done[-1])
        wrong += [
            f"{name} of batch {batch}: {reason}\n{query}\nafter\n{done[-1]}"
            for name, query in queries.items()
            if (reason := _what_is_wrong(lake, name, query))
        ]
    assert not wrong, "\n\n".join(wrong)


def _query(rng: Random, tables: Tables, lake: Connection) -> str:
    """One that Spark takes: without a subquery beside groups that is no key."""
    while True:
        text = Query(rng, tables, rng.choice((0, 1, 2, 2, 3, 4))).text()
        if _is_taken(lake, text):
            return text


def _is_taken(lake: Connection, query: str) -> bool:
    try:
        lake._bench.session.analyze(without_qualify(query))
    except headrace.ProgrammingError as error:
        if "neither present in GROUP BY" not in error.message:
            raise
        return False
    return True


def _what_is_wrong(lake: Connection, name: str, query: str) -> str | None:
    try:
        row = refresh(lake, name)
        assert_same_bag(lake, name, query)
    except (headrace.Error, AssertionError) as error:
        return str(error)
    if row["refresh_mode"] != "FULL" or any(reason in row["refresh_mode_reason"] for reason in ALLOWED):
        return None
    return str(row["refresh_mode_reason"])
