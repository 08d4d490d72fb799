"""Least, greatest and different values of groups, followed from what is stored of them."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from headrace.connection import Connection
from headrace.refresh import increment
from tests.oracle import assert_plainly_exact
from tests.refresh.helpers import refresh
from tests.sampling import fresh_seeds

pytestmark = pytest.mark.incremental

QUERIES = (
    "SELECT k, min(x) AS least, max(x) AS most FROM t GROUP BY k",
    "SELECT k, count(*) AS n, sum(x) AS total, max(s) AS last, max(x) - min(x) AS width FROM t GROUP BY k",
    "SELECT min(x) AS least, max(s) AS last, max(f) AS f, bool_or(x > 3) AS large FROM t",
    "SELECT k, max(x) FILTER (WHERE s = 'a') AS a, avg(x) AS mean, min(f) AS f FROM t GROUP BY k",
    "SELECT u.n, max(t.x) AS most, min(u.k) AS k FROM t JOIN u ON t.k = u.k GROUP BY u.n",
    "SELECT k, count(DISTINCT x) AS different FROM t GROUP BY k",
    "SELECT k, count(*) AS n, count(DISTINCT x) AS xs, count(DISTINCT s) AS s, max(x) AS m FROM t GROUP BY k",
    "SELECT count(DISTINCT x) AS xs, count(DISTINCT s) FILTER (WHERE x > 2) AS ss, sum(x) AS total FROM t",
    "SELECT u.n, count(DISTINCT t.x) AS xs, sum(t.x) AS total FROM t JOIN u ON t.k = u.k GROUP BY u.n",
    "SELECT k, max(x) AS most FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.n = t.x) GROUP BY k",
    "SELECT x % 3 AS rest, min(s) AS s, count(DISTINCT f) AS fs FROM t GROUP BY x % 3",
)
VALUES = ("NULL", *map(str, range(6)))
TEXTS = ("NULL", "'a'", "'b'", "'c'")
FLOATS = ("NULL", "double('NaN')", "0.0D", "1.5D", "double('-Infinity')")


def rows(chosen: random.Random, number: int) -> str:
    return ", ".join(
        f"({chosen.choice(VALUES)}, {chosen.choice(VALUES)}, {chosen.choice(TEXTS)}, {chosen.choice(FLOATS)})"
        for _ in range(number)
    )


def changes(chosen: random.Random) -> Iterator[str]:
    yield f"INSERT INTO t VALUES {rows(chosen, 4)}"
    yield f"DELETE FROM t WHERE x = {chosen.randrange(6)}"
    yield f"UPDATE t SET x = {chosen.choice(VALUES)} WHERE k = {chosen.randrange(6)}"
    yield f"UPDATE t SET f = 7 WHERE x = {chosen.randrange(6)}"
    yield f"UPDATE u SET n = {chosen.choice(VALUES)} WHERE k = {chosen.randrange(6)}"
    yield f"DELETE FROM t WHERE k = {chosen.randrange(6)}; INSERT INTO t VALUES {rows(chosen, 3)}"
    yield "DELETE FROM t"
    yield f"INSERT INTO t VALUES {rows(chosen, 6)}; UPDATE u SET n = k % 3"


@pytest.mark.parametrize("by_spark", [False, True], ids=["by Headrace", "by Spark"])
def test_rows_go_from_groups_and_none_from_a_source(
    lake: Connection, monkeypatch: pytest.MonkeyPatch, by_spark: bool
) -> None:
    if by_spark:
        monkeypatch.setattr(increment, "SMALL", -1)
    query = "SELECT k, max(x) AS most FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.n = t.x) GROUP BY k"
    lake.sql(
        "CREATE TABLE t (k INT, x INT); INSERT INTO t VALUES (1, 1), (1, 2), (2, 3); CREATE TABLE u (n INT)"
    )
    lake.sql(f"CREATE DYNAMIC TABLE d REFRESH_MODE = INCREMENTAL AS {query}; REFRESH DYNAMIC TABLE d")
    lake.sql("INSERT INTO u VALUES (2)")
    assert refresh(lake, "d")["refresh_mode"] == "INCREMENTAL"
    assert_plainly_exact(lake, "d", query)


@pytest.mark.parametrize("by_spark", [False, True], ids=["by Headrace", "by Spark"])
@pytest.mark.parametrize("seed", fresh_seeds("group extremes", 6, 0.2))
def test_groups_follow_what_comes_and_goes(
    lake: Connection, monkeypatch: pytest.MonkeyPatch, seed: int, by_spark: bool
) -> None:
    if by_spark:
        monkeypatch.setattr(increment, "SMALL", -1)
    chosen = random.Random(seed)
    lake.sql("CREATE TABLE t (k INT, x INT, s STRING, f DOUBLE); CREATE TABLE u (k INT, n INT)")
    lake.sql(f"INSERT INTO t VALUES {rows(chosen, 20)}; INSERT INTO u SELECT id, id % 3 FROM range(6)")
    tables = {f"d{n}": query for n, query in enumerate(chosen.sample(QUERIES, 4))}
    for table, query in tables.items():
        lake.sql(f"CREATE DYNAMIC TABLE {table} REFRESH_MODE = INCREMENTAL AS {query}")
        lake.sql(f"REFRESH DYNAMIC TABLE {table}")
    for change in chosen.sample(list(changes(chosen)), 5):
        lake.sql(change)
        for table, query in tables.items():
            row = refresh(lake, table)
            assert row["refresh_mode"] in ("INCREMENTAL", "NO_DATA"), row["refresh_mode_reason"]
            assert_plainly_exact(lake, table, query)
