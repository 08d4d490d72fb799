"""A source goes away, comes back, or is another one: what is downstream stays right, or stays as it is."""

from __future__ import annotations

import pytest

from headrace.connection import Connection
from tests.oracle import assert_exact
from tests.refresh.helpers import failing, refresh, stats

pytestmark = pytest.mark.incremental

COUNTS = "SELECT a, count(*) AS n FROM t GROUP BY a"


@pytest.fixture
def counted(lake: Connection) -> Connection:
    """t, and counts over it, refreshed."""
    lake.sql(
        f"CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (1), (2); CREATE DYNAMIC TABLE counts AS {COUNTS}"
    )
    refresh(lake, "counts")
    return lake


@pytest.fixture
def chained(counted: Connection) -> Connection:
    """And total over counts."""
    counted.sql("CREATE DYNAMIC TABLE total AS SELECT sum(n) AS n FROM counts")
    refresh(counted, "total")
    return counted


def assert_waiting(lake: Connection, table: str, note: str) -> None:
    before = sorted(lake.sql(f"SELECT * FROM {table}").fetchall())
    row = refresh(lake, table)
    assert (row["refresh_mode"], row["state"]) == ("NO_DATA", "SUCCEED")
    assert row["refresh_mode_reason"] == f"lake.{lake.schema}.{note}: the rows stay as they are"
    assert sorted(lake.sql(f"SELECT * FROM {table}").fetchall()) == before


class TestTable:
    def test_undropped(self, counted: Connection) -> None:
        """Also with changes from before the drop that no refresh has seen."""
        counted.sql("INSERT INTO t VALUES (3); DELETE FROM t WHERE a = 2; DROP TABLE t")
        assert_waiting(counted, "counts", "t does not exist")
        counted.sql("UNDROP TABLE t")
        assert refresh(counted, "counts")["refresh_mode"] == "INCREMENTAL"
        assert_exact(counted, "counts", COUNTS)
        counted.sql("DROP TABLE t; UNDROP TABLE t")
        assert refresh(counted, "counts")["refresh_mode"] == "NO_DATA"
        counted.sql("INSERT INTO t VALUES (3)")
        assert refresh(counted, "counts")["refresh_mode"] == "INCREMENTAL"
        assert_exact(counted, "counts", COUNTS)

    def test_made_again(self, counted: Connection) -> None:
        counted.sql("DROP TABLE t")
        assert_waiting(counted, "counts", "t does not exist")
        counted.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (5)")
        assert refresh(counted, "counts")["refresh_mode"] == "FULL"
        assert_exact(counted, "counts", COUNTS)
        counted.sql("INSERT INTO t VALUES (5); DELETE FROM t WHERE a = 1")
        assert refresh(counted, "counts")["refresh_mode"] == "INCREMENTAL"
        assert_exact(counted, "counts", COUNTS)

    @pytest.mark.share(0.2)
    def test_made_again_and_then_the_old_one_undropped(self, counted: Connection) -> None:
        counted.sql("DROP TABLE t; CREATE TABLE t (a INT); INSERT INTO t VALUES (9)")
        refresh(counted, "counts")
        counted.sql("DROP TABLE t PURGE; UNDROP TABLE t")
        assert refresh(counted, "counts")["refresh_mode"] == "FULL"
        assert_exact(counted, "counts", COUNTS)

    def test_replaced_in_place(self, counted: Connection) -> None:
        counted.sql("CREATE OR REPLACE TABLE t AS SELECT 7 AS a")
        assert refresh(counted, "counts")["refresh_mode"] == "FULL"
        assert_exact(counted, "counts", COUNTS)
        counted.sql("INSERT INTO t VALUES (7)")
        assert refresh(counted, "counts")["refresh_mode"] == "INCREMENTAL"
        assert_exact(counted, "counts", COUNTS)

    @pytest.mark.share(0.2)
    def test_renamed_and_back(self, counted: Connection) -> None:
        counted.sql("ALTER TABLE t RENAME TO elsewhere")
        assert_waiting(counted, "counts", "t does not exist")
        counted.sql("INSERT INTO elsewhere VALUES (4); ALTER TABLE elsewhere RENAME TO t")
        assert refresh(counted, "counts")["refresh_mode"] == "INCREMENTAL"
        assert_exact(counted, "counts", COUNTS)

    @pytest.mark.share(0.2)
    def test_another_table_takes_its_name(self, counted: Connection) -> None:
        counted.sql("CREATE TABLE other (a INT); INSERT INTO other VALUES (8)")
        counted.sql("ALTER TABLE t RENAME TO elsewhere; ALTER TABLE other RENAME TO t")
        assert refresh(counted, "counts")["refresh_mode"] == "FULL"
        assert_exact(counted, "counts", COUNTS)

    def test_a_view_takes_its_name(self, counted: Connection) -> None:
        counted.sql("DROP TABLE t; CREATE VIEW t AS SELECT 1 AS a")
        assert_waiting(counted, "counts", "t does not exist")

    def test_a_column_is_added(self, counted: Connection) -> None:
        counted.sql("ALTER TABLE t ADD COLUMN b STRING; INSERT INTO t VALUES (2, 'x')")
        assert refresh(counted, "counts")["refresh_mode"] == "INCREMENTAL"
        assert_exact(counted, "counts", COUNTS)

    def test_made_again_without_a_used_column(self, counted: Connection) -> None:
        counted.sql("DROP TABLE t; CREATE TABLE t (b INT)")
        with failing(counted, "counts", f"lake.{counted.schema}.t no longer has column a"):
            refresh(counted, "counts")
        counted.sql("DROP TABLE t PURGE; UNDROP TABLE t; INSERT INTO t VALUES (2)")
        assert refresh(counted, "counts")["refresh_mode"] == "INCREMENTAL"
        assert_exact(counted, "counts", COUNTS)

    @pytest.mark.share(0.2)
    def test_one_of_two(self, counted: Connection) -> None:
        query = "SELECT t.a, u.b FROM t JOIN u ON t.a = u.a"
        counted.sql(
            f"CREATE TABLE u (a INT, b INT); INSERT INTO u VALUES (1, 10); CREATE DYNAMIC TABLE j AS {query}"
        )
        refresh(counted, "j")
        counted.sql("DROP TABLE u; INSERT INTO t VALUES (1)")
        assert_waiting(counted, "j", "u does not exist")
        counted.sql("UNDROP TABLE u; INSERT INTO u VALUES (2, 20)")
        assert refresh(counted, "j")["refresh_mode"] == "INCREMENTAL"
        assert_exact(counted, "j", query)


class TestDynamicTable:
    def test_undropped(self, chained: Connection) -> None:
        chained.sql("INSERT INTO t VALUES (5)")
        refresh(chained, "counts")
        chained.sql("DROP DYNAMIC TABLE counts")
        assert_waiting(chained, "total", "counts does not exist")
        chained.sql("UNDROP DYNAMIC TABLE counts")
        assert refresh(chained, "total")["refresh_mode"] == "INCREMENTAL"
        assert chained.sql("SELECT n FROM total").fetchall() == [(4,)]
        chained.sql("INSERT INTO t VALUES (6)")
        for table in ("counts", "total"):
            assert refresh(chained, table)["refresh_mode"] == "INCREMENTAL"
        assert_exact(chained, "total", "SELECT count(*) AS n FROM t")

    def test_made_again(self, chained: Connection) -> None:
        chained.sql(f"DROP DYNAMIC TABLE counts; CREATE DYNAMIC TABLE counts AS {COUNTS}")
        assert_waiting(chained, "total", "counts was recreated and has not been refreshed yet")
        assert_waiting(chained, "total", "counts was recreated and has not been refreshed yet")
        chained.sql("INSERT INTO t VALUES (5)")
        refresh(chained, "counts")
        assert refresh(chained, "total")["refresh_mode"] == "FULL"
        assert_exact(chained, "total", "SELECT count(*) AS n FROM t")
        chained.sql("INSERT INTO t VALUES (6)")
        for table in ("counts", "total"):
            assert refresh(chained, table)["refresh_mode"] == "INCREMENTAL"
        assert_exact(chained, "total", "SELECT count(*) AS n FROM t")

    @pytest.mark.share(0.2)
    def test_made_again_and_then_the_old_one_undropped(self, chained: Connection) -> None:
        chained.sql(f"DROP DYNAMIC TABLE counts; CREATE DYNAMIC TABLE counts AS {COUNTS}")
        assert_waiting(chained, "total", "counts was recreated and has not been refreshed yet")
        at_once = "PROPERTIES ('data_retention_days' = '0')"
        chained.sql(f"CREATE OR REPLACE DYNAMIC TABLE counts {at_once} AS {COUNTS}")
        chained.sql("DROP DYNAMIC TABLE counts; UNDROP TABLE counts; INSERT INTO t VALUES (5)")
        for table in ("counts", "total"):
            assert refresh(chained, table)["refresh_mode"] == "INCREMENTAL"
        assert_exact(chained, "total", "SELECT count(*) AS n FROM t")

    def test_a_plain_table_takes_its_name(self, chained: Connection) -> None:
        chained.sql("DROP DYNAMIC TABLE counts; CREATE TABLE counts (a INT, n BIGINT)")
        row = refresh(chained, "total")
        assert (row["refresh_mode"], stats(row)) == ("FULL", (1, 1))
        assert chained.sql("SELECT n FROM total").fetchall() == [(None,)]

    @pytest.mark.share(0.2)
    def test_downstream_dropped_and_undropped_while_upstream_moves(self, chained: Connection) -> None:
        chained.sql("DROP DYNAMIC TABLE total; INSERT INTO t VALUES (5)")
        refresh(chained, "counts")
        chained.sql("UNDROP DYNAMIC TABLE total")
        assert refresh(chained, "total")["refresh_mode"] == "INCREMENTAL"
        assert_exact(chained, "total", "SELECT count(*) AS n FROM t")
