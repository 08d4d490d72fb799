"""A query whose rows stay in the driver: compiled only if it reads many rows."""

from __future__ import annotations

import pytest
from tests.lake.changes_oracle import Watched

from headrace.connection import Connection
from headrace.lake import small_result as module
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
    monkeypatch.setattr(module, "_FEW_ROWS", 99)
    assert COMPILED in plan(session)
