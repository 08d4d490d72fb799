"""The law: after a refresh the table is its query's result on the source versions that it recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from headrace.connection import Connection
from headrace.refresh import full
from headrace.refresh.record import from_summary
from tests import internals
from tests.oracle import assert_exact
from tests.refresh.helpers import (
    assert_same_bag,
    bag,
    before_computing,
    profile,
    refresh,
    spark_jobs,
    stats,
)

CHANGES = [
    "INSERT INTO t VALUES (1, 'a', 1.5), (1, 'a', 1.5), (2, NULL, NULL), (NULL, NULL, NULL)",
    "INSERT INTO t VALUES (3, 'c', 0.5); INSERT INTO t VALUES (NULL, NULL, NULL); DELETE FROM t WHERE id = 2",
    "UPDATE t SET name = upper(name), amount = NULL WHERE id = 1",
    "DELETE FROM t WHERE id IS NULL",
    """MERGE INTO t USING (SELECT * FROM VALUES (1, 'one'), (9, 'nine') AS v(id, name)) AS s ON t.id <=> s.id
       WHEN MATCHED THEN UPDATE SET name = s.name
       WHEN NOT MATCHED THEN INSERT (id, name, amount) VALUES (s.id, s.name, 9)""",
    "INSERT OVERWRITE t SELECT id, name, amount + 1 FROM t WHERE id <> 3",
    "TRUNCATE TABLE t",
    "INSERT INTO t VALUES (5, 'e', 5)",
]
ROWS = "SELECT id, name, amount FROM t WHERE coalesce(id, 0) < 9"
GROUPS = "SELECT name, count(*) AS n, sum(amount) AS total FROM t GROUP BY name"


@pytest.mark.incremental
@pytest.mark.share(0.2, suite="single tests")
def test_after_every_kind_of_change(lake: Connection) -> None:
    lake.sql("CREATE TABLE t (id INT, name STRING, amount DECIMAL(10, 2))")
    lake.sql(f"CREATE DYNAMIC TABLE rows AS {ROWS}; CREATE DYNAMIC TABLE groups AS {GROUPS}")
    for change in CHANGES:
        lake.sql(change)
        mode = "FULL" if change == CHANGES[0] else "INCREMENTAL"
        assert refresh(lake, "rows")["refresh_mode"] == mode
        assert refresh(lake, "groups")["refresh_mode"] == mode
        assert_exact(lake, "rows", ROWS)
        assert_same_bag(lake, "groups", GROUPS)


TYPES = {
    "b": ("BOOLEAN", "true", "NULL"),
    "i": ("INT", "1", "-2147483648"),
    "l": ("BIGINT", "1", "9223372036854775807"),
    "f": ("FLOAT", "float('nan')", "-0.0"),
    "d": ("DOUBLE", "double('nan')", "double('-inf')"),
    "n": ("DECIMAL(38, 18)", "12345678901234567890.123456789012345678", "-0.000000000000000001"),
    "s": ("STRING", "'it''s \\\\ \\n ü日本'", "''"),
    "x": ("BINARY", "X'00FF'", "X''"),
    "dt": ("DATE", "DATE '0001-01-01'", "DATE '9999-12-31'"),
    "ts": ("TIMESTAMP", "TIMESTAMP '2024-06-01 10:00:00.123456'", "TIMESTAMP '1900-01-01 00:00:00'"),
    "tn": ("TIMESTAMP_NTZ", "TIMESTAMP_NTZ '2024-03-31 02:30:00'", "NULL"),
    "a": ("ARRAY<DOUBLE>", "array(double('nan'), NULL)", "array()"),
    "st": (
        "STRUCT<x: INT, `odd name`: ARRAY<STRUCT<y: STRING>>>",
        "named_struct('x', 1, 'odd name', array(named_struct('y', 'z')))",
        "NULL",
    ),
}
MORE_TYPES = {
    "m": ("MAP<STRING, ARRAY<INT>>", "map('k', array(1, NULL))", "map()"),
    "v": ("VARIANT", "parse_json('{\"a\": [1, null]}')", "NULL"),
    "sm": ("STRUCT<m: MAP<INT, INT>>", "named_struct('m', map(1, 2))", "NULL"),
}


@pytest.mark.incremental
@pytest.mark.parametrize(("types", "way"), [(TYPES, "difference"), (TYPES | MORE_TYPES, "rewrite")])
def test_every_type(lake: Connection, types: dict[str, tuple[str, str, str]], way: str) -> None:
    columns = ", ".join(f"`{name}` {kind}" for name, (kind, _, _) in types.items())
    some, others = (", ".join(values[i] for values in types.values()) for i in (1, 2))
    nulls = ", ".join("NULL" for _ in types)
    lake.sql(f"CREATE TABLE t (k INT, {columns})")
    lake.sql(f"INSERT INTO t VALUES (1, {some}), (2, {others}), (3, {nulls}), (3, {nulls})")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT * FROM t")
    assert stats(refresh(lake, "d")) == (4, 0)
    assert_same_bag(lake, "d", "SELECT * FROM t")

    lake.sql(f"INSERT INTO t VALUES (1, {others})")
    row = refresh(lake, "d", full=True)
    assert profile(lake, row).phases[3].name == f"write ({way})"
    assert stats(row) == ((1, 0) if way == "difference" else (5, 4))
    assert_same_bag(lake, "d", "SELECT * FROM t")

    lake.sql("DELETE FROM t WHERE k = 1")
    refresh(lake, "d")
    assert_same_bag(lake, "d", "SELECT * FROM t")

    lake.sql(f"INSERT INTO t VALUES (4, {some}), (5, {nulls})")
    row = refresh(lake, "d")
    assert (row["refresh_mode"], stats(row)) == ("INCREMENTAL", (2, 0))
    assert_same_bag(lake, "d", "SELECT * FROM t")


def test_empty_sources(lake: Connection) -> None:
    lake.sql("CREATE TABLE t (a INT); CREATE TABLE u (a INT); INSERT INTO u VALUES (1); TRUNCATE TABLE u")
    query = "SELECT t.a, count(*) AS n FROM t JOIN u USING (a) GROUP BY t.a"
    lake.sql(f"CREATE DYNAMIC TABLE none AS {query}; CREATE DYNAMIC TABLE one AS SELECT count(*) AS n FROM t")
    assert stats(refresh(lake, "none")) == (0, 0)
    assert stats(refresh(lake, "one")) == (1, 0)
    assert refresh(lake, "none")["refresh_mode"] == "NO_DATA"
    assert refresh(lake, "one")["refresh_mode"] == "NO_DATA"
    lake.sql("INSERT INTO t VALUES (1), (1); INSERT INTO u VALUES (1)")
    assert stats(refresh(lake, "none")) == (1, 0)
    assert stats(refresh(lake, "one")) == (1, 1)
    assert_same_bag(lake, "none", query)
    lake.sql("TRUNCATE TABLE t")
    assert stats(refresh(lake, "none")) == (0, 1)
    assert lake.sql("SELECT n FROM one").fetchall() == [(2,)]
    refresh(lake, "one")
    assert lake.sql("SELECT n FROM one").fetchall() == [(0,)]


class TestCounts:
    @pytest.fixture
    def tables(self, lake: Connection) -> Connection:
        lake.sql("CREATE TABLE t (a INT, b STRING)")
        lake.sql("INSERT INTO t VALUES (1, 'x'), (1, 'x'), (1, 'x'), (2, NULL), (2, NULL), (3, 'z')")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT a, b FROM t")
        assert stats(refresh(lake, "d")) == (6, 0)
        return lake

    def test_one_of_three_equal_rows_goes(self, tables: Connection) -> None:
        tables.sql("INSERT OVERWRITE t VALUES (1, 'x'), (1, 'x'), (2, NULL), (2, NULL), (3, 'z')")
        assert stats(refresh(tables, "d", full=True)) == (0, 1)
        assert_exact(tables, "d", "SELECT a, b FROM t")

    def test_more_of_equal_rows_come(self, tables: Connection) -> None:
        tables.sql("INSERT INTO t VALUES (2, NULL), (2, NULL), (4, 'new')")
        assert stats(refresh(tables, "d")) == (3, 0)
        assert_exact(tables, "d", "SELECT a, b FROM t")

    def test_an_updated_row_counts_twice(self, tables: Connection) -> None:
        tables.sql("UPDATE t SET b = 'y' WHERE a = 3")
        assert stats(refresh(tables, "d")) == (1, 1)
        assert_exact(tables, "d", "SELECT a, b FROM t")

    @pytest.mark.incremental
    def test_a_change_that_the_query_does_not_see(self, tables: Connection) -> None:
        tables.sql("UPDATE t SET b = b")
        row = refresh(tables, "d")
        assert (row["refresh_mode"], stats(row)) == ("INCREMENTAL", (0, 0))
        assert refresh(tables, "d")["refresh_mode"] == "NO_DATA"

    def test_a_large_table_is_rewritten(self, tables: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(full, "SMALL_ENOUGH_TO_COMPARE", 2)
        tables.sql("DELETE FROM t WHERE a = 1")
        assert stats(refresh(tables, "d", full=True)) == (3, 6)
        tables.sql("INSERT INTO t VALUES (7, 'g')")
        assert stats(refresh(tables, "d", full=True)) == (4, 3)
        assert_exact(tables, "d", "SELECT a, b FROM t")
        tables.sql("TRUNCATE TABLE t")
        assert stats(refresh(tables, "d")) == (0, 4)
        assert tables.sql("SELECT * FROM d").fetchall() == []

    def test_a_large_table_that_others_read_gets_the_difference(
        self, tables: Connection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(full, "SMALL_ENOUGH_TO_COMPARE", 2)
        tables.sql("CREATE DYNAMIC TABLE reader AS SELECT a FROM d; DELETE FROM t WHERE a = 3")
        assert stats(refresh(tables, "d")) == (0, 1)

    def test_rewriting_after_differences(self, tables: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
        tables.sql("DELETE FROM t WHERE a = 1")
        assert stats(refresh(tables, "d")) == (0, 3)
        monkeypatch.setattr(full, "SMALL_ENOUGH_TO_COMPARE", 0)
        tables.sql("INSERT INTO t VALUES (8, 'h')")
        assert stats(refresh(tables, "d", full=True)) == (4, 3)
        assert_exact(tables, "d", "SELECT a, b FROM t")


def test_odd_names(lake: Connection) -> None:
    lake.sql("CREATE TABLE `a b` (`x y` INT, t STRING); INSERT INTO `a b` VALUES (1, 'x'), (1, 'x')")
    query = "SELECT `x y` AS `select`, t, struct(t AS `f g`) AS d, `x y` AS `ü``` FROM `a b`"
    lake.sql(f"CREATE DYNAMIC TABLE `d.e` AS {query}")
    refresh(lake, "`d.e`")
    lake.sql("DELETE FROM `a b`; INSERT INTO `a b` VALUES (1, 'x'), (2, NULL)")
    assert stats(refresh(lake, "`d.e`")) == (2, 2)
    assert_exact(lake, "`d.e`", query)


@pytest.mark.parametrize("small_enough", [0, 1000])
def test_partitions(lake: Connection, monkeypatch: pytest.MonkeyPatch, small_enough: int) -> None:
    monkeypatch.setattr(full, "SMALL_ENOUGH_TO_COMPARE", small_enough)
    lake.sql("CREATE TABLE t (a INT, p STRING); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, NULL)")
    lake.sql("CREATE DYNAMIC TABLE d PARTITIONED BY (p, bucket(2, a)) CLUSTERED BY (a) AS SELECT a, p FROM t")
    refresh(lake, "d")
    lake.sql("DELETE FROM t WHERE p = 'y'; INSERT INTO t VALUES (4, 'z'), (5, 'x')")
    refresh(lake, "d")
    assert_exact(lake, "d", "SELECT a, p FROM t")


def test_negative_zero_and_nan_are_equal_to_themselves(lake: Connection) -> None:
    lake.sql("CREATE TABLE t (f DOUBLE); INSERT INTO t VALUES (double('nan')), (-0.0), (0.0)")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT f FROM t")
    refresh(lake, "d")
    lake.sql("INSERT INTO t VALUES (1.0)")
    assert stats(refresh(lake, "d")) == (1, 0)
    assert_exact(lake, "d", "SELECT f FROM t")


def test_the_snapshot_says_what_it_contains(lake: Connection) -> None:
    lake.sql("CREATE TABLE t (a INT); CREATE TABLE u (a INT); INSERT INTO t VALUES (1)")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT t.a FROM t LEFT JOIN u USING (a)")
    for _ in range(2):
        row = refresh(lake, "d")
        ((summary,),) = lake.sql(
            f"SELECT summary FROM {lake.schema}.d.snapshots ORDER BY committed_at DESC LIMIT 1"
        ).fetchall()
        record = from_summary(summary)
        assert record.refresh_id == row["job_id"]
        versions = {name.table: version.snapshot_id for name, version in record.versions.items()}
        ((head,),) = lake.sql(f"SELECT snapshot_id FROM {lake.schema}.t.refs WHERE name = 'main'").fetchall()
        assert versions == {"t": head, "u": None}
        assert json.loads(row["source_versions"]) == {
            f"lake.{lake.schema}.t": head,
            f"lake.{lake.schema}.u": None,
        }
        definition = internals.definition(lake, "d")
        assert definition is not None
        assert record.fingerprint == definition.definition.fingerprint
        lake.sql("INSERT INTO t VALUES (2)")


class TestPinned:
    """A commit between looking and computing is not half seen."""

    QUERY = "SELECT a, (SELECT count(*) FROM t) AS n FROM t"

    @pytest.mark.incremental
    def test_to_a_written_version(self, lake: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        lake.sql(f"CREATE DYNAMIC TABLE d AS {self.QUERY}")
        with before_computing(lake, monkeypatch, lambda: lake.sql("INSERT INTO t VALUES (2)")):
            row = refresh(lake, "d")
        assert lake.sql("SELECT * FROM d").fetchall() == [(1, 1)]
        (version,) = json.loads(row["source_versions"]).values()
        assert_same_bag(lake, "d", f"SELECT a, 1L FROM t VERSION AS OF {version}")
        assert refresh(lake, "d")["refresh_mode"] == "INCREMENTAL"
        assert_same_bag(lake, "d", self.QUERY)

    def test_to_nothing(self, lake: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
        lake.sql(f"CREATE TABLE t (a INT); CREATE DYNAMIC TABLE d AS {self.QUERY}")
        with before_computing(lake, monkeypatch, lambda: lake.sql("INSERT INTO t VALUES (2)")):
            refresh(lake, "d")
        assert lake.sql("SELECT * FROM d").fetchall() == []
        refresh(lake, "d")
        assert lake.sql("SELECT * FROM d").fetchall() == [(2, 1)]

    def test_while_the_source_is_altered(self, lake: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
        lake.sql("CREATE TABLE t (a INT, b INT); INSERT INTO t VALUES (1, 2)")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT * FROM t")
        alter = "ALTER TABLE t DROP COLUMN b; ALTER TABLE t ADD COLUMN b INT; INSERT INTO t VALUES (3, 4)"
        with before_computing(lake, monkeypatch, lambda: lake.sql(alter)):
            refresh(lake, "d")
        assert lake.sql("SELECT * FROM d").fetchall() == [(1, 2)]
        refresh(lake, "d")
        assert_same_bag(lake, "d", "SELECT * FROM t")


class TestNoData:
    def test_starts_no_job(self, lake: Connection) -> None:
        lake.sql(
            "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); CREATE DYNAMIC TABLE d AS SELECT a FROM t"
        )
        refresh(lake, "d")
        before, rows = spark_jobs(lake), bag(lake, f"SELECT snapshot_id FROM {lake.schema}.d.snapshots")
        jobs_of_reading = spark_jobs(lake) - before
        row = refresh(lake, "d")
        assert spark_jobs(lake) == before + jobs_of_reading
        assert row["refresh_mode"] == "NO_DATA"
        assert (row["stats"], row["rows_read"], row["bytes_read"]) == (None, 0, 0)
        assert row["refresh_mode_reason"] == "no source changed"
        assert bag(lake, f"SELECT snapshot_id FROM {lake.schema}.d.snapshots") == rows

    @pytest.mark.incremental
    def test_after_compaction_of_a_source(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); CREATE DYNAMIC TABLE d AS SELECT a FROM t")
        for number in range(3):
            lake.sql(f"INSERT INTO t VALUES ({number})")
        refresh(lake, "d")
        compact = (
            f"CALL lake.system.rewrite_data_files(table => '{lake.schema}.t', "
            "options => map('min-input-files', '1', 'rewrite-all', 'true'))"
        )
        ((rewritten, *_),) = lake.sql(compact).fetchall()
        assert rewritten == 3
        lake.sql(f"CALL lake.system.rewrite_manifests('{lake.schema}.t')")
        assert refresh(lake, "d")["refresh_mode"] == "NO_DATA"
        lake.sql(f"INSERT INTO t VALUES (9); {compact}")
        assert refresh(lake, "d")["refresh_mode"] == "INCREMENTAL"
        assert_same_bag(lake, "d", "SELECT a FROM t")

    @pytest.mark.incremental
    def test_not_after_a_rollback_of_a_source(self, lake: Connection) -> None:
        lake.sql(
            "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); CREATE DYNAMIC TABLE d AS SELECT a FROM t"
        )
        ((first,),) = lake.sql(f"SELECT snapshot_id FROM {lake.schema}.t.snapshots").fetchall()
        lake.sql("INSERT INTO t VALUES (2)")
        refresh(lake, "d")
        lake.sql(f"CALL lake.system.rollback_to_snapshot('{lake.schema}.t', {first})")
        assert refresh(lake, "d")["refresh_mode"] == "INCREMENTAL"
        assert lake.sql("SELECT a FROM d").fetchall() == [(1,)]


class TestModes:
    def test_forced(self, lake: Connection) -> None:
        lake.sql(
            "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); CREATE DYNAMIC TABLE d AS SELECT a FROM t"
        )
        refresh(lake, "d")
        row = refresh(lake, "d", full=True)
        assert (row["refresh_mode"], row["refresh_mode_reason"]) == ("FULL", "FULL was requested")
        assert stats(row) == (0, 0)
        assert refresh(lake, "d")["refresh_mode"] == "NO_DATA"

    def test_always_full(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        lake.sql("CREATE DYNAMIC TABLE d REFRESH_MODE = FULL AS SELECT a FROM t")
        refresh(lake, "d")
        assert refresh(lake, "d")["refresh_mode"] == "NO_DATA"
        lake.sql("INSERT INTO t VALUES (2)")
        row = refresh(lake, "d")
        assert row["refresh_mode"] == "FULL"
        assert row["refresh_mode_reason"].startswith("REFRESH_MODE = FULL: changed since the last refresh: ")


def test_current_date(new_lake: Callable[..., Connection]) -> None:
    now = datetime(2024, 6, 1, 23, 59, tzinfo=UTC)
    lake = new_lake(clock=lambda: now)
    lake.sql("CREATE TABLE t (day DATE); INSERT INTO t VALUES (DATE '2024-06-01'), (DATE '2024-06-02')")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT day, current_date AS today FROM t WHERE day = current_date()")

    def today(row: dict[str, Any]) -> tuple[str, list[tuple[str, str]]]:
        found = lake.sql("SELECT CAST(day AS STRING), CAST(today AS STRING) FROM d").fetchall()
        return row["refresh_mode"], found

    assert today(refresh(lake, "d")) == ("FULL", [("2024-06-01", "2024-06-01")])
    assert today(refresh(lake, "d")) == ("NO_DATA", [("2024-06-01", "2024-06-01")])
    now = datetime(2024, 6, 2, 0, 1, tzinfo=UTC)
    row = refresh(lake, "d")
    assert today(row) == ("FULL", [("2024-06-02", "2024-06-02")])
    assert row["refresh_mode_reason"] == "current_date is now 2024-06-02"
    assert today(refresh(lake, "d")) == ("NO_DATA", [("2024-06-02", "2024-06-02")])


class TestMissingSources:
    def test_dropped_and_recreated(self, lake: Connection) -> None:
        lake.sql(
            "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); CREATE DYNAMIC TABLE d AS SELECT a FROM t"
        )
        refresh(lake, "d")
        lake.sql("DROP TABLE t")
        for demand in (False, True):
            row = refresh(lake, "d", full=demand)
            assert row["refresh_mode"] == "NO_DATA"
            note = f"lake.{lake.schema}.t does not exist: the rows stay as they are"
            assert row["refresh_mode_reason"] == note
        assert lake.sql("SELECT a FROM d").fetchall() == [(1,)]
        lake.sql("CREATE TABLE t (a INT)")
        row = refresh(lake, "d")
        assert (row["refresh_mode"], stats(row)) == ("FULL", (0, 1))
        lake.sql("INSERT INTO t VALUES (5)")
        refresh(lake, "d")
        assert_same_bag(lake, "d", "SELECT a FROM t")

    def test_replaced_in_place(self, lake: Connection) -> None:
        lake.sql(
            "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); CREATE DYNAMIC TABLE d AS SELECT a FROM t"
        )
        refresh(lake, "d")
        lake.sql("CREATE OR REPLACE TABLE t AS SELECT 7 AS a")
        assert refresh(lake, "d")["refresh_mode"] == "FULL"
        assert lake.sql("SELECT a FROM d").fetchall() == [(7,)]

    def test_a_recreated_dynamic_table_that_is_still_empty(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        upper = "CREATE DYNAMIC TABLE upper AS SELECT a FROM t"
        lake.sql(f"{upper}; CREATE DYNAMIC TABLE lower AS SELECT a FROM upper")
        refresh(lake, "upper")
        refresh(lake, "lower")
        lake.sql(f"DROP DYNAMIC TABLE upper; {upper}; INSERT INTO t VALUES (2)")
        row = refresh(lake, "lower")
        assert row["refresh_mode"] == "NO_DATA"
        assert row["refresh_mode_reason"] == (
            f"lake.{lake.schema}.upper was recreated and has not been refreshed yet: "
            "the rows stay as they are"
        )
        assert lake.sql("SELECT a FROM lower").fetchall() == [(1,)]
        refresh(lake, "upper")
        assert refresh(lake, "lower")["refresh_mode"] == "FULL"
        assert_same_bag(lake, "lower", "SELECT a FROM t")
        assert refresh(lake, "lower")["refresh_mode"] == "NO_DATA"
