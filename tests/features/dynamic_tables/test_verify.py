"""VERIFY DYNAMIC TABLE: the answer, what it is measured against, and when there is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from headrace.connection import Connection
from headrace.errors import Error, InterfaceError, OperationalError, Refused
from headrace.lake.commit.guarded_commit import GuardedTable
from headrace.lake.table.tables import Table
from headrace.refresh.observe import last_record
from headrace.refresh.record import REFRESH_ID
from tests import internals
from tests.refresh.helpers import as_dict, refresh

SALES = """
CREATE TABLE orders (id INT, product STRING, amount INT);
INSERT INTO orders VALUES (1, 'lamp', 5), (2, 'desk', 7), (3, 'lamp', 5), (4, 'lamp', 5);
CREATE DYNAMIC TABLE sold AS SELECT product, amount FROM orders;
REFRESH DYNAMIC TABLE sold
"""


@pytest.fixture
def shop(lake: Connection) -> Connection:
    lake.sql(SALES)
    return lake


def counts(lake: Connection, table: str) -> tuple[str, int, int]:
    row = as_dict(lake.sql(f"VERIFY DYNAMIC TABLE {table}"))
    return row["result"], row["missing_rows"], row["extra_rows"]


def loaded(lake: Connection, table: str) -> Table:
    context = internals.statement_context(lake)
    return context.lake.catalog_session.catalog.existing_table(context.session.resolve((table,)))


def refused(lake: Connection, table: str) -> Error:
    with pytest.raises(Error) as caught:
        lake.sql(f"VERIFY DYNAMIC TABLE {table}")
    assert caught.value.place is not None
    assert caught.value.place.column == len("VERIFY DYNAMIC TABLE ") + 1
    return caught.value


EXACT = ("exact", 0, 0)


class TestExact:
    def test_answer(self, shop: Connection) -> None:
        result = shop.sql("VERIFY DYNAMIC TABLE sold")
        recorded = last_record(loaded(shop, "sold"))
        assert recorded is not None
        assert as_dict(result) == {
            "schema_name": shop.schema,
            "name": "sold",
            "result": "exact",
            "missing_rows": 0,
            "extra_rows": 0,
            "table_rows": 4,
            "source_versions": json.dumps(
                {f"lake.{shop.schema}.orders": loaded(shop, "orders").version.snapshot_id},
                separators=(",", ":"),
            ),
            "job_id": recorded.refresh_id,
            "key_indexes": 0,
            "wrong_key_indexes": 0,
            "stored_groups": 0,
            "wrong_stored_groups": 0,
        }
        assert result.notices == ()

    def test_nothing_changes(self, shop: Connection) -> None:
        def state() -> tuple[object, ...]:
            store = internals.store(shop)
            locations = [loaded(shop, name).location for name in ("orders", "sold")]
            return locations, store.definitions.all(), store.refreshes.history()

        before = state()
        shop.sql("VERIFY DYNAMIC TABLE sold")
        assert state() == before

    @pytest.mark.incremental
    def test_sources_moved_on(self, shop: Connection) -> None:
        shop.sql("DELETE FROM orders WHERE id = 1; INSERT INTO orders VALUES (5, 'chair', 1)")
        assert counts(shop, "sold") == EXACT
        assert refresh(shop, "sold")["refresh_mode"] == "INCREMENTAL"
        shop.sql("INSERT INTO orders VALUES (6, 'chair', 1)")
        assert refresh(shop, "sold")["refresh_mode"] == "INCREMENTAL"
        assert counts(shop, "sold") == EXACT

    def test_columns_of_a_source_moved_on(self, shop: Connection) -> None:
        shop.sql("CREATE DYNAMIC TABLE copy AS SELECT * FROM orders; REFRESH DYNAMIC TABLE copy")
        shop.sql("ALTER TABLE orders ADD COLUMN extra INT; ALTER TABLE orders RENAME COLUMN product TO thing")
        shop.sql("ALTER TABLE orders DROP COLUMN amount")
        assert counts(shop, "sold") == EXACT
        assert counts(shop, "copy") == EXACT

    def test_an_empty_source_got_other_columns(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT, b STRING)")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT t.b, count(*) AS n FROM t GROUP BY b")
        refresh(lake, "d")
        lake.sql("ALTER TABLE t RENAME COLUMN b TO z; INSERT INTO t VALUES (1, 'x')")
        assert counts(lake, "d") == EXACT

    def test_columns_added_but_not_in_a_snapshot_at_the_refresh(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1); ALTER TABLE t ADD COLUMN b STRING")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT * FROM t; REFRESH DYNAMIC TABLE d")
        lake.sql("INSERT INTO t VALUES (2, 'x')")
        assert counts(lake, "d") == EXACT

    def test_listed_names_views_and_layers(self, shop: Connection) -> None:
        shop.sql("CREATE VIEW lamps AS SELECT amount FROM orders WHERE product = 'lamp'")
        shop.sql("CREATE DYNAMIC TABLE n (`how many`, `a.b`) AS SELECT count(*), 1 FROM lamps")
        refresh(shop, "n")
        shop.sql("CREATE DYNAMIC TABLE above AS SELECT DISTINCT product FROM sold -- all of them")
        refresh(shop, "above")
        shop.sql("DROP VIEW lamps")
        assert counts(shop, "n") == EXACT
        assert counts(shop, "above") == EXACT

    def test_all_sorts_of_types(self, lake: Connection) -> None:
        lake.sql(
            """CREATE TABLE t (
                 n INT, d DOUBLE, f FLOAT, bin BINARY, at TIMESTAMP, local TIMESTAMP_NTZ, p DECIMAL(20, 4),
                 m MAP<STRING, ARRAY<INT>>, v VARIANT, s STRUCT<m: MAP<INT, VARIANT>, y: INT>,
                 a ARRAY<DOUBLE>);
               INSERT INTO t VALUES
                 (1, double('NaN'), float('-0.0'), X'00FF',
                  TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP_NTZ '2024-01-01 00:00:00', 1.5,
                  map('k', array(1), 'j', NULL), parse_json('{"b": 1, "a": [1, "x", null]}'),
                  named_struct('m', map(2, parse_json('2'), 1, NULL), 'y', 1), array(double('NaN'), NULL)),
                 (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
               CREATE DYNAMIC TABLE d AS SELECT *, CAST(n AS TINYINT) AS small, array(m) AS nested FROM t"""
        )
        refresh(lake, "d")
        assert counts(lake, "d") == EXACT

    def test_the_users_settings_do_not_matter(self, lake: Connection) -> None:
        lake.sql("CREATE TABLE t (a STRING); INSERT INTO t VALUES ('1')")
        lake.sql(
            "CREATE DYNAMIC TABLE d AS SELECT CAST(TIMESTAMP '2024-01-01 00:00:00Z' AS STRING) AS x FROM t"
        )
        refresh(lake, "d")
        lake.sql(
            "SET spark.sql.session.timeZone = America/New_York; CREATE TEMPORARY VIEW t AS SELECT 2 AS a"
        )
        assert counts(lake, "d") == EXACT

    def test_on_the_recorded_date(self, new_lake: Callable[..., Connection]) -> None:
        now = datetime(2024, 6, 1, tzinfo=UTC)
        lake = new_lake(clock=lambda: now)
        lake.sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT a, current_date AS today FROM t; REFRESH DYNAMIC TABLE d")
        now = datetime(2024, 6, 2, tzinfo=UTC)
        assert counts(lake, "d") == EXACT


class TestDifferent:
    def test_another_program_wrote(self, shop: Connection, plain_spark: SparkSession) -> None:
        name = f"lake.{shop.schema}.sold"
        plain_spark.sql(
            f"INSERT INTO {name} (product, amount) VALUES ('desk', 7), ('desk', 7), ('sofa', NULL)"
        )
        plain_spark.sql(f"DELETE FROM {name} WHERE product = 'lamp'")
        result = shop.sql("VERIFY DYNAMIC TABLE sold")
        row = as_dict(result)
        assert (row["result"], row["missing_rows"], row["extra_rows"]) == ("different", 3, 3)
        assert row["table_rows"] == 4
        assert result.notices == (
            f"another program has written to {name} since its last refresh",
            'missing 3 times: {"product":"lamp","amount":5}',
            'extra 2 times: {"product":"desk","amount":7}',
            'extra: {"product":"sofa","amount":null}',
            f"REFRESH DYNAMIC TABLE {name} FULL corrects its rows",
        )
        refresh(shop, "sold", full=True)
        assert counts(shop, "sold") == EXACT

    def test_a_refresh_wrote_wrong_rows(self, shop: Connection, plain_spark: SparkSession) -> None:
        summary = loaded(shop, "sold").bookkeeping(REFRESH_ID)
        assert summary is not None
        for key, value in summary.summary.items():
            if key.startswith("headrace."):
                plain_spark.conf.set(f"spark.sql.iceberg.snapshot-property.{key}", value)
        plain_spark.sql(
            f"INSERT INTO lake.{shop.schema}.sold (product, amount) "
            "SELECT concat('thing ', id), 1 FROM range(1000)"
        )
        result = shop.sql("VERIFY DYNAMIC TABLE sold")
        row = as_dict(result)
        assert (row["missing_rows"], row["extra_rows"], row["table_rows"]) == (0, 1000, 1004)
        assert result.notices[:2] == (
            'extra: {"product":"thing 0","amount":1}',
            'extra: {"product":"thing 1","amount":1}',
        )
        assert result.notices[5:] == (
            "995 more rows differ",
            f"REFRESH DYNAMIC TABLE lake.{shop.schema}.sold FULL corrects its rows",
        )

    def test_all_rows_are_gone(self, shop: Connection, plain_spark: SparkSession) -> None:
        plain_spark.sql(f"DELETE FROM lake.{shop.schema}.sold")
        assert counts(shop, "sold") == ("different", 4, 0)

    @pytest.mark.parametrize(
        ("kind", "held", "other"),
        [
            (
                "VARIANT",
                "to_variant_object(named_struct('a', 1))",
                "to_variant_object(named_struct('a', '1'))",
            ),
            ("VARIANT", "CAST(DATE '2024-01-01' AS VARIANT)", "CAST('2024-01-01' AS VARIANT)"),
            ("MAP<STRING, INT>", "map('a', 1, 'b', 2)", "map('a', 2, 'b', 1)"),
            ("STRUCT<m: MAP<INT, INT>>", "named_struct('m', map())", "named_struct('m', NULL)"),
            ("STRUCT<m: MAP<INT, INT>>", "named_struct('m', NULL)", "NULL"),
            ("ARRAY<STRING>", "array('a', 'b')", "array('a,b')"),
        ],
    )
    def test_values_that_look_alike(
        self, lake: Connection, plain_spark: SparkSession, kind: str, held: str, other: str
    ) -> None:
        lake.sql(f"CREATE TABLE t (c {kind}); INSERT INTO t SELECT {held}")
        lake.sql("CREATE DYNAMIC TABLE d AS SELECT c FROM t; REFRESH DYNAMIC TABLE d")
        assert counts(lake, "d") == EXACT
        plain_spark.sql(f"INSERT OVERWRITE lake.{lake.schema}.d (c) SELECT {other}")
        assert counts(lake, "d") == ("different", 1, 1)

    def test_long_rows_are_cut(self, shop: Connection, plain_spark: SparkSession) -> None:
        plain_spark.sql(f"INSERT INTO lake.{shop.schema}.sold (product, amount) SELECT repeat('x', 10000), 1")
        assert max(map(len, shop.sql("VERIFY DYNAMIC TABLE sold").notices)) < 330

    def test_hidden_columns_are_not_compared(self, shop: Connection, plain_spark: SparkSession) -> None:
        plain_spark.sql(f"ALTER TABLE lake.{shop.schema}.sold ADD COLUMN __hr_more INT FIRST")
        assert counts(shop, "sold") == EXACT


class TestNoAnswer:
    def test_parameters(self, shop: Connection) -> None:
        with pytest.raises(InterfaceError, match="does not accept parameters"):
            shop.sql("VERIFY DYNAMIC TABLE sold", [1])

    def test_source_dropped(self, shop: Connection) -> None:
        shop.sql("DROP TABLE orders")
        error = refused(shop, "sold")
        here = f"lake.{shop.schema}"
        assert isinstance(error, OperationalError)
        assert (
            error.message
            == f"{here}.sold cannot be verified: {here}.orders was dropped since its last refresh"
        )
        assert error.hint == f"create {here}.orders again and REFRESH DYNAMIC TABLE {here}.sold"

    def test_source_created_again(self, shop: Connection) -> None:
        shop.sql("DROP TABLE orders; CREATE TABLE orders (id INT, product STRING, amount INT)")
        assert "orders was dropped and created again since its last refresh" in refused(shop, "sold").message
        refresh(shop, "sold")
        assert counts(shop, "sold") == EXACT

    def test_source_replaced(self, shop: Connection) -> None:
        shop.sql("CREATE OR REPLACE TABLE orders AS SELECT 'other' AS product, array(1) AS amount")
        assert counts(shop, "sold") == EXACT

    def test_source_version_expired(self, shop: Connection) -> None:
        version = loaded(shop, "orders").version
        shop.sql("INSERT INTO orders VALUES (9, 'chair', 1)")
        java: Any = loaded(shop, "orders").java
        java.expireSnapshots().expireSnapshotId(version.snapshot_id).commit()
        error = refused(shop, "sold")
        assert f"version {version} of lake.{shop.schema}.orders has expired since" in error.message
        assert error.hint == f"REFRESH DYNAMIC TABLE lake.{shop.schema}.sold FULL recomputes it"
        refresh(shop, "sold")
        assert counts(shop, "sold") == EXACT

    def test_definition_replaced(self, shop: Connection) -> None:
        table = loaded(shop, "sold")
        recorded = table.bookkeeping(REFRESH_ID)
        assert recorded is not None
        own = {key: value for key, value in recorded.summary.items() if key.startswith("headrace.")}
        with GuardedTable(table, internals.session(shop)) as target:
            target.commit_nothing(own | {"headrace.definition": "another"})
        error = refused(shop, "sold")
        assert isinstance(error, Refused)
        assert "has not taken effect" in error.message

    def test_written_before_the_first_refresh(self, shop: Connection, plain_spark: SparkSession) -> None:
        shop.sql("CREATE DYNAMIC TABLE d AS SELECT id FROM orders")
        assert "has not been refreshed yet" in refused(shop, "d").message
        plain_spark.sql(f"INSERT INTO lake.{shop.schema}.d (id) VALUES (1)")
        assert refused(shop, "d").message == (
            f"lake.{shop.schema}.d has no refresh record: its rows were written by another program"
        )

    def test_a_file_of_a_source_is_lost(self, shop: Connection) -> None:
        for (file,) in shop.sql(f"SELECT file_path FROM lake.{shop.schema}.orders.files").fetchall():
            Path(file.removeprefix("file:")).unlink()
        error = refused(shop, "sold")
        assert isinstance(error, OperationalError)
        assert error.message.startswith(f"lake.{shop.schema}.sold could not be verified: a file is missing")

    def test_its_data_is_gone(self, shop: Connection, plain_spark: SparkSession) -> None:
        plain_spark.sql(f"DROP TABLE lake.{shop.schema}.sold")
        assert "another program dropped its Iceberg table" in refused(shop, "sold").message
