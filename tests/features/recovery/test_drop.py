"""What is dropped is kept, out of sight, for its retention."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from headrace import errors
from headrace.connection import Connection
from headrace.lake.table.tables import TableCatalog
from headrace.model.names import DROPPED_SCHEMA
from tests import internals
from tests.features.recovery.dropping import (
    Killed,
    directory_of,
    files_of,
    history,
    killed_before,
)

SETUP = "CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2)"


class TestTable:
    def test_it_is_kept_and_its_name_is_free(self, lake: Connection) -> None:
        lake.sql(SETUP)
        directory = directory_of(lake, "t")
        before = files_of(directory)
        lake.sql("DROP TABLE t")
        with pytest.raises(errors.NotFound, match="table or view t does not exist"):
            lake.sql("SELECT * FROM t")
        assert lake.table_names() == []
        (row,) = history(lake)
        assert (row["schema_name"], row["table_name"], row["kind"]) == (lake.schema, "t", "TABLE")
        assert (row["retention_days"], row["rows"], row["created_time"]) == (1, 2, None)
        assert row["undrop_until"] - row["dropped_time"] == timedelta(days=1)
        assert row["bytes"] > 0
        lake.sql("CREATE TABLE t (b STRING); INSERT INTO t VALUES ('new')")
        assert lake.sql("SELECT * FROM t").fetchall() == [("new",)]
        assert files_of(directory) == before

    @pytest.mark.parametrize(
        ("create", "drop"),
        [
            ("", "DROP TABLE IF EXISTS t PURGE"),
            (" TBLPROPERTIES ('data_retention_days' = '0')", "DROP TABLE t"),
        ],
    )
    def test_nothing_is_kept_of_it(self, lake: Connection, create: str, drop: str) -> None:
        lake.sql(f"CREATE TABLE t (a INT){create}; INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)")
        directory = directory_of(lake, "t")
        assert files_of(directory)
        lake.sql(drop)
        assert files_of(directory) == []
        assert history(lake) == []
        with pytest.raises(errors.NotFound, match=r"dropped table \S+ does not exist"):
            lake.sql("UNDROP TABLE t")

    def test_what_is_not_there(self, lake: Connection) -> None:
        lake.sql("DROP TABLE IF EXISTS missing")
        with pytest.raises(errors.NotFound, match="missing does not exist"):
            lake.sql("DROP TABLE missing")
        lake.sql("CREATE VIEW v AS SELECT 1 AS a")
        with pytest.raises(errors.Refused, match=r"\.v is a view"):
            lake.sql("DROP TABLE v")
        assert history(lake) == []

    def test_a_temporary_view_goes_before_a_table(self, lake: Connection) -> None:
        lake.sql(f"{SETUP}; CREATE TEMPORARY VIEW t AS SELECT 9 AS a")
        lake.sql("DROP TABLE t")
        assert len(lake.sql("SELECT * FROM t")) == 2
        lake.sql("DROP TABLE t")
        assert [row["table_name"] for row in history(lake)] == ["t"]

    def test_a_drop_that_spark_would_run(self, lake: Connection) -> None:
        lake.sql(SETUP)
        for statement in (
            "EXECUTE IMMEDIATE 'DROP TABLE t'",
            "BEGIN DROP TABLE t; END",
            "EXECUTE IMMEDIATE 'DROP ' || 'TABLE t'",
        ):
            with pytest.raises(errors.Refused, match="could not be undone") as caught:
                lake.sql(statement)
            assert caught.value.hint == "run it as a separate statement, or with PURGE"
        lake.sql("BEGIN CREATE TABLE scratch (a INT); DROP TABLE scratch; END")
        lake.sql("EXECUTE IMMEDIATE 'DROP TABLE IF EXISTS missing'")
        lake.sql("BEGIN DROP TABLE t PURGE; END")
        assert lake.table_names() == []

    def test_a_failure_leaves_it_as_it_was(self, lake: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
        lake.sql(f"{SETUP}; CREATE DYNAMIC TABLE d AS SELECT a FROM t; REFRESH DYNAMIC TABLE d")
        with monkeypatch.context() as patch:
            killed_before(patch, TableCatalog, "rename")
            for statement in ("DROP TABLE t", "DROP DYNAMIC TABLE d"):
                with pytest.raises(Killed):
                    lake.sql(statement)
        assert history(lake) == []
        lake.sql("INSERT INTO t VALUES (3); REFRESH DYNAMIC TABLE d")
        assert len(lake.sql("SELECT * FROM d")) == 3
        assert internals.store(lake).dropped.unfinished() == []

    def test_in_another_workspace(self, new_lake: Callable[..., Connection], tmp_path: Path) -> None:
        new_lake().close()
        with (tmp_path / "lake" / "lake.toml").open("a") as settings:
            settings.write(f"[settings.workspaces.other]\ntype = 'hadoop'\nwarehouse = '{tmp_path}/other'\n")
        lake = new_lake()
        lake.sql("CREATE SCHEMA other.db; CREATE TABLE other.db.t (a INT); DROP TABLE other.db.t")
        lake.sql("CREATE DYNAMIC TABLE other.db.d AS SELECT 1 AS a")
        (notice,) = lake.sql("DROP DYNAMIC TABLE other.db.d").notices
        assert notice == "it cannot be undropped: only tables of the workspace lake are kept"
        assert history(lake, everywhere=True) == []
        with pytest.raises(errors.NotFound, match=r"dropped table other\.db\.t does not exist"):
            lake.sql("UNDROP TABLE other.db.t")


class TestDynamicTable:
    def test_it_is_kept_and_its_name_is_free(self, lake: Connection) -> None:
        lake.sql(f"{SETUP}; CREATE DYNAMIC TABLE d AS SELECT a FROM t; REFRESH DYNAMIC TABLE d")
        lake.sql("DROP DYNAMIC TABLE d")
        assert len(lake.sql(f"SHOW DYNAMIC TABLES IN {lake.schema}")) == 0
        assert lake.table_names() == ["t"]
        (row,) = history(lake)
        assert (row["table_name"], row["kind"], row["rows"]) == ("d", "DYNAMIC TABLE", 2)
        assert row["created_time"] <= row["dropped_time"]
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT a + 1 AS b FROM t; REFRESH DYNAMIC TABLE d")
        assert len(lake.sql("SELECT b FROM d")) == 2

    def test_nothing_is_kept_of_it(self, lake: Connection) -> None:
        lake.sql("CREATE DYNAMIC TABLE d PROPERTIES ('data_retention_days' = '0') AS SELECT 1 AS a")
        lake.sql("REFRESH DYNAMIC TABLE d")
        directory = directory_of(lake, "d")
        lake.sql("DROP DYNAMIC TABLE d")
        assert (files_of(directory), history(lake)) == ([], [])
        assert len(lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY FOR d")) == 1

    def test_another_program_has_dropped_its_rows(self, lake: Connection) -> None:
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT 1 AS a")
        internals.spark(lake).sql("DROP TABLE d")
        lake.sql("DROP DYNAMIC TABLE d")
        assert history(lake) == []
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT 1 AS a")


class TestWhereItIsKept:
    def test_nobody_sees_it(self, lake: Connection) -> None:
        lake.sql(f"{SETUP}; DROP TABLE t")
        for statement in (
            "SHOW SCHEMAS",
            "SHOW NAMESPACES",
            "SHOW DATABASES IN lake",
            "EXECUTE IMMEDIATE 'SHOW SCHEMAS'",
        ):
            schemas = [name for (name,) in lake.sql(statement).fetchall()]
            assert "public" in schemas
            assert DROPPED_SCHEMA not in schemas
        assert DROPPED_SCHEMA not in internals.session(lake).catalog.schemas("lake")

    @pytest.mark.parametrize(
        "statement",
        [
            "USE {0}",
            "USE lake.{0}",
            "CREATE SCHEMA {0}",
            "CREATE SCHEMA IF NOT EXISTS lake.{0}",
            "DROP SCHEMA {0} CASCADE",
            "SHOW TABLES IN {0}",
            "SHOW TABLES HISTORY IN {0}",
            "SHOW TABLE EXTENDED IN {0} LIKE '*'",
            "SHOW DYNAMIC TABLES IN {0}",
            "SELECT * FROM {0}.{1}",
            "SELECT * FROM lake.`{0}`.{1}.snapshots",
            "SELECT * FROM IDENTIFIER('{0}.{1}')",
            "EXECUTE IMMEDIATE 'SELECT * FROM {0}.{1}'",
            "CALL lake.system.ancestors_of('{0}.{1}')",
            "CREATE TEMPORARY VIEW x USING iceberg OPTIONS (path 'lake.{0}.{1}')",
            "DESC {0}.{1}",
            "INSERT INTO {0}.{1} VALUES (3)",
            "DROP TABLE {0}.{1}",
            "DROP DYNAMIC TABLE {0}.{1}",
            "UNDROP TABLE {0}.{1}",
            "VACUUM {0}.{1}",
            "ALTER TABLE {0}.{1} RENAME TO t",
            "ALTER TABLE mine RENAME TO {0}.mine",
            "CREATE TABLE {0}.mine (a INT)",
            "CREATE VIEW {0}.mine AS SELECT 1 AS a",
            "CREATE DYNAMIC TABLE {0}.mine AS SELECT 1 AS a",
            "CREATE DYNAMIC TABLE copy AS SELECT * FROM {0}.{1}",
        ],
    )
    def test_nobody_names_it(self, dropped_once: tuple[Connection, str], statement: str) -> None:
        lake, kept_as = dropped_once
        with pytest.raises(errors.Refused) as caught:
            lake.sql(statement.format(DROPPED_SCHEMA, f"`{kept_as}`" if "'" not in statement else kept_as))
        assert caught.value.message == (f"schema {DROPPED_SCHEMA} contains dropped tables and cannot be used")
        assert caught.value.place is not None

    def test_a_string_is_just_a_string(self, lake: Connection) -> None:
        assert lake.sql(f"SELECT '{DROPPED_SCHEMA}.x' AS s").fetchall() == [(f"{DROPPED_SCHEMA}.x",)]


@pytest.fixture(scope="module")
def dropped_once(shared_lake: Connection) -> tuple[Connection, str]:
    shared_lake.sql("CREATE TABLE mine (a INT); CREATE TABLE gone (a INT); DROP TABLE gone")
    kept = internals.store(shared_lake).dropped.of_name(internals.table_name(shared_lake, "gone"))
    return shared_lake, kept[0].kept_as.table


class TestSchema:
    def test_dropped_tables_do_not_hold_it(self, lake: Connection) -> None:
        schema = f"{lake.schema}_b"
        lake.sql(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.t (a INT)")
        for cascade in ("", " CASCADE"):
            with pytest.raises(errors.Refused, match="is not empty: it contains t"):
                lake.sql(f"DROP SCHEMA {schema}{cascade}")
        lake.sql(f"DROP TABLE {schema}.t; DROP SCHEMA {schema}")
        assert [row["table_name"] for row in history(lake, schema)] == ["t"]
