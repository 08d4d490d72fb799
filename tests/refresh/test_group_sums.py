"""Sums of groups that had no values before."""

from __future__ import annotations

import pytest

from headrace.connection import Connection
from headrace.refresh import increment
from tests.refresh.helpers import assert_same_bag, refresh

MEASURES = "count(*) AS n, sum(i) AS si, sum(d) AS sd, avg(d) AS ad, sum(i) FILTER (WHERE i > 2) AS fi"
NULLS = "INSERT INTO t VALUES (1, NULL, NULL)"


@pytest.mark.parametrize("by_spark", [False, True], ids=["by Headrace", "by Spark"])
@pytest.mark.parametrize("query", [f"SELECT {MEASURES} FROM t", f"SELECT k, {MEASURES} FROM t GROUP BY k"])
@pytest.mark.parametrize(
    "first",
    [pytest.param("", marks=pytest.mark.share(0.2)), "INSERT INTO t VALUES (1, NULL, NULL)"],
    ids=["empty", "NULL"],
)
def test_values_come_and_go(
    lake: Connection, monkeypatch: pytest.MonkeyPatch, by_spark: bool, query: str, first: str
) -> None:
    if by_spark:
        monkeypatch.setattr(increment, "SMALL", -1)
    lake.sql(f"CREATE TABLE t (k INT, i INT, d DECIMAL(10, 2)); {first}")
    lake.sql(f"CREATE DYNAMIC TABLE g REFRESH_MODE = INCREMENTAL AS {query}; REFRESH DYNAMIC TABLE g")
    for change in (
        "INSERT INTO t VALUES (1, 2, 1.25), (1, 3, NULL)",
        "DELETE FROM t WHERE i IS NOT NULL",
        "INSERT INTO t VALUES (1, 5, 7.5), (2, NULL, NULL)",
    ):
        lake.sql(change)
        assert refresh(lake, "g")["refresh_mode"] == "INCREMENTAL"
        assert_same_bag(lake, "g", query)
