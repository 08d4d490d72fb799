"""Rows found through page indexes are those that Spark finds by reading everything."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet
import pytest
from pyspark.sql import DataFrame, SparkSession
from tests import internals
from tests.lake.changes_oracle import Watched
from tests.lake.lookup_oracle import Lookup
from tests.lake.test_changes_equality import delete_where_k_is

from headrace.connection import Connection
from headrace.lake import driver_memory
from headrace.lake.lookup import key_lookup
from headrace.lake.lookup.key_lookup import KeyLookups, NotFoundThisWay, lookup_obstacle

TYPES = {
    "BOOLEAN": ["true", "false"],
    "INT": ["0", "-2147483648", "2147483647"],
    "BIGINT": ["0", "-9223372036854775808", "9223372036854775807"],
    "DATE": ["DATE '0001-01-01'", "DATE '1582-10-09'", "DATE '1582-10-15'", "DATE '9999-12-31'"],
    "TIMESTAMP": [
        "TIMESTAMP '0001-01-01 00:00:00.000001'",
        "TIMESTAMP '1582-10-09 12:00:00'",
        "TIMESTAMP '9999-12-31 23:59:59.999999'",
    ],
    "TIMESTAMP_NTZ": ["TIMESTAMP_NTZ '0001-01-01 00:00:00.000001'", "TIMESTAMP_NTZ '9999-12-31 23:59:59'"],
    "STRING": ["''", "'a'", "'é'", "repeat('long', 100)", "repeat('long', 101)", "cast(X'FF80' AS STRING)"],
    "BINARY": ["X''", "X'00'", "X'FF80'"],
    "DECIMAL(9, 2)": ["0", "-9999999.99", "9999999.99"],
    "DECIMAL(18, 0)": ["-999999999999999999", "999999999999999999"],
    "DECIMAL(20, 5)": ["-999999999999999.99999", "0.00001"],
    "DECIMAL(38, 10)": ["-9999999999999999999999999999.9999999999", "1"],
}
ONLY_READ = {
    "FLOAT": ["cast('NaN' AS FLOAT)", "-0.0f", "1.5f", "cast('-Infinity' AS FLOAT)"],
    "DOUBLE": ["cast('NaN' AS DOUBLE)", "-0.0d", "1.5d", "cast('Infinity' AS DOUBLE)"],
    "STRUCT<a: INT, `b.c`: STRUCT<d: STRING>>": [
        "named_struct('a', 1, 'b.c', named_struct('d', 'x'))",
        "named_struct('a', NULL, 'b.c', NULL)",
        "named_struct('a', NULL, 'b.c', named_struct('d', NULL))",
    ],
    "ARRAY<STRUCT<a: INT>>": [
        "array()",
        "array(NULL, named_struct('a', NULL))",
        "array(named_struct('a', 1))",
    ],
    "ARRAY<ARRAY<DECIMAL(20, 2)>>": ["array()", "array(array(), NULL)", "array(array(1, NULL), array(2))"],
    "MAP<STRING, ARRAY<INT>>": ["map()", "map('a', NULL)", "map('a', array(1), 'b', array())"],
    "MAP<STRUCT<a: INT>, STRUCT<b: BINARY>>": ["map(named_struct('a', 1), named_struct('b', X'00'))"],
}


def keys(spark: SparkSession, values: str, columns: str) -> DataFrame:
    return spark.sql(f"SELECT * FROM VALUES {values} AS v({columns})")


@pytest.mark.parametrize("kind", TYPES)
def test_by_every_type_of_key(lake: Connection, kind: str) -> None:
    spark = internals.spark(lake)
    spark.sql(f"CREATE TABLE t (n INT, k {kind}) TBLPROPERTIES ('write.parquet.page-row-limit' = '2')")
    listed = ", ".join(f"({i}, CAST({value} AS {kind}))" for i, value in enumerate(TYPES[kind]))
    spark.sql(f"INSERT INTO t VALUES {listed}, (90, NULL), (91, NULL), {listed}")
    lookup = Lookup(lake)
    for value in [*TYPES[kind], "NULL"]:
        wanted = spark.sql(f"SELECT CAST({value} AS {kind})")
        assert lookup.check(["k"], wanted, new=lookup.version()).figures.rows_found == 2
        lookup.check(["k"], wanted, new=lookup.version(), columns=["k"])
    lookup.check(["k", "n"], spark.sql("SELECT k, n + n % 2 FROM t"), new=lookup.version())


@pytest.mark.parametrize("kind", TYPES | ONLY_READ)
def test_values_of_every_type(lake: Connection, kind: str) -> None:
    spark = internals.spark(lake)
    spark.sql(f"CREATE TABLE t (k INT, v {kind}) TBLPROPERTIES ('write.parquet.page-row-limit' = '3')")
    values = [*(TYPES | ONLY_READ)[kind], "NULL"]
    listed = ", ".join(f"({i}, CAST({values[i % len(values)]} AS {kind}))" for i in range(40))
    spark.sql(f"INSERT INTO t VALUES {listed}")
    lookup = Lookup(lake)
    lookup.check(["k"], keys(spark, "(0), (1), (2), (7), (8), (30), (39)", "k"), new=lookup.version())
    lookup.check(["k"], spark.sql("SELECT k FROM t"), new=lookup.version())


def test_columns_renamed_reordered_dropped_and_added_again(lake: Connection) -> None:
    spark = internals.spark(lake)
    spark.sql("CREATE TABLE t (k INT, `a.b` STRING, `Upper``Case` INT, s STRUCT<x: INT, y: STRING>)")
    spark.sql("INSERT INTO t SELECT id, id, id, named_struct('x', id, 'y', id) FROM range(9)")
    lookup, wanted = Lookup(lake), keys(spark, "(1), (4), (8), (20)", "k")
    old = lookup.version()
    for change in (
        "RENAME COLUMN k TO key",
        "DROP COLUMN `a.b`",
        "ADD COLUMN `a.b` STRING FIRST",
        "ALTER COLUMN `Upper``Case` FIRST",
        "ADD COLUMN s.z INT",
        "ALTER COLUMN s.y FIRST",
        "RENAME COLUMN s.x TO `s x`",
        "ADD COLUMN k INT",
    ):
        spark.sql(f"ALTER TABLE t {change}")
        lookup.check(["key"], wanted, old=old, new=lookup.version())
    spark.sql("INSERT INTO t VALUES (4, 'new', 4, named_struct('y', 'a', 's x', 1, 'z', 2), 7)")
    lookup.check(["key"], wanted, old=old, new=lookup.version())
    lookup.check(["k"], keys(spark, "(NULL)", "k"), old=old, new=lookup.version())
    lookup.check(["k", "key"], keys(spark, "(NULL, 4), (7, 4), (7, 5)", "k, key"), new=lookup.version())


def test_widened_types(lake: Connection) -> None:
    spark = internals.spark(lake)
    spark.sql("CREATE TABLE t (i INT, f FLOAT, d DECIMAL(5, 2), e DECIMAL(15, 2), g DECIMAL(19, 2))")
    spark.sql("INSERT INTO t SELECT id, id / 3, id / 7, id / 7, id / 7 FROM range(20)")
    lookup = Lookup(lake)
    old = lookup.version()
    for change in ("i TYPE BIGINT", "f TYPE DOUBLE", "d TYPE DECIMAL(25, 2)", "e TYPE DECIMAL(18, 2)"):
        spark.sql(f"ALTER TABLE t ALTER COLUMN {change}")
    spark.sql("ALTER TABLE t ALTER COLUMN g TYPE DECIMAL(38, 2)")
    spark.sql("INSERT INTO t SELECT id, id / 3, id / 7, id / 7, id / 7 FROM range(10, 30)")
    new = lookup.version()
    for column in "ideg":
        lookup.check([column], spark.sql(f"SELECT {column} FROM t WHERE i % 4 = 0"), old=old, new=new)
    wide = spark.sql("SELECT explode(array(10L, 9223372036854775807L))")
    lookup.check(["i"], wide, old=old, new=new)


def test_footers_and_page_indexes_are_read_once(lake: Connection) -> None:
    spark, lookup = internals.spark(lake), Lookup(lake)
    spark.sql("CREATE TABLE t AS SELECT id AS k, concat('v', id) AS v FROM range(0, 100000, 1, 1)")
    wanted = spark.sql("SELECT explode(array(7L, 50000L))")
    first, second = (lookup.check(["k"], wanted, new=lookup.version()).figures for _ in range(2))
    assert 0 < second.bytes < first.bytes
    assert second.values_examined < 100_000
    assert (first.rows_found, first.files, first.pages) == (second.rows_found, second.files, second.pages)


def test_keys_of_small_files_are_read_once(lake: Connection) -> None:
    """Of each file that has changed rows from everywhere, as updates leave them."""
    spark, lookup = internals.spark(lake), Lookup(lake)
    spark.sql("CREATE TABLE t (k BIGINT, v STRING)")
    for number in range(3):
        spark.sql(f"INSERT INTO t SELECT 10 * id + {number}, 'v' FROM range(0, 50, 1, 1)")
    found = [
        lookup.check(["k"], spark.sql(f"SELECT explode(array({wanted}))"), new=lookup.version()).figures
        for wanted in ("11L, 400L", "5L, 25L", "42L")
    ]
    assert [each.rows_found for each in found] == [2, 0, 1]
    assert [each.files for each in found] == [3, 0, 1]
    assert found[0].values_examined >= 150
    assert found[2].values_examined <= 2


def test_rows_of_known_keys_are_not_read_again(lake: Connection) -> None:
    spark, lookup = internals.spark(lake), Lookup(lake)
    spark.sql("CREATE TABLE t AS SELECT CAST(id % 10 AS INT) AS k, id AS v FROM range(0, 30, 1, 2)")
    spark.sql("INSERT INTO t VALUES (NULL, 30), (NULL, 31)")
    version = lookup.version()
    lookup.lookups = KeyLookups(lookup.session)
    found = [
        lookup.check(["k"], keys(spark, values, "k"), new=version).figures
        for values in ("(1), (2), (77)", "(2), (3), (3), (77)", "(3), (1), (2)", "(NULL), (1)")
    ]
    assert [(each.rows_found, each.rows_read) for each in found] == [(6, 6), (6, 3), (9, 0), (5, 2)]
    assert found[2].files == 0
    spark.sql("DELETE FROM t WHERE v = 1")
    assert lookup.check(["k"], keys(spark, "(1)", "k"), new=lookup.version()).figures.rows_read == 2


def test_files_without_page_indexes(lake: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """As other programs write them: the rows are found by decoding the key column."""
    monkeypatch.setattr(key_lookup, "SMALL_FILE", 0)
    spark, lookup = internals.spark(lake), Lookup(lake)
    spark.sql("CREATE TABLE t (k INT, v STRING, n ARRAY<INT>)")
    append_without_page_indexes(lookup, 1000)
    spark.sql("INSERT INTO t VALUES (7, 'seven', array(7))")
    for values in ("(7)", "(0), (499), (999), (1000)", "(NULL), (8)"):
        found = lookup.check(["k"], keys(spark, values, "k"), new=lookup.version())
        assert found.figures.values_examined >= 999
    lookup.check(["v", "k"], spark.sql("SELECT v, k FROM t WHERE k % 100 = 7"), new=lookup.version())


def append_without_page_indexes(lookup: Lookup, rows: int) -> None:
    def field(name: str, kind: pa.DataType, number: int) -> pa.Field:
        return pa.field(name, kind, metadata={"PARQUET:field_id": str(number)})

    table = lookup.session.catalog.loaded_anew(lookup.name).java
    path = Path(urlsplit(table.location()).path) / "data" / "foreign.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    numbers = [None if number == 8 else number for number in range(rows)]
    columns = [numbers, [f"v{n}" for n in range(rows)], [None if n % 3 else [n, None] for n in range(rows)]]
    kinds = [
        field("k", pa.int32(), 1),
        field("v", pa.string(), 2),
        field("n", pa.list_(field("element", pa.int32(), 4)), 3),
    ]
    arrays = [pa.array(values, kind.type) for values, kind in zip(columns, kinds, strict=True)]
    written = pa.Table.from_arrays(arrays, schema=pa.schema(kinds))
    pyarrow.parquet.write_table(written, path, row_group_size=300, data_page_size=100)
    files = internals.jvm(lookup.session.spark).org.apache.iceberg.DataFiles
    file = files.builder(table.spec()).withPath(str(path)).withFormat("parquet")
    file = file.withFileSizeInBytes(path.stat().st_size).withRecordCount(rows).build()
    table.newAppend().appendFile(file).commit()


class TestObstacles:
    def reason(self, lake: Connection, key: str = "k", value: str = "1") -> str:
        lookup = Lookup(lake)
        wanted = internals.spark(lake).sql(f"SELECT {value}")
        found = lookup.find([key], wanted, new=lookup.version())
        assert isinstance(found, NotFoundThisWay)
        return found.reason

    def test_more_rows_than_the_limit(self, lake: Connection) -> None:
        spark, lookup = internals.spark(lake), Lookup(lake)
        spark.sql("CREATE TABLE t AS SELECT id % 3 AS k FROM range(0, 30, 1, 2)")
        wanted = spark.sql("SELECT 1L")
        found = lookup.find(["k"], wanted, new=lookup.version(), limit=9)
        assert found == NotFoundThisWay(
            f"more rows of {lookup.name} have one of the keys than are kept in memory"
        )
        lookup.check(["k"], wanted, new=lookup.version())

    def test_rows_that_take_more_than_their_share_of_the_heap(
        self, lake: Connection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Text that compresses well: the size of the file does not show it."""
        spark, lookup = internals.spark(lake), Lookup(lake)
        heap = internals.heap_bytes(spark)
        spark.sql("CREATE TABLE t AS SELECT id % 3 AS k, repeat('x', 1000 * id) AS v FROM range(0, 30, 1, 2)")
        wanted = spark.sql("SELECT 1L")
        monkeypatch.setattr(driver_memory, "SHARE", heap // 50_000)
        found = lookup.find(["k"], wanted, new=lookup.version())
        assert found == NotFoundThisWay(
            f"more rows of {lookup.name} have one of the keys than are kept in memory"
        )
        lookup.check(["k"], wanted, columns=["k"], new=lookup.version())

    def test_keys_of_floating_point(self, lake: Connection) -> None:
        internals.spark(lake).sql("CREATE TABLE t AS SELECT 1.5D AS k")
        assert self.reason(lake, value="1.5D") == "rows cannot be found by column k of type double"
        table = Lookup(lake)
        assert lookup_obstacle(table.session, table.table, ["k"], ["k"]) is not None
        assert lookup_obstacle(table.session, table.table, ["_pos"], []) is None

    @pytest.mark.parametrize("kind", ["variant", "unknown", "uuid", "fixed", "time", "timestamp_ns"])
    def test_types_that_spark_might_read_otherwise(self, lake: Connection, kind: str) -> None:
        spark = internals.spark(lake)
        spark.sql("CREATE TABLE t AS SELECT 1 AS k")
        types = internals.jvm(spark).org.apache.iceberg.types.Types
        made = {
            "variant": types.VariantType.get,
            "unknown": types.UnknownType.get,
            "uuid": types.UUIDType.get,
            "fixed": lambda: types.FixedType.ofLength(4),
            "time": types.TimeType.get,
            "timestamp_ns": types.TimestampNanoType.withoutZone,
        }[kind]()
        table = Lookup(lake).session.catalog.loaded_anew(Lookup(lake).name)
        table.java.updateSchema().addColumn("v", made).commit()
        assert self.reason(lake).startswith("column v has values of type ")
        spark.sql("DROP TABLE t")

    @pytest.mark.parametrize("kind", ["orc", "avro"])
    def test_other_formats(self, lake: Connection, kind: str) -> None:
        internals.spark(lake).sql(
            f"CREATE TABLE t TBLPROPERTIES ('write.format.default' = '{kind}') AS SELECT 1 AS k"
        )
        assert self.reason(lake) == f"a data file has the format {kind.upper()}"

    def test_equality_deletes(self, lake: Connection) -> None:
        table = Watched.make(lake, "(k INT, v STRING) TBLPROPERTIES ('format-version' = '2')")
        table.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
        delete_where_k_is(table, 2)
        assert self.reason(lake, value="2") == "a data file has equality deletes"

    def test_a_file_that_lacks_a_column_with_an_initial_default(self, lake: Connection) -> None:
        spark = internals.spark(lake)
        spark.sql("CREATE TABLE t AS SELECT 1 AS k")
        jvm, lookup = internals.jvm(spark), Lookup(lake)
        literal = jvm.org.apache.iceberg.expressions.Literal.of("?")
        update = lookup.session.catalog.loaded_anew(lookup.name).java.updateSchema()
        update.addColumn("c", jvm.org.apache.iceberg.types.Types.StringType.get(), literal).commit()
        assert self.reason(lake) == "field c has an initial default"
        wanted = spark.sql("SELECT 1")
        lookup.check(["k"], wanted, new=lookup.version(), columns=["k", "_pos"])

    def test_a_struct_of_which_a_file_stores_no_field(self, lake: Connection) -> None:
        spark = internals.spark(lake)
        spark.sql("CREATE TABLE t AS SELECT 1 AS k, named_struct('a', 1) AS s")
        spark.sql("ALTER TABLE t ADD COLUMN s.b INT")
        spark.sql("ALTER TABLE t DROP COLUMN s.a")
        assert self.reason(lake).startswith("field s is stored as required group s")

    def test_files_without_field_ids(self, lake: Connection, tmp_path: Path) -> None:
        spark, lookup = internals.spark(lake), Lookup(lake)
        spark.sql("CREATE TABLE t (k INT)")
        spark.range(3).selectExpr("CAST(id AS INT) AS k").write.parquet(str(tmp_path / "files"))
        spark.sql(
            "CALL lake.system.add_files("
            f"table => '{lookup.name.schema}.t', source_table => '`parquet`.`{tmp_path / 'files'}`')"
        )
        assert self.reason(lake) == "a data file has no field IDs"
