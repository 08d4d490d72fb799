"""A dynamic table that was changed behind Headrace's back, its record kept: told, and put right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from headrace.connection import Connection
from tests import internals
from tests.oracle import assert_exact, last_refresh
from tests.refresh.helpers import failing, refresh

QUERIES = {
    "keyed": "SELECT id, k, v FROM t",
    "grouped": "SELECT k, count(*) AS n, sum(v) AS total FROM t GROUP BY k",
    "largest": "SELECT k, max_by(v, id) AS most FROM t GROUP BY k",
    "extremes": "SELECT k, max(v) AS most FROM t GROUP BY k",
    "whole_rows": "SELECT k, v FROM t EXCEPT ALL SELECT 1, 1",
    "overall": "SELECT count(*) AS n, sum(v) AS total FROM t",
}
TOLD = "the table did not match the record of its last refresh"


@pytest.fixture
def tables(lake: Connection) -> Connection:
    lake.sql("CREATE TABLE t (id INT, k INT, v INT); INSERT INTO t VALUES (1, 1, 10), (2, 2, 20), (3, 3, 30)")
    for name, query in QUERIES.items():
        lake.sql(f"CREATE DYNAMIC TABLE {name} AS {query}; REFRESH DYNAMIC TABLE {name}")
    return lake


def secretly(lake: Connection, spark: SparkSession, table: str, statement: str) -> None:
    """Writes as a program would that copies the record of the last refresh."""
    context = internals.statement_context(lake)
    snapshot = context.session.catalog.existing_table(context.session.resolve((table,))).snapshot
    assert snapshot is not None
    kept = {
        f"spark.sql.iceberg.snapshot-property.{k}": v for k, v in snapshot.summary.items() if "headrace." in k
    }
    assert kept
    for key, value in kept.items():
        spark.conf.set(key, value)
    spark.sql(statement.format(f"lake.{lake.schema}.{table}"))
    for key in kept:
        spark.conf.unset(key)


def breaches() -> Iterator[tuple[str, str, str, str]]:
    """Table, what is done to it, the change after which it shows, and the words."""
    gone = "MERGE INTO {} t USING (SELECT 2 AS k) s ON t.k = s.k WHEN MATCHED THEN DELETE"
    for table in ("keyed", "largest", "whole_rows"):
        yield table, gone, "DELETE FROM t WHERE id = 2", "a row to be deleted is not in the table"
    yield "keyed", gone, "UPDATE t SET v = 21 WHERE id = 2", "a row to be deleted is not in the table"
    for table in ("grouped", "extremes"):
        yield table, gone, "DELETE FROM t WHERE id = 2", "a group has lost more rows than it had"
    fewer = "UPDATE {} SET __hr_rows = 0 WHERE k = 2"
    yield "grouped", fewer, "DELETE FROM t WHERE id = 2", "a group has lost more rows than it had"
    twice = "INSERT INTO {0} SELECT * FROM {0}"
    for table in ("keyed", "grouped", "largest", "extremes", "overall"):
        yield table, twice, "UPDATE t SET v = 40 WHERE id = 2", "two rows with the same key"


@pytest.mark.incremental
@pytest.mark.parametrize(
    ("table", "done", "change", "words"),
    [
        pytest.param(*each, marks=pytest.mark.share(0.2) if at % 4 else ())
        for at, each in enumerate(breaches())
    ],
)
def test_a_row_is_not_as_it_was(
    tables: Connection, plain_spark: SparkSession, table: str, done: str, change: str, words: str
) -> None:
    secretly(tables, plain_spark, table, done)
    tables.sql(change)
    with failing(tables, table, TOLD, words, "the next refresh recomputes it"):
        refresh(tables, table)
    assert last_refresh(tables, table)["refresh_mode"] == "INCREMENTAL"
    row = refresh(tables, table)
    assert (row["refresh_mode"], row["refresh_mode_reason"]) == ("FULL", TOLD)
    assert_exact(tables, table, QUERIES[table])
    tables.sql("UPDATE t SET v = v + 1")
    assert refresh(tables, table)["refresh_mode"] == "INCREMENTAL"
    assert_exact(tables, table, QUERIES[table])


def test_a_row_is_there_already(tables: Connection, plain_spark: SparkSession) -> None:
    secretly(tables, plain_spark, "largest", "INSERT INTO {} VALUES (4, 40)")
    tables.sql("INSERT INTO t VALUES (4, 4, 41); DELETE FROM t WHERE k = 1")
    with failing(tables, "largest", TOLD, "already in the table"):
        refresh(tables, "largest")
    assert refresh(tables, "largest")["refresh_mode"] == "FULL"
    assert_exact(tables, "largest", QUERIES["largest"])
