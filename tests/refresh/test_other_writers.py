"""Tables that plain Spark and PyIceberg write, and dynamic tables that they read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyspark.sql import SparkSession

from headrace.connection import Connection
from tests.oracle import assert_exact
from tests.refresh.helpers import assert_same_bag, bag, refresh


@pytest.fixture
def pyiceberg(lake: Connection) -> Iterator[SqlCatalog]:
    catalog = SqlCatalog(
        "lake",
        uri=f"sqlite:///{lake.lake_path / 'catalog.db'}",
        warehouse=str(lake.lake_path / "warehouse"),
        init_catalog_tables="false",
    )
    yield catalog
    catalog.close()


def rows(**columns: list[Any]) -> pa.Table:
    return pa.table({name: pa.array(values, _TYPES[name]) for name, values in columns.items()})


_TYPES = {"id": pa.int64(), "name": pa.string(), "at": pa.timestamp("us", "UTC"), "score": pa.float64()}
FIRST = rows(id=[1, 2, 2], name=["a", None, None], at=[0, 1, 1])
MORE = rows(id=[3], name=["c"], at=[None])
QUERY = "SELECT name, count(*) AS n, max(at) AS latest FROM t GROUP BY name"


@pytest.mark.incremental
@pytest.mark.share(0.2, suite="single tests")
def test_plain_spark_writes(lake: Connection, plain_spark: SparkSession) -> None:
    name = f"lake.{lake.schema}.t"
    plain_spark.sql(f"CREATE TABLE {name} (a INT, b STRING) USING iceberg")
    plain_spark.sql(f"INSERT INTO {name} VALUES (1, 'x'), (2, 'y')")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT * FROM t")
    refresh(lake, "d")
    for change in (
        f"INSERT INTO {name} VALUES (3, NULL)",
        f"UPDATE {name} SET b = 'z' WHERE a = 1",
        f"DELETE FROM {name} WHERE a = 2",
        f"ALTER TABLE {name} ADD COLUMN c INT",
    ):
        plain_spark.sql(change)
        assert refresh(lake, "d")["refresh_mode"] == "INCREMENTAL"
        assert_exact(lake, "d", "SELECT a, b FROM t")
    assert refresh(lake, "d")["refresh_mode"] == "NO_DATA"


def test_plain_spark_reads(lake: Connection, plain_spark: SparkSession) -> None:
    lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (1), (2)")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT a, count(*) AS n FROM t GROUP BY a")
    refresh(lake, "d")
    lake.sql("INSERT INTO t VALUES (2); DELETE FROM t WHERE a = 1")
    refresh(lake, "d")
    assert [tuple(row) for row in plain_spark.table(f"lake.{lake.schema}.d").select("a", "n").collect()] == [
        (2, 2)
    ]


@pytest.mark.incremental
def test_pyiceberg_writes(lake: Connection, pyiceberg: SqlCatalog) -> None:
    table = pyiceberg.create_table(f"{lake.schema}.t", FIRST.schema, properties={"format-version": "2"})
    lake.sql(f"CREATE DYNAMIC TABLE d AS {QUERY}")
    refresh(lake, "d")
    assert lake.sql("SELECT * FROM d").fetchall() == []
    for change in (
        lambda: table.append(FIRST),
        lambda: table.append(MORE),
        lambda: table.delete("id = 2"),
        lambda: table.overwrite(FIRST),
    ):
        change()
        assert refresh(lake, "d")["refresh_mode"] == "INCREMENTAL"
        assert_same_bag(lake, "d", QUERY)
    assert refresh(lake, "d")["refresh_mode"] == "NO_DATA"


def test_pyiceberg_alters(lake: Connection, pyiceberg: SqlCatalog) -> None:
    table = pyiceberg.create_table(f"{lake.schema}.t", FIRST.schema, properties={"format-version": "2"})
    table.append(FIRST)
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT * FROM t")
    refresh(lake, "d")
    with table.update_schema() as update:
        update.union_by_name(rows(score=[1.0]).schema)
    refresh(lake, "d")
    table.append(rows(id=[4], name=["d"], at=[None], score=[0.5]))
    refresh(lake, "d")
    assert_same_bag(lake, "d", "SELECT id, name, at FROM t")


def test_pyiceberg_reads(lake: Connection, pyiceberg: SqlCatalog) -> None:
    lake.sql("CREATE TABLE t (id INT, name STRING); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL)")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT id, upper(name) AS name FROM t")
    refresh(lake, "d")
    lake.sql("UPDATE t SET name = 'z' WHERE id = 2; DELETE FROM t WHERE id = 1")
    refresh(lake, "d")
    read = pyiceberg.load_table(f"{lake.schema}.d").scan(selected_fields=("id", "name")).to_arrow()
    assert sorted(read.to_pylist(), key=str) == [{"id": 2, "name": "Z"}, {"id": 3, "name": None}]
    assert read.num_rows == sum(bag(lake, "SELECT * FROM d").values())


def test_pyiceberg_drops_a_source_and_makes_it_again(lake: Connection, pyiceberg: SqlCatalog) -> None:
    name = f"{lake.schema}.t"
    pyiceberg.create_table(name, FIRST.schema, properties={"format-version": "2"}).append(FIRST)
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT id FROM t")
    refresh(lake, "d")
    pyiceberg.drop_table(name)
    assert refresh(lake, "d")["refresh_mode"] == "NO_DATA"
    assert len(lake.sql("SELECT * FROM d")) == 3
    pyiceberg.create_table(name, FIRST.schema, properties={"format-version": "2"}).append(MORE)
    assert refresh(lake, "d")["refresh_mode"] == "FULL"
    assert lake.sql("SELECT id FROM d").fetchall() == [(3,)]
