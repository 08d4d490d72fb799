"""The oracle on plain Spark tells what is wrong, whatever Headrace says."""

from __future__ import annotations

import pytest

from headrace.connection import Connection
from tests import internals
from tests.oracle import PlainSpark, assert_plainly_exact

QUERY = "SELECT k, count(*) AS n, avg(v) AS mean FROM t GROUP BY k"


@pytest.fixture
def grouped(lake: Connection) -> Connection:
    lake.sql("CREATE TABLE t (k INT, v INT); INSERT INTO t VALUES (1, 2), (1, 3), (2, NULL)")
    lake.sql(f"CREATE DYNAMIC TABLE d REFRESH_MODE = INCREMENTAL AS {QUERY}; REFRESH DYNAMIC TABLE d")
    return lake


def test_a_table_that_is_right_and_one_that_is_not(grouped: Connection) -> None:
    assert_plainly_exact(grouped, "d", QUERY)
    grouped.sql("INSERT INTO t VALUES (2, 1)")
    with pytest.raises(AssertionError):
        assert_plainly_exact(grouped, "d", QUERY)
    grouped.sql("REFRESH DYNAMIC TABLE d")
    assert_plainly_exact(grouped, "d", QUERY)


def test_a_row_that_headrace_did_not_write(grouped: Connection) -> None:
    internals.spark(grouped).sql(f"DELETE FROM lake.{grouped.schema}.d WHERE k = 2")
    with pytest.raises(AssertionError):
        assert_plainly_exact(grouped, "d", QUERY)


def test_its_catalog_is_icebergs(grouped: Connection) -> None:
    plain = PlainSpark(grouped)
    assert plain.visible_columns("d") == "`k`, `n`, `mean`"
    (hidden,) = plain.rows("SELECT * FROM d WHERE k = 2")
    assert hidden.count(",") > 2
