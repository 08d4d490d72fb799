"""PIVOT and UNPIVOT against what they stand for: DuckDB has them in another form."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.delta.duckdb_tables import DuckDbTables, Versions
from tests.delta.test_rules import versions

SAME = {
    "SELECT * FROM lake.p.t PIVOT (sum(d) FOR b IN ('x', 'y' AS why))": (
        "SELECT a, sum(d) FILTER (WHERE b = 'x') AS x, sum(d) FILTER (WHERE b = 'y') AS why "
        "FROM lake.p.t GROUP BY a"
    ),
    "SELECT a, x_n, y_m FROM lake.p.t PIVOT (count(d) AS n, max(d) AS m FOR b IN ('x', 'y'))": (
        "SELECT a, CASE WHEN count(*) FILTER (WHERE b = 'x') > 0 THEN count(d) FILTER (WHERE b = 'x') END "
        "AS x_n, max(d) FILTER (WHERE b = 'y') AS y_m FROM lake.p.t GROUP BY a"
    ),
    "SELECT * FROM lake.p.v PIVOT (count(*) FOR (k, b) IN ((1, 'x') AS p, (2, '') AS q))": (
        "SELECT nullif(count(*) FILTER (WHERE k = 1 AND b = 'x'), 0) AS p, "
        "nullif(count(*) FILTER (WHERE k = 2 AND b = ''), 0) AS q FROM lake.p.v"
    ),
    "SELECT * FROM lake.p.u UNPIVOT (v FOR n IN (a, k AS kay))": (
        "SELECT 'a' AS n, a AS v FROM lake.p.u WHERE a IS NOT NULL UNION ALL "
        "SELECT 'kay' AS n, k AS v FROM lake.p.u WHERE k IS NOT NULL"
    ),
    "SELECT * FROM lake.p.t UNPIVOT INCLUDE NULLS (v FOR n IN (a))": (
        "SELECT b, d, 'a' AS n, a AS v FROM lake.p.t"
    ),
}


@pytest.mark.parametrize("query", SAME)
def test_pivoted_columns_equal_recomputation(query: str) -> None:
    database = DuckDbTables()

    @settings(max_examples=60)
    @given(versions())
    def check(both: Versions) -> None:
        database.assert_exact(query, both, SAME[query])

    check()
