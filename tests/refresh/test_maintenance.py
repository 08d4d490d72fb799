"""Refreshing for long leaves few files and few versions, and nobody who reads a table notices."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from headrace.connection import Connection
from headrace.errors import Error
from headrace.lake.table.tables import Table
from tests import internals
from tests.oracle import assert_exact
from tests.refresh.helpers import refresh

pytestmark = pytest.mark.incremental

EVENTS = """
CREATE TABLE events (id BIGINT, k INT);
INSERT INTO events SELECT id, CAST(id % 10 AS INT) FROM range(100);
CREATE DYNAMIC TABLE copied AS SELECT id, k + 1 AS k FROM events;
CREATE DYNAMIC TABLE counted AS SELECT k, count(*) AS n FROM copied GROUP BY k;
CREATE DYNAMIC TABLE late AS SELECT id FROM events WHERE k > 3
"""
EVERY, NEWEST = 10, 6


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headrace.refresh.maintenance.EVERY", EVERY)
    monkeypatch.setattr("headrace.refresh.maintenance.NEWEST", NEWEST)
    monkeypatch.setattr("headrace.lake.table.expiry.NEWEST", NEWEST)


def loaded(lake: Connection, table: str) -> Table:
    context = internals.statement_context(lake)
    return context.lake.catalog_session.catalog.existing_table(context.session.resolve((table,)))


def files(lake: Connection, table: str) -> int:
    snapshot = loaded(lake, table).snapshot
    assert snapshot is not None
    return snapshot.count("total-data-files")


def start(lake: Connection) -> None:
    lake.sql(EVENTS)
    for table in ("copied", "counted", "late"):
        refresh(lake, table)


def go_on(lake: Connection, rounds: int) -> None:
    for number in range(rounds):
        lake.sql(f"INSERT INTO events VALUES ({1000 + number}, {number % 10})")
        assert refresh(lake, "copied")["refresh_mode"] == "INCREMENTAL"


def test_files_and_versions_stay_few(lake: Connection) -> None:
    start(lake)
    go_on(lake, 24)
    assert files(lake, "copied") <= EVERY + 2
    assert loaded(lake, "copied").versions_kept > 24  # for those who have seen none of them
    assert_exact(lake, "copied", "SELECT id, k + 1 AS k FROM events")
    assert refresh(lake, "counted")["refresh_mode"] == "INCREMENTAL"
    assert_exact(lake, "counted", "SELECT k, count(*) AS n FROM copied GROUP BY k")
    assert refresh(lake, "late")["refresh_mode"] == "INCREMENTAL"
    assert_exact(lake, "late", "SELECT id FROM events WHERE k > 3")
    assert refresh(lake, "copied")["refresh_mode"] == "NO_DATA"
    go_on(lake, 1)
    assert loaded(lake, "copied").versions_kept <= NEWEST + EVERY
    assert loaded(lake, "events").versions_kept <= NEWEST + EVERY
    assert lake.sql("VERIFY DYNAMIC TABLE copied").df()["result"][0] == "exact"


def test_a_reader_that_is_too_far_behind_is_recomputed(new_lake: Callable[..., Connection]) -> None:
    ahead = timedelta(0)
    lake = new_lake(clock=lambda: datetime.now(UTC) + ahead)
    start(lake)
    go_on(lake, NEWEST + EVERY - 2)
    ahead = timedelta(days=8)
    go_on(lake, 3)
    assert loaded(lake, "events").versions_kept <= 5
    row = refresh(lake, "late")
    assert row["refresh_mode"] == "FULL"
    assert "has expired" in row["refresh_mode_reason"]
    assert_exact(lake, "late", "SELECT id FROM events WHERE k > 3")


def test_a_failure_fails_no_refresh(lake: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    start(lake)

    def fail(*_: object) -> None:
        raise Error("no space left")

    monkeypatch.setattr("headrace.refresh.run.maintain", fail)
    go_on(lake, 1)
    told = lake.sql(
        "SELECT p.phases FROM information_schema.dynamic_table_job_profiles p "
        "JOIN information_schema.dynamic_table_refresh_history h ON h.job_id = p.job_id "
        f"WHERE h.schema_name = '{lake.schema}' AND h.name = 'copied' ORDER BY h.start_time DESC LIMIT 1"
    ).fetchall()[0][0]
    assert "maintenance failed: no space left" in [phase["name"] for phase in told]


class TestOptimize:
    def test_files_are_put_together(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (id BIGINT)")
        for number in range(9):
            lake.sql(f"INSERT INTO t VALUES ({number})")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT id FROM t; REFRESH DYNAMIC TABLE d")
        (row,) = lake.sql("OPTIMIZE t").fetchall()
        assert row[:3] == (f"lake.{lake.schema}.t", 9, 1)
        assert files(lake, "t") == 1
        assert refresh(lake, "d")["refresh_mode"] == "NO_DATA"
        assert lake.sql("OPTIMIZE d").fetchall()[0][1:] == (0, 0, 0)
        assert sorted(lake.sql("SELECT id FROM t").fetchall()) == [(number,) for number in range(9)]
