"""DESC and SHOW CREATE TABLE."""

from __future__ import annotations

import getpass
import re
from dataclasses import replace

import pytest

from headrace.commands.describe import show_properties
from headrace.connection import Connection
from headrace.model.dynamic_table import DynamicTable
from tests import internals
from tests.commands.described import described
from tests.oracle import assert_exact

SETUP = """
CREATE TABLE orders (id BIGINT, product STRING, quantity INT) COMMENT 'all of them';
INSERT INTO orders VALUES (1, 'lamp', 2), (2, 'desk', 1);
CREATE VIEW big AS SELECT id, quantity * 2 AS doubled FROM orders WHERE quantity > 1
"""
MOMENT = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{3})?"


def test_a_dynamic_table(lake: Connection) -> None:
    lake.sql(SETUP)
    lake.sql(
        "CREATE DYNAMIC TABLE sales COMMENT 'by product' PROPERTIES ('refresh_vc' = 'default') "
        "REFRESH INTERVAL 10 MINUTE AS SELECT product, sum(quantity) AS sold FROM orders GROUP BY product"
    )
    columns = [("product", "string"), ("sold", "bigint")]
    for statement in ("DESC sales", "DESCRIBE TABLE sales", "DESC DYNAMIC TABLE sales"):
        shown = lake.sql(statement)
        assert shown.columns == ["column_name", "data_type"]
        assert shown.fetchall() == columns
    source = f"lake.{lake.schema}.orders"
    assert described(lake, "sales")["source_tables"] == f"[{source}=]"
    assert described(lake, "sales")["refresh_mode"] == "AUTO"

    lake.sql("REFRESH DYNAMIC TABLE sales")
    extended = lake.sql("DESC DYNAMIC TABLE EXTENDED sales").fetchall()
    assert extended == lake.sql("DESC EXTENDED sales").fetchall()
    assert [key for key, _ in extended] == [
        "product",
        "sold",
        "detailed table information",
        "workspace",
        "schema",
        "name",
        "creator",
        "created_time",
        "last_modified_time",
        "comment",
        "properties",
        "type",
        "view_text",
        "view_original_text",
        "source_tables",
        "state",
        "refresh_type",
        "refresh_mode",
        "refresh_start_time",
        "refresh_interval_second",
        "refresh_vcluster",
        "unique_key_is_valid",
        "unique_key_version_info",
        "key_index_use",
        "key_indexes",
        "stored_groups",
        "partitioning",
        "format",
        "format_options",
        "statistics",
    ]
    details = dict(extended)
    assert details["detailed table information"] is None
    exact = {
        "workspace": "lake",
        "schema": lake.schema,
        "name": "sales",
        "creator": getpass.getuser(),
        "comment": "by product",
        "properties": '(("refresh_vc","default"))',
        "type": "DYNAMIC TABLE",
        "view_text": (
            f"SELECT orders.product AS product, SUM(orders.quantity) AS sold FROM {source} AS orders "
            "GROUP BY orders.product"
        ),
        "view_original_text": "SELECT product, sum(quantity) AS sold FROM orders GROUP BY product",
        "refresh_type": "on schedule",
        "refresh_mode": "AUTO (last: FULL, first refresh)",
        "refresh_interval_second": "600",
        "refresh_vcluster": "DEFAULT",
        "key_index_use": "auto",
        "key_indexes": "none",
        "stored_groups": "none",
        "format": "PARQUET",
    }
    assert {key: details[key] for key in exact} == exact
    snapshot = lake.sql(f"SELECT snapshot_id FROM {lake.schema}.orders.snapshots").fetchall()[0][0]
    assert re.fullmatch(rf"\[[0-9a-f]{{8}}:{source}={snapshot}\]", details["source_tables"])
    assert re.fullmatch(r"2 rows [1-9]\d* bytes", details["statistics"])
    for key in ("created_time", "last_modified_time", "refresh_start_time"):
        assert re.fullmatch(MOMENT, details[key])
    assert details["refresh_start_time"] == details["created_time"]


def test_tables_and_views(lake: Connection) -> None:
    lake.sql(SETUP)
    assert lake.sql("DESC orders").fetchall() == [
        ("id", "bigint"),
        ("product", "string"),
        ("quantity", "int"),
    ]
    table = described(lake, "orders")
    assert (table["type"], table["comment"], table["name"]) == ("TABLE", "all of them", "orders")
    assert '("write.update.mode","merge-on-read")' in table["properties"]
    assert re.fullmatch(r"2 rows [1-9]\d* bytes", table["statistics"])
    assert lake.sql("DESC EXTENDED big").fetchall() == [
        ("id", "bigint"),
        ("doubled", "int"),
        ("detailed table information", None),
        ("workspace", "lake"),
        ("schema", lake.schema),
        ("name", "big"),
        ("type", "VIEW"),
        ("view_text", "SELECT id, quantity * 2 AS doubled FROM orders WHERE quantity > 1"),
    ]
    lake.sql("CREATE TABLE nested AS SELECT named_struct('a', 1, 'b c', array('x')) AS s, map('k', 1.5) AS m")
    assert lake.sql("DESC nested").fetchall() == [
        ("s", "struct<a:int,`b c`:array<string>>"),
        ("m", "map<string,decimal(2,1)>"),
    ]
    lake.sql("CREATE TEMPORARY VIEW scratch AS SELECT 1 AS a")
    assert lake.sql("DESC scratch").fetchall()[0][:2] == ("a", "int")
    assert lake.sql("DESC orders product").fetchall()[0] == ("col_name", "product")
    assert lake.sql("DESC SELECT 1 AS one").fetchall()[0][:2] == ("one", "int")
    assert lake.sql("DESC SCHEMA public").fetchall()[0] == ("Catalog Name", "lake")
    assert (
        lake.sql("SHOW CREATE TABLE orders")
        .fetchall()[0][0]
        .startswith(f"CREATE TABLE lake.{lake.schema}.orders (")
    )


def test_properties_as_text() -> None:
    assert show_properties({}) == "()"
    assert show_properties({"b": "2", "a": "1"}) == '(("a","1"),("b","2"))'


DEFINITIONS = {
    "plain": "CREATE DYNAMIC TABLE {name} AS SELECT id FROM orders",
    "full": r"""CREATE DYNAMIC TABLE {name} (`the key` COMMENT 'it''s \\ "the" key', product, day)
        PARTITIONED BY (product, bucket(4, `the key`)) CLUSTERED BY (day DESC)
        COMMENT 'line one
line two' PROPERTIES ('a''b' = 'c\\d', 'write.parquet.compression-codec' = 'gzip')
        REFRESH START WITH '2024-06-01 08:00:00' INTERVAL 90 SECOND VCLUSTER default_ap REFRESH_MODE = FULL
        AS WITH o AS (SELECT * FROM orders) -- all
           SELECT id, product, DATE '2024-01-01' AS d FROM o""",
    "hourly": "CREATE DYNAMIC TABLE {name} REFRESH INTERVAL 24 HOUR AS SELECT id AS `a b` FROM big",
}


@pytest.mark.parametrize("kind", DEFINITIONS)
def test_show_create_table_recreates(lake: Connection, kind: str) -> None:
    lake.sql(SETUP)
    lake.sql(DEFINITIONS[kind].format(name="`my table`"))
    (statement,) = lake.sql("SHOW CREATE TABLE `my table`").fetchall()[0]
    before = stored(lake)
    lake.sql("DROP DYNAMIC TABLE `my table`")
    lake.sql(statement)
    assert stored(lake) == before
    assert lake.sql("SHOW CREATE TABLE `my table`").fetchall() == [(statement,)]
    lake.sql("REFRESH DYNAMIC TABLE `my table`")
    assert_exact(lake, "`my table`", before.definition.query)


def test_show_create_table_means_the_same_from_another_schema(lake: Connection) -> None:
    lake.sql(SETUP)
    lake.sql("CREATE DYNAMIC TABLE `my table` AS SELECT product FROM orders")
    before, home = stored(lake), lake.schema
    lake.sql(f"CREATE SCHEMA {home}_2; USE {home}_2; CREATE TABLE orders (product STRING)")
    (statement,) = lake.sql(f"SHOW CREATE TABLE {home}.`my table`").fetchall()[0]
    lake.sql(f"DROP DYNAMIC TABLE {home}.`my table`")
    lake.sql(statement)
    lake.sql(f"USE {home}")
    assert stored(lake).definition.expanded == before.definition.expanded


def stored(lake: Connection) -> DynamicTable:
    """The definition, without what differs between two creations."""
    found = internals.definition(lake, "my table")
    assert found is not None
    return replace(found, id="", created_at=found.created_at.min, modified_at=found.created_at.min)


def test_show_create_table_as_text(lake: Connection) -> None:
    lake.sql(SETUP)
    lake.sql("CREATE DYNAMIC TABLE sold REFRESH INTERVAL 120 MINUTE AS SELECT product, quantity FROM orders")
    assert lake.sql("SHOW CREATE TABLE sold").fetchall() == [
        (
            f"CREATE DYNAMIC TABLE lake.{lake.schema}.sold\n"
            "(product, quantity)\n"
            "REFRESH INTERVAL 2 HOUR VCLUSTER default\n"
            "AS\n"
            "SELECT product, quantity FROM orders",
        )
    ]
