"""A query whose rows stay in the driver: compiled only if it reads many rows."""

from __future__ import annotations

import pytest
from tests import internals
from tests.lake.changes_oracle import Watched

from headrace.connection import Connection
from headrace.lake import driver_memory
from headrace.lake import small_result as module
from headrace.lake.measure import Execution
from headrace.lake.session import LakeSession
from headrace.lake.small_result import SmallResult, small_result

COMPILED = "*("
"""How Spark marks the operators of a plan that it compiles together."""
CODEGEN = "spark.sql.codegen.wholeStage"


@pytest.fixture
def session(lake: Connection) -> LakeSession:
    table = Watched.make(lake, "(k BIGINT, g INT)")
    table.run("INSERT INTO t SELECT id, id % 3 FROM range(100)")
    return table.session


def plan(session: LakeSession) -> str:
    with small_result(session, "SELECT g, sum(k) AS k FROM t GROUP BY g", 10) as found:
        assert isinstance(found, SmallResult)
        assert found.count == 3
        return found.execution.plans[0]


def test_a_query_of_few_rows_is_interpreted_and_the_settings_of_the_session_stay(
    session: LakeSession,
) -> None:
    before = session.setting(CODEGEN)
    assert COMPILED not in plan(session)
    assert session.setting(CODEGEN) == before


def test_a_query_of_more_rows_is_compiled(session: LakeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEW_ROWS", 99)
    with session.settings({CODEGEN: "true", "spark.sql.codegen.factoryMode": "FALLBACK"}):
        assert COMPILED in plan(session)


@pytest.mark.parametrize("partitions", [1, 4])
def test_of_more_rows_than_wanted_none_are_kept(session: LakeSession, partitions: int) -> None:
    query = f"SELECT id FROM range(0, 100, 1, {partitions})"
    with small_result(session, query, 100) as found:
        assert isinstance(found, SmallResult)
        assert sorted(row[0] for row in session.spark.sql(found.readable).collect()) == list(range(100))
    with small_result(session, query, 99) as found:
        assert isinstance(found, Execution)


@pytest.mark.parametrize("partitions", [1, 4])
def test_rows_that_take_more_than_their_share_of_the_heap_are_not_kept(
    session: LakeSession, monkeypatch: pytest.MonkeyPatch, partitions: int
) -> None:
    """Each of 4 partitions is within the share, all of them are not."""
    heap = internals.heap_bytes(session.spark)
    monkeypatch.setattr(driver_memory, "SHARE", heap // 50_000)
    query = "SELECT repeat('x', {width}) AS v FROM range(0, 20, 1, {partitions})"
    with small_result(session, query.format(width=4_000, partitions=partitions), 100) as found:
        assert isinstance(found, Execution)
    with small_result(session, query.format(width=1_000, partitions=partitions), 100) as found:
        assert isinstance(found, SmallResult)
        assert found.count == 20


@pytest.mark.parametrize("partitions", [1, 4])
def test_equal_rows_count_once_where_distinct_rows_are_wanted(session: LakeSession, partitions: int) -> None:
    query = f"SELECT IF(id % 3 = 0, NULL, id % 3) AS k FROM range(0, 30, 1, {partitions})"
    with small_result(session, query, 3, distinct=True) as found:
        assert isinstance(found, SmallResult)
        rows = [row[0] for row in session.spark.sql(found.readable).collect()]
        assert (found.count, len(rows), {*rows}) == (3, 3, {None, 1, 2})
    with small_result(session, query, 2, distinct=True) as found:
        assert isinstance(found, Execution)
