"""Changes of few rows, which are written without Spark: what they leave in the table is what Spark would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headrace.connection import Connection
from headrace.errors import Error
from headrace.lake.commit.guarded_commit import GuardedTable
from headrace.refresh import increment
from tests import internals
from tests.oracle import assert_exact
from tests.refresh.helpers import refresh, stats

pytestmark = pytest.mark.incremental

COLUMNS = (
    "id INT, small SMALLINT, tiny TINYINT, big BIGINT, flag BOOLEAN, real FLOAT, double DOUBLE, "
    "price DECIMAL(9,2), huge DECIMAL(38,10), name STRING, code BINARY, day DATE, ts TIMESTAMP, "
    "local TIMESTAMP_NTZ, tags ARRAY<STRING>, place STRUCT<x: INT, label: STRING>"
)
ROW = (
    "{id}, {id}S, {id}Y, {id}L, {id} % 2 = 0, float({id}.5), double({id}.25), {id}.12BD, "
    "CAST({id} AS DECIMAL(38,10)), 'näme {id}', X'0{id}FF', DATE '2024-01-0{id}', "
    "TIMESTAMP '2024-02-0{id} 03:04:05.678901', TIMESTAMP_NTZ '2024-03-0{id} 03:04:05', "
    "array('a', NULL, '{id}'), named_struct('x', {id}, 'label', 'l{id}')"
)
NULLS = "{id}" + ", NULL" * 15


def insert(lake: Connection, template: str, *numbers: int) -> None:
    lake.sql(f"INSERT INTO t VALUES {', '.join(f'({template.format(id=number)})' for number in numbers)}")


def loaded(lake: Connection, table: str) -> Any:
    session = internals.session(lake)
    return session.catalog.existing_table(session.resolve((table,)))


def assert_incremental(lake: Connection, table: str, query: str) -> dict[str, Any]:
    row = refresh(lake, table)
    assert row["refresh_mode"] == "INCREMENTAL"
    assert_exact(lake, table, query)
    return row


@pytest.mark.share(0.2)
@pytest.mark.parametrize(
    "partitioning",
    [
        "",
        "id",
        "bucket(3, name), truncate(2, name)",
        "bucket(3, price), truncate(10, price), truncate(1, code), flag",
        "days(ts), bucket(2, day), months(local)",
        "bucket(2, code), years(day), tiny, big",
    ],
)
def test_rows_of_any_type_in_any_partition(lake: Connection, partitioning: str) -> None:
    partitioned = f"PARTITIONED BY ({partitioning})" if partitioning else ""
    lake.sql(f"CREATE TABLE t ({COLUMNS})")
    insert(lake, ROW, 1, 2, 3)
    lake.sql(f"CREATE DYNAMIC TABLE d {partitioned} AS SELECT * FROM t; REFRESH DYNAMIC TABLE d")
    lake.sql(f"CREATE TABLE by_spark ({COLUMNS}) {partitioned}")
    insert(lake, ROW, 4, 5)
    insert(lake, NULLS, 6)
    assert_incremental(lake, "d", "SELECT * FROM t")
    lake.sql("UPDATE t SET name = 'other', day = DATE '2030-12-31', price = NULL WHERE id IN (2, 5, 6)")
    lake.sql("DELETE FROM t WHERE id = 1")
    assert_incremental(lake, "d", "SELECT * FROM t")
    lake.sql("INSERT INTO by_spark SELECT * FROM t")
    if partitioning:
        partitions = [
            set(lake.sql(f"SELECT CAST(partition AS STRING) FROM {lake.schema}.{name}.files").fetchall())
            for name in ("d", "by_spark")
        ]
        assert partitions[0] >= partitions[1]
    for table in ("d", "by_spark"):
        assert lake.sql(
            f"SELECT id FROM {table} WHERE name = 'other' AND day > DATE '2030-01-01' ORDER BY id"
        ).fetchall() == [(2,), (5,), (6,)]


TOTALS = "SELECT k, count(*) AS n, sum(v) AS total FROM t GROUP BY k"


@pytest.fixture
def totals(lake: Connection) -> Connection:
    lake.sql("CREATE TABLE t (k INT, v INT); INSERT INTO t SELECT id % 5, id FROM range(100)")
    lake.sql(f"CREATE DYNAMIC TABLE totals AS {TOTALS}; REFRESH DYNAMIC TABLE totals")
    return lake


def row_ids(lake: Connection) -> dict[int, int]:
    return dict(lake.sql("SELECT k, _row_id FROM totals").fetchall())


def test_a_row_that_is_updated_keeps_its_identity(totals: Connection) -> None:
    before = row_ids(totals)
    totals.sql("UPDATE t SET v = v + 1 WHERE k IN (1, 2); INSERT INTO t VALUES (9, 9)")
    row = assert_incremental(totals, "totals", TOTALS)
    after = row_ids(totals)
    assert {k: after[k] for k in before} == before
    assert after[9] not in before.values()
    assert stats(row) == (3, 2)


def test_rows_that_change_often_leave_no_trail(totals: Connection) -> None:
    for value in range(8):
        totals.sql(f"INSERT INTO t VALUES (1, {value}), (2, {value})")
        assert_incremental(totals, "totals", TOTALS)
    ((files,),) = totals.sql(f"SELECT count(*) FROM {totals.schema}.totals.files").fetchall()
    assert files <= 3  # the first rows, their deletion vector, the last two
    totals.sql("DELETE FROM t")
    row = assert_incremental(totals, "totals", TOTALS)
    assert stats(row) == (0, 5)
    ((files,),) = totals.sql(f"SELECT count(*) FROM {totals.schema}.totals.files").fetchall()
    assert files == 0


def test_a_table_that_is_not_written_by_deletion_vectors(totals: Connection) -> None:
    loaded(totals, "totals").set_property("write.merge.mode", "copy-on-write")
    totals.sql("UPDATE t SET v = v + 1 WHERE k = 1; DELETE FROM t WHERE k = 2")
    assert_incremental(totals, "totals", TOTALS)
    ((deletes,),) = totals.sql(
        f"SELECT count(*) FROM {totals.schema}.totals.files WHERE content > 0"
    ).fetchall()
    assert deletes == 0


@pytest.mark.parametrize("kind", ["avro", "orc"])
def test_other_file_formats(totals: Connection, kind: str) -> None:
    loaded(totals, "totals").set_property("write.format.default", kind)
    totals.sql("UPDATE t SET v = v + 1 WHERE k = 1; DELETE FROM t WHERE k = 2")
    assert_incremental(totals, "totals", TOTALS)
    formats = totals.sql(f"SELECT DISTINCT file_format FROM {totals.schema}.totals.files").fetchall()
    assert (kind.upper(),) in formats


@pytest.mark.share(0.2)
@pytest.mark.parametrize(
    "query", [TOTALS, "SELECT k, v FROM t", "SELECT v FROM t WHERE v > 0", TOTALS + ", v"]
)
def test_a_table_that_is_large(lake: Connection, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then what changes is computed before its old rows are looked for."""
    monkeypatch.setattr(increment, "LARGE", 10)
    lake.sql("CREATE TABLE t (k INT, v INT); INSERT INTO t SELECT id % 50, id FROM range(100)")
    lake.sql(f"CREATE DYNAMIC TABLE d AS {query}; REFRESH DYNAMIC TABLE d")
    lake.sql("UPDATE t SET v = v + 1 WHERE k IN (1, 2); INSERT INTO t VALUES (NULL, 9), (3, 1)")
    assert_incremental(lake, "d", query)
    lake.sql("DELETE FROM t WHERE k IS NULL OR k = 1")
    assert_incremental(lake, "d", query)


def test_more_rows_than_are_kept_are_written_by_spark(
    lake: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(increment, "SMALL", 10)
    query = "SELECT t.k, u.v FROM t JOIN t AS u ON t.k = u.k"
    lake.sql("CREATE TABLE t (k INT, v INT); INSERT INTO t SELECT 1, id FROM range(20)")
    lake.sql(f"CREATE DYNAMIC TABLE d AS {query}; REFRESH DYNAMIC TABLE d")
    lake.sql("INSERT INTO t VALUES (1, 100)")
    assert_incremental(lake, "d", query)
    lake.sql("DELETE FROM t WHERE v = 3")
    assert_incremental(lake, "d", query)


def test_a_commit_that_is_refused_leaves_no_file(totals: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    table = loaded(totals, "totals")
    data = Path(table.java.location()) / "data"

    def meanwhile(self: GuardedTable, *arguments: Any) -> Any:
        other.commit_nothing({})
        return commit(self, *arguments)

    commit = GuardedTable.commit_rows
    with GuardedTable(table, internals.session(totals)) as other:
        monkeypatch.setattr(GuardedTable, "commit_rows", meanwhile)
        files = sorted(data.iterdir())
        totals.sql("UPDATE t SET v = v + 1 WHERE k = 1")
        with pytest.raises(Error, match="another program wrote to the table at the same time"):
            refresh(totals, "totals")
    assert sorted(data.iterdir()) == files
