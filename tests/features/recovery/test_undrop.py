"""UNDROP and SHOW TABLES HISTORY."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from headrace import errors
from headrace.connection import Connection
from headrace.features.recovery.store import DroppedObjects
from headrace.lake.table.tables import TableCatalog
from tests import internals
from tests.features.recovery.dropping import Killed, history, killed_after, killed_before, table_uuid
from tests.oracle import assert_exact
from tests.refresh.helpers import refresh

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)


class TestTable:
    def test_with_rows_identity_and_versions(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT) COMMENT 'mine'; INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)")
        uuid, versions = table_uuid(lake, "t"), snapshots(lake, "t")
        lake.sql("DROP TABLE t; UNDROP TABLE t")
        assert (table_uuid(lake, "t"), snapshots(lake, "t")) == (uuid, versions)
        assert lake.sql(f"SELECT a FROM t VERSION AS OF {versions[0]}").fetchall() == [(1,)]
        lake.sql("INSERT INTO t VALUES (3); DELETE FROM t WHERE a = 1")
        assert lake.sql("SELECT a FROM t ORDER BY a").fetchall() == [(2,), (3,)]
        assert history(lake) == []

    def test_the_last_one_dropped_comes_first(self, lake: Connection) -> None:
        for value in (1, 2, 3):
            lake.sql(f"CREATE TABLE t (a INT); INSERT INTO t VALUES ({value}); DROP TABLE t")
        assert [row["rows"] for row in history(lake)] == [1, 1, 1]
        for value in (3, 2, 1):
            lake.sql("UNDROP TABLE t")
            assert lake.sql("SELECT * FROM t").fetchall() == [(value,)]
            lake.sql("DROP TABLE t; UNDROP TABLE t")
            assert lake.sql("SELECT * FROM t").fetchall() == [(value,)]
            lake.sql(f"ALTER TABLE t RENAME TO t{value}")
        with pytest.raises(errors.NotFound, match=r"dropped table \S+ does not exist"):
            lake.sql("UNDROP TABLE t")
        lake.sql("DROP TABLE t1 PURGE; DROP TABLE t2; UNDROP TABLE t2")
        assert lake.table_names() == ["t2", "t3"]

    @pytest.mark.parametrize(
        ("create", "kind"),
        [
            ("CREATE TABLE t (b INT)", "table"),
            ("CREATE VIEW t AS SELECT 1 AS b", "view"),
            ("CREATE DYNAMIC TABLE t AS SELECT 1 AS b", "dynamic table"),
        ],
    )
    def test_the_name_is_taken(self, lake: Connection, create: str, kind: str) -> None:
        lake.sql(f"CREATE TABLE t (a INT); DROP TABLE t; {create}")
        with pytest.raises(errors.AlreadyExists) as caught:
            lake.sql("UNDROP TABLE t")
        assert caught.value.message == f"lake.{lake.schema}.t already exists and is a {kind}"
        assert caught.value.hint == "rename or drop that one first"
        assert len(history(lake)) == 1

    def test_its_schema_is_gone(self, lake: Connection) -> None:
        schema = f"{lake.schema}_b"
        lake.sql(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.t (a INT)")
        lake.sql(f"DROP TABLE {schema}.t; DROP SCHEMA {schema}")
        with pytest.raises(errors.NotFound) as caught:
            lake.sql(f"UNDROP TABLE {schema}.t")
        assert caught.value.message == f"schema lake.{schema} does not exist"
        lake.sql(f"{caught.value.hint}".removesuffix(" first"))
        lake.sql(f"UNDROP TABLE {schema}.t")
        assert len(lake.sql(f"SELECT * FROM {schema}.t")) == 0

    def test_another_program_took_its_rows(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); DROP TABLE t")
        (dropped,) = internals.store(lake).dropped.of_name(internals.table_name(lake, "t"))
        internals.spark(lake).sql(f"DROP TABLE {dropped.kept_as.sql}")
        with pytest.raises(errors.LakeDamaged, match="was removed by another program"):
            lake.sql("UNDROP TABLE t")

    def test_odd_names(self, lake: Connection) -> None:
        name = "`it's ``odd``.表`"
        lake.sql(f"CREATE TABLE {name} (a INT); INSERT INTO {name} VALUES (1); DROP TABLE {name}")
        lake.sql(f"UNDROP TABLE {lake.schema}.{name}")
        assert len(lake.sql(f"SELECT * FROM {name}")) == 1


class TestDynamicTable:
    @pytest.mark.incremental
    def test_with_definition_schedule_and_history(self, lake: Connection) -> None:
        query = "SELECT a, count(*) AS n FROM t GROUP BY a"
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (1)")
        lake.sql(
            "CREATE DYNAMIC TABLE d COMMENT 'counts' PROPERTIES ('owner' = 'ann') "
            f"REFRESH INTERVAL 5 MINUTE VCLUSTER default_ap AS {query}"
        )
        refresh(lake, "d")
        store, name = internals.store(lake), internals.table_name(lake, "d")
        before, uuid = store.definitions.find(name), table_uuid(lake, "d")
        jobs = [row.job_id for row in store.refreshes.history(name)]
        lake.sql("DROP DYNAMIC TABLE d; INSERT INTO t VALUES (1), (2); UNDROP DYNAMIC TABLE d")
        assert (store.definitions.find(name), table_uuid(lake, "d")) == (before, uuid)
        assert [row.job_id for row in store.refreshes.history(name)] == jobs
        assert refresh(lake, "d")["refresh_mode"] == "INCREMENTAL"
        assert_exact(lake, "d", query)
        (row,) = lake.sql(f"SHOW DYNAMIC TABLES IN {lake.schema}").df().to_dict("records")
        assert (row["state"], row["refresh_interval"]) == ("active", timedelta(minutes=5))
        with pytest.raises(errors.Refused, match="only a refresh can change its rows"):
            lake.sql("DELETE FROM d")

    def test_undrop_table_brings_it_too(self, lake: Connection) -> None:
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT 1 AS a; DROP DYNAMIC TABLE d; UNDROP TABLE d")
        assert refresh(lake, "d")["refresh_mode"] == "FULL"

    def test_of_two_kinds_under_one_name(self, lake: Connection) -> None:
        lake.sql("CREATE DYNAMIC TABLE x AS SELECT 1 AS a; DROP DYNAMIC TABLE x")
        lake.sql("CREATE TABLE x (b INT); DROP TABLE x; UNDROP DYNAMIC TABLE x")
        assert refresh(lake, "x")["state"] == "SUCCEED"
        lake.sql("DROP DYNAMIC TABLE x; CREATE TABLE x (c INT); DROP TABLE x; UNDROP TABLE x")
        assert lake.sql("SELECT * FROM x").columns == ["c"]

    def test_the_wrong_kind(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); DROP TABLE t")
        with pytest.raises(errors.Refused) as caught:
            lake.sql("UNDROP DYNAMIC TABLE t")
        assert caught.value.message == f"the dropped lake.{lake.schema}.t is not a dynamic table"
        assert caught.value.hint == f"use UNDROP TABLE lake.{lake.schema}.t"

    def test_in_a_circle(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE x (a INT); CREATE DYNAMIC TABLE d AS SELECT a FROM x")
        lake.sql("DROP DYNAMIC TABLE d; DROP TABLE x; CREATE TABLE d (a INT)")
        lake.sql("CREATE DYNAMIC TABLE middle AS SELECT a FROM d")
        lake.sql("CREATE DYNAMIC TABLE x AS SELECT a FROM middle; DROP TABLE d PURGE")
        with pytest.raises(errors.Refused) as caught:
            lake.sql("UNDROP TABLE d")
        here = f"lake.{lake.schema}"
        assert caught.value.message == (
            "dynamic tables cannot depend on each other in a cycle: "
            f"{here}.d reads {here}.x reads {here}.middle reads {here}.d"
        )
        lake.sql("DROP DYNAMIC TABLE x; UNDROP TABLE d")

    def test_a_new_one_keeps_a_history_of_its_own(self, lake: Connection) -> None:
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT 1 AS a; REFRESH DYNAMIC TABLE d; DROP DYNAMIC TABLE d")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT 2 AS a; DROP DYNAMIC TABLE d; UNDROP TABLE d")
        (row,) = lake.sql(f"SHOW DYNAMIC TABLES IN {lake.schema}").df().to_dict("records")
        assert row["state"] == "never refreshed"


class TestRetention:
    def test_until_it_has_passed(self, new_lake: Callable[..., Connection]) -> None:
        now = NOON
        lake = new_lake(clock=lambda: now)
        lake.sql("CREATE TABLE t (a INT); DROP TABLE t")
        lake.sql("CREATE TABLE week (a INT) TBLPROPERTIES ('data_retention_days' = '7'); DROP TABLE week")
        (week, day) = history(lake)
        assert (week["retention_days"], day["retention_days"]) == (7, 1)
        assert day["dropped_time"] == NOON
        now = NOON + timedelta(days=1, microseconds=-1)
        lake.sql("UNDROP TABLE t; DROP TABLE t")
        assert history(lake)[0]["undrop_until"] == now + timedelta(days=1)
        now += timedelta(days=1)
        assert [row["table_name"] for row in history(lake)] == ["week"]
        with pytest.raises(errors.NotFound) as caught:
            lake.sql("UNDROP TABLE t")
        assert caught.value.message == (
            "lake.public.t can no longer be undropped: its retention ended at 2024-06-03 11:59:59"
        )
        lake.sql("UNDROP TABLE week")


class TestHistory:
    def test_filters(self, lake: Connection) -> None:
        for name in ("alpha", "beta", "gamma"):
            lake.sql(f"CREATE TABLE {name} (a INT); DROP TABLE {name}")

        def names(rest: str) -> list[str]:
            return [row["table_name"] for row in history(lake, rest=rest)]

        assert names("") == ["gamma", "beta", "alpha"]
        assert names("LIKE '%m%'") == ["gamma"]
        assert names("WHERE rows = 0 AND undrop_until > now() AND table_name < 'c'") == ["beta", "alpha"]
        assert names("LIMIT 1") == ["gamma"]
        everywhere = lake.sql("SHOW TABLES HISTORY WHERE schema_name = ?", [lake.schema])
        assert len(everywhere) == 3
        assert list(history(lake)[0]) == [
            "schema_name",
            "table_name",
            "kind",
            "created_time",
            "dropped_time",
            "retention_days",
            "undrop_until",
            "rows",
            "bytes",
        ]


class TestKilled:
    @pytest.mark.incremental
    def test_while_undropping(
        self, new_lake: Callable[..., Connection], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Either it is back, or it is still to be undropped."""
        lake = new_lake()
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT a FROM t; REFRESH DYNAMIC TABLE d")
        before = table_uuid(lake, "t"), table_uuid(lake, "d")
        for kill, step, is_back in (
            (killed_after, "begin_undrop", False),
            (killed_before, "finish_undrop", True),
            (killed_after, "finish_undrop", True),
        ):
            lake.sql("DROP TABLE t; DROP DYNAMIC TABLE d")
            for statement in ("UNDROP TABLE t", "UNDROP DYNAMIC TABLE d"):
                with monkeypatch.context() as patch, pytest.raises(Killed):
                    kill(patch, DroppedObjects, step)
                    lake.sql(statement)
            lake.close()
            lake = new_lake()
            assert internals.store(lake).dropped.unfinished() == []
            assert lake.table_names() == (["d", "t"] if is_back else [])
            if not is_back:
                lake.sql("UNDROP TABLE t; UNDROP TABLE d")
            assert history(lake) == []
            assert (table_uuid(lake, "t"), table_uuid(lake, "d")) == before
        lake.sql("INSERT INTO t VALUES (2)")
        assert refresh(lake, "d")["refresh_mode"] == "INCREMENTAL"
        assert_exact(lake, "d", "SELECT a FROM t")

    def test_a_failure_leaves_it_dropped(self, lake: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT 1 AS a; DROP DYNAMIC TABLE d")
        with monkeypatch.context() as patch, pytest.raises(Killed):
            killed_before(patch, TableCatalog, "rename")
            lake.sql("UNDROP TABLE d")
        assert len(history(lake)) == 1
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT 2 AS b; DROP DYNAMIC TABLE d; UNDROP TABLE d")
        assert refresh(lake, "d")["state"] == "SUCCEED"


@pytest.mark.incremental
def test_many_at_once(lake: Connection) -> None:
    """Whoever comes first has it; the table is never lost and never there twice."""
    lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT a FROM t; REFRESH DYNAMIC TABLE d")
    before = table_uuid(lake, "t"), table_uuid(lake, "d")
    moves = ("DROP TABLE t", "UNDROP TABLE t", "DROP DYNAMIC TABLE d", "UNDROP TABLE d", "DROP TABLE d")

    def move(number: int) -> None:
        with suppress(errors.NotFound, errors.AlreadyExists, errors.Refused):
            lake.sql(moves[number % len(moves)])

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(move, range(60)))
    assert len(lake.table_names()) + len(history(lake)) == 2
    for name in {"t", "d"} - set(lake.table_names()):
        lake.sql(f"UNDROP TABLE {name}")
    assert (table_uuid(lake, "t"), table_uuid(lake, "d")) == before
    lake.sql("INSERT INTO t VALUES (2)")
    assert refresh(lake, "d")["refresh_mode"] == "INCREMENTAL"
    assert_exact(lake, "d", "SELECT a FROM t")


def snapshots(lake: Connection, table: str) -> list[int]:
    found = lake.sql(f"SELECT snapshot_id FROM {lake.schema}.{table}.snapshots ORDER BY committed_at")
    return [snapshot for (snapshot,) in found.fetchall()]
