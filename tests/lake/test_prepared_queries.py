"""Queries of rows in the driver, whose plans are used again: on other rows they give what these give."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from tests.lake.changes_oracle import Watched

from headrace.connection import Connection
from headrace.errors import InternalError
from headrace.lake.session import LakeSession
from headrace.lake.small_result import SmallResult, small_result

Rows = list[tuple[Any, ...]]


@pytest.fixture
def session(lake: Connection) -> LakeSession:
    return Watched.make(lake, "(k BIGINT)").session


def run(session: LakeSession, query: str, *inputs: str) -> Rows:
    """``query`` has ``{0}`` and ``{1}`` where it reads the rows of the inputs, which are queries."""
    with small_result(session, inputs[0], 1000) as first, small_result(session, inputs[-1], 1000) as second:
        assert isinstance(first, SmallResult)
        assert isinstance(second, SmallResult)
        with small_result(session, query.format(first.readable, second.readable), 1000) as found:
            assert isinstance(found, SmallResult)
            rows = session.spark.sql(found.readable).collect()
            assert "Exchange" not in found.execution.plans[0]
            assert len(found.execution.spark_jobs) <= 1
    return sorted((tuple(row) for row in rows), key=repr)


ONE = "SELECT CAST(id AS INT) AS a, id * 10 AS b FROM range({})"
QUERIES = [
    "SELECT a, b FROM ({0}) WHERE a > 0",
    "SELECT sum(b) AS b, count(*) AS n FROM ({0})",
    "SELECT a % 2 AS k, sum(b) AS b FROM ({0}) GROUP BY a % 2 HAVING count(*) > 1",
    "SELECT x.a, y.b FROM ({0}) x JOIN ({0}) y ON x.a = y.a + 1",
    "SELECT x.a, y.b FROM ({0}) x LEFT JOIN ({1}) y ON x.a = y.a",
    "SELECT a FROM ({0}) x WHERE NOT EXISTS (SELECT 1 FROM ({1}) y WHERE y.a = x.a)",
    "SELECT a FROM ({0}) EXCEPT SELECT a FROM ({1})",
    "SELECT a, row_number() OVER (PARTITION BY a % 2 ORDER BY b DESC) AS n FROM ({0})",
    "SELECT x.a, y.a AS c FROM ({0}) x CROSS JOIN ({1}) y WHERE x.b < y.b",
    "SELECT a, v FROM ({0}) LATERAL VIEW explode(array(a, b)) e AS v",
    "WITH r AS (SELECT a, b FROM ({0})) SELECT * FROM r UNION ALL SELECT * FROM r",
    "SELECT a FROM ({0}) UNION ALL SELECT 7",
    "SELECT a, count(*) AS n FROM (SELECT a FROM ({0}) UNION ALL SELECT a FROM ({1})) GROUP BY a",
    "SELECT x.a FROM (SELECT a FROM ({0}) UNION ALL SELECT a FROM ({1})) x JOIN ({0}) y ON x.a <=> y.a",
]


@pytest.mark.parametrize("query", QUERIES)
def test_the_same_query_of_other_rows(session: LakeSession, query: str) -> None:
    for sizes in ((5, 2), (0, 3), (8, 0), (0, 0), (4, 4)):
        inputs = [ONE.format(size) for size in sizes]
        expected = session.spark.sql(query.format(*inputs)).collect()
        assert run(session, query, *inputs) == sorted((tuple(row) for row in expected), key=repr)


def test_rows_beside_constant_ones_in_this_thread_and_by_a_task(session: LakeSession) -> None:
    """A sort of constant rows has a state, which cannot be sent to a task of the next run."""
    query = "SELECT x.a FROM ({0}) x JOIN (VALUES (1), (3)) y(a) ON x.a <=> y.a"
    for rows, jobs in ((5, 0), (6000, 1), (5, 0)):
        with small_result(session, ONE.format(rows), 10_000) as given:
            assert isinstance(given, SmallResult)
            with small_result(session, query.format(given.readable), 1000) as found:
                assert isinstance(found, SmallResult)
                assert len(found.execution.spark_jobs) == jobs
                assert found.count == 2


def test_the_same_text_of_columns_of_other_types(session: LakeSession) -> None:
    query = "SELECT a + a AS a FROM ({0})"
    assert run(session, query, "SELECT 1 AS a") == [(2,)]
    assert run(session, query, "SELECT 1.5D AS a") == [(3.0,)]


def test_a_setting_that_changes_what_a_query_means(session: LakeSession) -> None:
    query, moment = (
        "SELECT CAST(t AS STRING) AS t FROM ({0})",
        "SELECT TIMESTAMP'2026-01-01 12:00:00 UTC' AS t",
    )
    for zone, hour in (("UTC", 12), ("Asia/Tokyo", 21), ("UTC", 12)):
        with session.settings({"spark.sql.session.timeZone": zone}):
            assert run(session, query, moment) == [(f"2026-01-01 {hour}:00:00",)]


def test_the_time_is_not_that_of_the_first_run(session: LakeSession) -> None:
    query = "SELECT current_timestamp() AS t FROM ({0})"
    first, second = (run(session, query, "SELECT 1 AS a")[0][0] for _ in range(2))
    assert isinstance(first, datetime.datetime)
    assert first < second


def test_errors_of_rows_are_those_of_spark(session: LakeSession) -> None:
    query = "SELECT 10 / a AS a FROM ({0})"
    assert run(session, query, "SELECT 5 AS a") == [(2.0,)]
    with pytest.raises(Exception, match="divi"):
        run(session, query, "SELECT 0 AS a")


CHANGES = {
    "a row that comes": ("(1, 'a', 1)", [(1, "a", "insert")]),
    "one that goes": ("(1, 'a', -1)", [(1, "a", "delete")]),
    "one that changes": ("(1, 'a', -1), (1, 'b', 1)", [(1, "b", "update")]),
    "in another order": ("(1, 'b', 1), (1, 'a', -1)", [(1, "b", "update")]),
    "one that comes and goes": ("(1, 'a', 1), (1, 'a', -1)", []),
    "one that comes twice and goes once": ("(1, 'a', 1), (1, 'a', -1), (1, 'a', 1)", [(1, "a", "insert")]),
    "a key that is NULL": ("(NULL, 'a', -1), (NULL, NULL, 1)", [(None, None, "update")]),
}


@pytest.mark.parametrize("case", CHANGES)
def test_weights_are_added_up_by_key(session: LakeSession, case: str) -> None:
    values, expected = CHANGES[case]
    query = f"SELECT CAST(k AS INT) k, v, CAST(w AS BIGINT) w FROM VALUES {values} AS t(k, v, w)"
    with small_result(session, query, 10, net_by=[0]) as found:
        assert isinstance(found, SmallResult)
        rows = session.spark.sql(found.readable).collect()
        assert [(row.k, row.v, row["__hr_action"]) for row in rows] == expected
        assert found.count == len(expected)


def test_zeros_and_what_is_no_number_are_equal_as_in_a_group(session: LakeSession) -> None:
    query = (
        "SELECT * FROM VALUES (1, 0.0D, 1L), (1, -0.0D, -1L), "
        "(2, CAST('NaN' AS DOUBLE), 1L), (2, CAST('NaN' AS DOUBLE), -1L) AS t(k, v, w)"
    )
    with small_result(session, query, 10, net_by=[0]) as found:
        assert isinstance(found, SmallResult)
        assert found.count == 0


@pytest.mark.parametrize("values", ["(1, 'a', 2L)", "(1, 'a', 1L), (1, 'b', 1L)"])
def test_two_changes_to_one_row_are_refused(session: LakeSession, values: str) -> None:
    query = f"SELECT * FROM VALUES {values} AS t(k, v, w)"
    with (
        pytest.raises(InternalError, match="two changes to one row"),
        small_result(session, query, 10, net_by=[0]),
    ):
        raise AssertionError("the rows are wrong")
