"""The history row and the job profile of a refresh."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from headrace.connection import Connection
from headrace.model.history import JobProfile
from tests.oracle import last_refresh
from tests.refresh.helpers import profile, refresh, spark_jobs


@pytest.fixture
def tables(lake: Connection) -> Connection:
    lake.sql("CREATE TABLE orders (id INT, product INT); CREATE TABLE products (id INT, name STRING)")
    lake.sql("INSERT INTO orders SELECT id, id % 3 FROM range(100)")
    lake.sql("INSERT INTO products SELECT id, id FROM range(3)")
    lake.sql(
        "CREATE DYNAMIC TABLE d AS SELECT p.name, count(*) AS n "
        "FROM orders o JOIN products p ON o.product = p.id GROUP BY p.name"
    )
    return lake


def test_what_a_full_refresh_read(tables: Connection) -> None:
    row = refresh(tables, "d")
    assert (row["rows_read"], row["state"]) == (103, "SUCCEED")
    assert row["bytes_read"] > 0
    assert 0 < row["cluster_seconds"] < 300
    assert row == last_refresh(tables, "d")


def test_times(tables: Connection) -> None:
    row = refresh(tables, "d")
    assert row["duration"] == row["end_time"] - row["start_time"]
    assert timedelta(0) < row["duration"] < timedelta(minutes=5)
    later = refresh(tables, "d")
    assert later["start_time"] >= row["end_time"] - timedelta(milliseconds=1)
    assert later["job_id"] > row["job_id"]


@pytest.mark.incremental
def test_newest_first(tables: Connection) -> None:
    refresh(tables, "d")
    refresh(tables, "d")
    tables.sql("INSERT INTO orders VALUES (1000, 1)")
    refresh(tables, "d")
    modes = tables.sql("SHOW DYNAMIC TABLE REFRESH HISTORY FOR d").df()["refresh_mode"]
    assert list(modes) == ["INCREMENTAL", "NO_DATA", "FULL"]


class TestProfile:
    def test_of_a_full_refresh(self, tables: Connection) -> None:
        row = refresh(tables, "d")
        before = spark_jobs(tables)
        found = profile(tables, row)
        assert spark_jobs(tables) == before
        assert [phase.name for phase in found.phases] == [
            "look at the sources",
            "plan",
            "compute",
            "write (fill)",
            "read back",
            "upkeep",
        ]
        assert all(phase.seconds >= 0 for phase in found.phases)
        assert sum(phase.seconds for phase in found.phases) == pytest.approx(row["cluster_seconds"])
        rows = {read.table.rsplit(".", 1)[-1]: read.rows for read in found.reads}
        assert rows == {"orders": 100, "products": 3}
        assert all(read.bytes and read.files for read in found.reads)
        (statement,) = found.statements
        assert statement.startswith(f"INSERT INTO `lake`.`{tables.schema}`.`d`")
        assert statement.count(" VERSION AS OF ") == 2
        (plan,) = found.plans
        assert "BatchScan" in plan
        assert "Join" in plan
        assert found.rows_written == 3
        assert found.bytes_written > 0
        assert found.tag is None

    def test_names_the_spark_jobs_that_ran(self, tables: Connection) -> None:
        before = spark_jobs(tables)
        row = refresh(tables, "d")
        assert set(profile(tables, row).spark_jobs) == set(range(before, spark_jobs(tables)))

    def test_of_a_difference_reads_the_table_itself(self, tables: Connection) -> None:
        refresh(tables, "d")
        tables.sql("INSERT INTO orders VALUES (1000, 1)")
        found = profile(tables, refresh(tables, "d", full=True))
        assert sorted(_reads(found)) == [
            ("d", "result", 3),
            ("d", "result", 3),
            ("orders", "new", 101),
            ("products", "new", 3),
        ]

    def test_of_an_increment_tells_changes_and_versions_apart(self, tables: Connection) -> None:
        refresh(tables, "d")
        tables.sql("INSERT INTO orders VALUES (1000, 1); DELETE FROM products WHERE id = 2")
        found = profile(tables, refresh(tables, "d"))
        assert {(table, side) for table, side, _ in _reads(found)} == {
            ("orders", "change"),
            ("orders", "new"),
            ("products", "change"),
            ("products", "old"),
            ("d", "result"),
        }
        assert {rows for _, side, rows in _reads(found) if side == "change"} == {1}

    def test_a_small_change_has_the_bytes_that_the_driver_read(self, tables: Connection) -> None:
        refresh(tables, "d")
        tables.sql("INSERT INTO orders VALUES (1000, 1); DELETE FROM products WHERE id = 2")
        found = profile(tables, refresh(tables, "d"))
        (added,) = tables.sql(
            f"SELECT file_size_in_bytes FROM lake.{tables.schema}.orders.files WHERE record_count = 1"
        ).fetchall()
        changes = {read.table.rsplit(".", 1)[-1]: read for read in found.reads if read.side == "change"}
        assert 0 < (changes["orders"].bytes or 0) <= added[0]
        assert changes["orders"].files == 1
        assert changes["products"].files == 1
        assert all(read.bytes and read.files for read in found.reads)

    def test_of_no_data(self, tables: Connection) -> None:
        refresh(tables, "d")
        found = profile(tables, refresh(tables, "d"))
        assert [phase.name for phase in found.phases] == ["look at the sources"]
        assert (found.reads, found.statements, found.plans, found.spark_jobs) == ((), (), (), ())

    def test_has_the_tag(self, tables: Connection) -> None:
        tables.sql("SET query_tag = nightly")
        assert profile(tables, refresh(tables, "d")).tag == "nightly"
        assert profile(tables, refresh(tables, "d")).tag == "nightly"

    def test_each_occurrence_of_a_table_is_read_on_its_own(self, tables: Connection) -> None:
        tables.sql(
            "CREATE DYNAMIC TABLE twice AS SELECT l.id FROM products l JOIN products r ON l.id = r.id "
            "WHERE l.id < (SELECT count(DISTINCT product) FROM orders)"
        )
        found = profile(tables, refresh(tables, "twice"))
        assert sorted((read.table.rsplit(".", 1)[-1], read.rows) for read in found.reads) == [
            ("orders", 100),
            ("products", 3),
            ("products", 3),
        ]


def test_rows_of_the_statement_and_of_the_table_are_the_same(tables: Connection) -> None:
    shown: dict[str, Any] = refresh(tables, "d")
    (selected,) = tables.sql(
        "SELECT state, refresh_mode, stats, job_id FROM information_schema.dynamic_table_refresh_history "
        f"WHERE job_id = '{shown['job_id']}'"
    ).fetchall()
    assert selected == tuple(shown[column] for column in ("state", "refresh_mode", "stats", "job_id"))


def _reads(found: JobProfile) -> list[tuple[str, str, int]]:
    return [(read.table.rsplit(".", 1)[-1], read.side, read.rows) for read in found.reads]
