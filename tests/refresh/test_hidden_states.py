"""Sums and averages that are too large for what is kept of a group: the table is what plain Spark gives."""

from __future__ import annotations

import pytest

from headrace.connection import Connection
from headrace.delta.algebraic import INEXACT
from headrace.refresh import increment
from headrace.refresh.layout import Layout
from tests.oracle import assert_exact
from tests.refresh.helpers import failing, refresh

pytestmark = pytest.mark.incremental

MOST, LEAST = 2**63 - 1, -(2**63)
HUGE = 1_790_000_000_000_000_000


def make(lake: Connection, columns: str, query: str, *rows: str) -> None:
    lake.sql(f"CREATE TABLE t ({columns})")
    if rows:
        lake.sql(f"INSERT INTO t VALUES {', '.join(rows)}")
    lake.sql(f"CREATE DYNAMIC TABLE d REFRESH_MODE = INCREMENTAL AS {query}; REFRESH DYNAMIC TABLE d")
    assert_exact(lake, "d", query)


def check(lake: Connection, query: str, change: str, mode: str, reason: str = "") -> None:
    lake.sql(change)
    row = refresh(lake, "d")
    assert_exact(lake, "d", query)
    assert row["refresh_mode"] == mode, row["refresh_mode_reason"]
    assert reason in row["refresh_mode_reason"]


@pytest.mark.parametrize("by_spark", [False, True], ids=["by Headrace", "by Spark"])
def test_averages_of_large_numbers(lake: Connection, monkeypatch: pytest.MonkeyPatch, by_spark: bool) -> None:
    if by_spark:
        monkeypatch.setattr(increment, "SMALL", -1)
    query = "SELECT k, avg(x) AS a, avg(x) FILTER (WHERE x > 5) AS f FROM t GROUP BY k"
    make(lake, "k INT, x BIGINT", query, *[f"(1, {HUGE})"] * 10, "(2, 1)", "(2, 6)", "(3, NULL)")
    check(lake, query, "INSERT INTO t VALUES (2, 4), (3, 7)", "INCREMENTAL")
    check(lake, query, f"INSERT INTO t VALUES (1, {HUGE})", "FULL", INEXACT)
    if by_spark:
        return
    check(lake, query, f"INSERT INTO t VALUES (2, {2**53 - 11})", "INCREMENTAL")
    check(lake, query, f"INSERT INTO t VALUES (4, {2**53 + 1}), (4, {-(2**53) - 1}), (4, 1)", "FULL", INEXACT)
    check(lake, query, "DELETE FROM t WHERE x > 1000 OR x < -1000", "FULL", INEXACT)
    check(lake, query, "INSERT INTO t VALUES (1, 1), (2, 2), (4, 4)", "INCREMENTAL")


def test_a_table_of_an_earlier_version(lake: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose groups have no magnitude: it is recomputed once."""
    query = "SELECT k, avg(x) AS a FROM t GROUP BY k"
    with monkeypatch.context() as patch:
        earlier = "groups(1; __hr_rows, __hr_values1, __hr_sum2)"
        patch.setattr(Layout, "mark", property(lambda _: earlier))
        make(lake, "k INT, x BIGINT", query, "(1, 1)")
    check(lake, query, "INSERT INTO t VALUES (1, 2)", "FULL", "stored its rows in another layout")
    check(lake, query, "INSERT INTO t VALUES (1, 4)", "INCREMENTAL")


def test_averages_of_small_types(lake: Connection) -> None:
    query = "SELECT avg(i) AS i, avg(s) AS s, sum(s) AS total FROM t"
    make(lake, "i INT, s SMALLINT", query)
    check(lake, query, "INSERT INTO t VALUES (-2147483648, -32768), (2147483647, NULL)", "INCREMENTAL")
    check(lake, query, "UPDATE t SET i = 1 WHERE s IS NULL", "INCREMENTAL")
    check(lake, query, "DELETE FROM t WHERE s IS NULL", "INCREMENTAL")


def test_sums_of_products_of_decimals(lake: Connection) -> None:
    """Which have 38 digits; Spark keeps a scale of up to 6 when it adds them."""
    query = (
        "SELECT k, sum(a * (1 - b)) AS four, sum(a * (1 - b) * (1 + c)) AS six, avg(a) AS a FROM t GROUP BY k"
    )
    rows = ["(1, 99999999999.99, 0.05, 0.07)", "(1, 0.01, 0.99, 0.01)", "(2, 1.11, NULL, 0.03)"]
    make(lake, "k INT, a DECIMAL(15, 2), b DECIMAL(15, 2), c DECIMAL(15, 2)", query, *rows)
    said = dict(lake.sql("EXPLAIN REFRESH DYNAMIC TABLE d").fetchall())
    assert "hidden counts, sums" in said["rows identified by"]
    check(
        lake, query, "INSERT INTO t VALUES (1, 12345.67, 0.33, 0.77), (2, -0.01, 0.01, 0.01)", "INCREMENTAL"
    )
    check(lake, query, "UPDATE t SET b = 0.17 WHERE a > 1", "INCREMENTAL")
    check(lake, query, "DELETE FROM t WHERE c = 0.77", "INCREMENTAL")


def test_a_growth_that_overflows(lake: Connection) -> None:
    """The change of a sum can be larger than the sum before and after it."""
    query = "SELECT k, sum(x) AS x, sum(d) AS d FROM t GROUP BY k"
    nines = "9" * 38
    make(lake, "k INT, x BIGINT, d DECIMAL(38, 0)", query, f"(1, {LEAST + 1}, 0)", f"(2, 0, -{nines})")
    failed = "the incremental refresh failed: "
    check(lake, query, f"UPDATE t SET x = {MOST} WHERE k = 1", "FULL", failed)
    check(lake, query, f"UPDATE t SET d = {nines} WHERE k = 2", "FULL", failed)
    check(lake, query, "INSERT INTO t VALUES (3, 1, 1)", "INCREMENTAL")


def test_a_query_that_overflows_fails(lake: Connection) -> None:
    query = "SELECT k, sum(x) AS x FROM t GROUP BY k"
    make(lake, "k INT, x BIGINT", query, f"(1, {MOST})")
    lake.sql("INSERT INTO t VALUES (1, 1)")
    with pytest.raises(lake.DataError, match="overflow") as plain:
        lake.sql(query).fetchall()
    with failing(lake, "d", "overflow"):
        refresh(lake, "d")
    assert "overflow" in plain.value.message
    check(lake, query, "DELETE FROM t WHERE x = 1", "INCREMENTAL")


def test_decimals_of_many_digits(lake: Connection) -> None:
    """Spark rounds the sum of two decimals of 38 digits, and does not when it aggregates them."""
    query = "SELECT k, sum(a) AS a, sum(b) AS b, avg(b) AS ab, sum(c) AS c, avg(c) AS ac FROM t GROUP BY k"
    columns = "k INT, a DECIMAL(38, 10), b DECIMAL(38, 30), c DECIMAL(27, 9)"
    value = "12.123456789012345678901234567891"
    make(lake, columns, query, f"(1, {value}, {value}, {value})", f"(1, 0.0000000001, {value}, 0.000000001)")
    check(lake, query, f"INSERT INTO t VALUES (1, 0.0000000003, {value}, 0.000000003)", "INCREMENTAL")
    check(lake, query, "DELETE FROM t WHERE a = 0.0000000001", "INCREMENTAL")


def test_spread_of_large_numbers(lake: Connection) -> None:
    query = "SELECT k, stddev(x) AS s, var_pop(x) AS v, count(x) AS n FROM t GROUP BY k"
    make(lake, "k INT, x BIGINT", query, f"(1, {HUGE})", f"(1, {HUGE})", "(2, 3)")
    check(lake, query, f"INSERT INTO t VALUES (1, {HUGE}), (2, 5)", "INCREMENTAL")
