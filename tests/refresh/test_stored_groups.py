"""Groups of aggregates inside a query are stored, and the query follows their changes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from headrace.connection import Connection
from headrace.errors import OperationalError, RefreshFailed
from headrace.model.names import TableName
from headrace.refresh import run, stored_groups
from tests import internals
from tests.oracle import assert_plainly_exact, plain_session
from tests.refresh.helpers import as_dict, profile, refresh
from tests.refresh.thresholds import draw_thresholds
from tests.sampling import fresh_seeds

pytestmark = pytest.mark.incremental

HAVING = "SELECT k, sum(x) AS total FROM t GROUP BY k HAVING count(*) >= 2"
NESTED = (
    "SELECT n, count(*) AS keys, sum(total) AS total FROM "
    "(SELECT k, count(*) AS n, sum(x) AS total FROM t GROUP BY k) GROUP BY n"
)
QUERIES = (
    HAVING,
    NESTED,
    "SELECT k, count(*) AS n FROM t WHERE x > 1 GROUP BY k HAVING sum(x) > 4 AND k > 1",
    "SELECT k, max(x) AS most FROM t GROUP BY k HAVING min(x) < max(x)",
    "SELECT u.n, sum(t.x) AS total FROM t JOIN u ON t.k = u.k GROUP BY u.n HAVING count(t.x) > 1",
    "SELECT t.k, t.x, a.mean FROM t JOIN (SELECT k, avg(x) AS mean FROM t GROUP BY k) a ON t.k = a.k",
    "SELECT u.k, a.n, b.n AS m FROM u LEFT JOIN (SELECT k, count(*) AS n FROM t GROUP BY k) a ON u.k = a.k "
    "LEFT JOIN (SELECT x, count(DISTINCT k) AS n FROM t GROUP BY x) b ON u.n = b.x",
    "SELECT n, max(total) AS most FROM (SELECT k, count(*) AS n, sum(x) AS total FROM t GROUP BY k) "
    "GROUP BY n",
    "SELECT m, count(*) AS n FROM (SELECT n, max(total) AS m FROM "
    "(SELECT k, count(*) AS n, sum(x) AS total FROM t GROUP BY k) GROUP BY n) GROUP BY m",
    "SELECT k, x FROM t WHERE x > (SELECT avg(x) FROM t)",
    "SELECT k, n, rank() OVER (ORDER BY n DESC, k) AS place FROM (SELECT k, count(*) AS n FROM t GROUP BY k)",
    "SELECT k, count(*) AS n FROM t GROUP BY k HAVING n > 1 UNION ALL SELECT n, count(*) FROM u GROUP BY n",
    "SELECT DISTINCT n FROM (SELECT k, count(*) AS n FROM t GROUP BY k)",
)
VALUES = ("NULL", *map(str, range(5)))


def rows(chosen: random.Random, number: int) -> str:
    return ", ".join(f"({chosen.choice(VALUES)}, {chosen.choice(VALUES)})" for _ in range(number))


def changes(chosen: random.Random) -> Iterator[str]:
    yield f"INSERT INTO t VALUES {rows(chosen, 4)}"
    yield f"DELETE FROM t WHERE x = {chosen.randrange(5)}"
    yield f"UPDATE t SET x = {chosen.choice(VALUES)} WHERE k = {chosen.randrange(5)}"
    yield f"UPDATE t SET k = {chosen.choice(VALUES)} WHERE x = {chosen.randrange(5)}"
    yield f"UPDATE u SET n = {chosen.choice(VALUES)} WHERE k = {chosen.randrange(5)}"
    yield f"DELETE FROM t WHERE k = {chosen.randrange(5)}; INSERT INTO t VALUES {rows(chosen, 3)}"
    yield "DELETE FROM t"
    yield f"INSERT INTO t VALUES {rows(chosen, 6)}; UPDATE u SET n = k % 3"


def make(lake: Connection, table: str, query: str) -> None:
    lake.sql(
        f"CREATE DYNAMIC TABLE {table} REFRESH_MODE = INCREMENTAL PROPERTIES ('state' = 'always') AS {query}"
    )
    lake.sql(f"REFRESH DYNAMIC TABLE {table}")


def fill(lake: Connection, chosen: random.Random) -> None:
    lake.sql("CREATE TABLE t (k INT, x INT); CREATE TABLE u (k INT, n INT)")
    lake.sql(f"INSERT INTO t VALUES {rows(chosen, 20)}; INSERT INTO u SELECT id, id % 3 FROM range(5)")


def stored(lake: Connection) -> list[str]:
    return internals.session(lake).catalog.hidden_tables("__hr_state")


def reads_groups(lake: Connection, row: dict[str, Any]) -> bool:
    """Whether the change of the table was computed from that of stored groups."""
    return any(
        stage.stage == "stage changes" and stage.detail.startswith("lake.__hr_state.")
        for stage in profile(lake, row).stages
    )


def verified(lake: Connection, table: str) -> tuple[str, int, int]:
    row = as_dict(lake.sql(f"VERIFY DYNAMIC TABLE {table}"))
    return row["result"], row["stored_groups"], row["wrong_stored_groups"]


@pytest.mark.parametrize("seed", fresh_seeds("stored groups", 12, 0.1))
def test_queries_follow_their_stored_groups(
    lake: Connection, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Also where refreshes end between the two commits."""
    chosen = random.Random(seed)
    drawn = draw_thresholds(chosen, monkeypatch)
    fill(lake, chosen)
    tables = {f"d{n}": query for n, query in enumerate(chosen.sample(QUERIES, 3))}
    for table, query in tables.items():
        make(lake, table, query)
    for change in chosen.sample(list(changes(chosen)), 4):
        lake.sql(change)
        for table, query in tables.items():
            if chosen.random() < 0.3:
                end_between_the_commits(lake, monkeypatch, table)
                continue
            row = refresh(lake, table)
            said = (seed, drawn, change, query, row["refresh_mode_reason"])
            assert row["refresh_mode"] in ("INCREMENTAL", "NO_DATA"), said
            assert_plainly_exact(lake, table, query)
            assert verified(lake, table)[::2] == ("exact", 0), said


def end_between_the_commits(lake: Connection, monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    """The stored groups are brought forward, and their table is not."""

    def end(*_: object, **__: object) -> None:
        raise OperationalError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(run, "plan_over_groups", end)
        try:
            refresh(lake, table)
        except RefreshFailed as failed:
            assert "the disk is full" in failed.message


@pytest.mark.parametrize("query", [HAVING, NESTED])
def test_a_refresh_reads_the_change_of_the_groups(lake: Connection, query: str) -> None:
    before = stored(lake)
    lake.sql("CREATE TABLE t (k INT, x INT); INSERT INTO t SELECT id % 10, id FROM range(100)")
    make(lake, "d", query)
    assert len(stored(lake)) == len(before) + 1
    lake.sql("INSERT INTO t VALUES (3, 1), (11, 2); DELETE FROM t WHERE x = 17; INSERT INTO t VALUES (11, 2)")
    shown = [
        detail
        for item, detail in lake.sql("EXPLAIN REFRESH DYNAMIC TABLE d").fetchall()
        if item == "stored groups"
    ]
    assert len(shown) == 1
    assert "10 rows" in shown[0]
    assert shown[0].startswith("group by k: ")
    row = refresh(lake, "d")
    assert row["refresh_mode"] == "INCREMENTAL", row["refresh_mode_reason"]
    assert reads_groups(lake, row)
    assert_plainly_exact(lake, "d", query)
    assert verified(lake, "d") == ("exact", 1, 0)
    assert row["rows_read"] < 50


def test_groups_are_stored_once_a_refresh_has_read_many_rows(
    lake: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_groups, "MANY_FOUND", 100)
    before = stored(lake)
    lake.sql("CREATE TABLE t (k INT, x INT); INSERT INTO t SELECT id % 2, id FROM range(500)")
    lake.sql(f"CREATE DYNAMIC TABLE d AS {HAVING}; REFRESH DYNAMIC TABLE d")
    done = []
    for value in range(3):
        assert len(stored(lake)) == len(before) + (value == 2)
        lake.sql(f"INSERT INTO t VALUES (1, {value})")
        done.append(refresh(lake, "d"))
        assert_plainly_exact(lake, "d", HAVING)
    assert [reads_groups(lake, row) for row in done] == [False, False, True]
    assert done[-1]["rows_read"] < 20
    lake.sql("ALTER DYNAMIC TABLE d SET PROPERTIES ('state' = 'none'); INSERT INTO t VALUES (1, 1)")
    assert not reads_groups(lake, refresh(lake, "d"))
    assert_plainly_exact(lake, "d", HAVING)
    assert stored(lake) == before


def test_groups_that_are_ahead_are_followed_from_where_they_were_read(
    lake: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(lake, random.Random(1))
    make(lake, "d", HAVING)
    lake.sql("INSERT INTO t VALUES (1, 1), (2, 2)")
    end_between_the_commits(lake, monkeypatch, "d")
    lake.sql("DELETE FROM t WHERE k = 2; INSERT INTO t VALUES (7, 7), (7, 8)")
    row = refresh(lake, "d")
    assert row["refresh_mode"] == "INCREMENTAL"
    assert reads_groups(lake, row)
    assert_plainly_exact(lake, "d", HAVING)


@pytest.mark.parametrize("loss", ["dropped", "written to by another program", "rolled back"])
def test_lost_groups_are_made_again(lake: Connection, loss: str) -> None:
    before = set(stored(lake))
    fill(lake, random.Random(2))
    make(lake, "d", HAVING)
    (name,) = {*stored(lake)} - before
    spark = internals.spark(lake)
    table = f"lake.__hr_state.{name}"
    match loss:
        case "dropped":
            spark.sql(f"DROP TABLE {table} PURGE")
        case "rolled back":
            lake.sql("INSERT INTO t VALUES (1, 1), (2, 2)")
            refresh(lake, "d")
            first = spark.sql(f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at").first()
            assert first is not None
            spark.sql(f"CALL lake.system.rollback_to_snapshot('__hr_state.{name}', {first[0]})")
        case _:
            spark.sql(f"DELETE FROM {table} WHERE true")
    for change in ("INSERT INTO t VALUES (1, 1), (2, 2)", "DELETE FROM t WHERE x = 1"):
        lake.sql(change)
        row = refresh(lake, "d")
        assert_plainly_exact(lake, "d", HAVING)
    assert reads_groups(lake, row)
    assert verified(lake, "d") == ("exact", 1, 0)


def test_wrong_groups_are_found_by_verify(lake: Connection) -> None:
    """As an error in Headrace would leave them: with the record of a refresh."""
    before = set(stored(lake))
    fill(lake, random.Random(3))
    make(lake, "d", HAVING)
    (name,) = {*stored(lake)} - before
    table = TableName("lake", "__hr_state", name)
    snapshot = internals.session(lake).catalog.existing_table(table).snapshot
    assert snapshot is not None
    spark = plain_session(lake, {".cache-enabled": "false"})
    for key, value in snapshot.summary.items():
        if key.startswith("headrace."):
            spark.conf.set(f"spark.sql.iceberg.snapshot-property.{key}", value)
    measure = next(
        field.name for field in spark.table(table.sql).schema if field.dataType.simpleString() == "bigint"
    )
    spark.sql(f"UPDATE {table.sql} SET {measure} = {measure} + 1")
    lake.sql("INSERT INTO t VALUES (1, 1), (1, 2)")
    refresh(lake, "d")
    assert verified(lake, "d")[1:] == (1, 1)
    assert name not in stored(lake)
    refresh(lake, "d", full=True)
    assert_plainly_exact(lake, "d", HAVING)
    assert verified(lake, "d") == ("exact", 1, 0)


def test_groups_go_with_their_table(lake: Connection) -> None:
    before = set(stored(lake))
    fill(lake, random.Random(4))
    make(lake, "d", HAVING)
    (first,) = {*stored(lake)} - before
    lake.sql("ALTER DYNAMIC TABLE d RENAME TO e; DROP DYNAMIC TABLE e; UNDROP TABLE e; VACUUM")
    lake.sql("INSERT INTO t VALUES (1, 1), (2, 2)")
    assert reads_groups(lake, refresh(lake, "e"))
    query = HAVING.replace("FROM t", "FROM t WHERE x > 0")
    lake.sql(
        "CREATE OR REPLACE DYNAMIC TABLE e REFRESH_MODE = INCREMENTAL "
        f"PROPERTIES ('state' = 'always') AS {query}"
    )
    refresh(lake, "e", full=True)
    (second,) = {*stored(lake)} - before
    assert second != first
    lake.sql("INSERT INTO t VALUES (1, 1), (2, 2)")
    assert reads_groups(lake, refresh(lake, "e"))
    assert_plainly_exact(lake, "e", query)


def test_vacuum_deletes_groups_of_no_table(lake: Connection) -> None:
    fill(lake, random.Random(6))
    make(lake, "d", HAVING)
    needed = stored(lake)
    plain_session(lake, {}).sql("CREATE TABLE lake.__hr_state.gone_1 (a INT) USING iceberg")
    notices = lake.sql("VACUUM").notices
    assert any("of stored groups that belong to no dynamic table" in notice for notice in notices)
    assert stored(lake) == needed


def test_groups_are_hidden(lake: Connection) -> None:
    fill(lake, random.Random(5))
    make(lake, "d", HAVING)
    assert ["__hr_state"] not in [list(row) for row in lake.sql("SHOW SCHEMAS").fetchall()]
    with pytest.raises(lake.ProgrammingError, match="stored groups"):
        lake.sql("SHOW TABLES IN __hr_state")
    assert "__hr_state" not in {
        schema
        for (schema,) in lake.sql("SELECT DISTINCT table_schema FROM information_schema.tables").fetchall()
    }
