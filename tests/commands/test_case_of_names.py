"""A name in another case means the only thing that it can mean."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from headrace import errors
from headrace.connection import Connection
from headrace.lake.directory import make_lake
from tests.commands.described import described
from tests.oracle import last_refresh


@pytest.fixture
def shop(lake: Connection) -> Connection:
    lake.sql("CREATE TABLE orders (id INT, amount INT); INSERT INTO orders VALUES (1, 10), (2, 20)")
    lake.sql("CREATE VIEW large AS SELECT * FROM orders WHERE amount > 15")
    return lake


def rows(lake: Connection, query: str) -> list[tuple[object, ...]]:
    return sorted(lake.sql(query).fetchall(), key=str)


def test_queries(shop: Connection) -> None:
    schema = shop.schema.upper()
    assert rows(shop, "SELECT ORDERS.id FROM ORDERS") == [(1,), (2,)]
    assert rows(shop, f"SELECT o.id FROM {schema}.Orders o JOIN lake.{schema}.LARGE l ON o.id = l.id") == [
        (2,)
    ]
    assert rows(shop, "WITH orders2 AS (SELECT * FROM ORDERS) SELECT count(*) FROM Orders2") == [(2,)]
    assert len(rows(shop, f"SELECT snapshot_id FROM {schema}.ORDERS.snapshots")) == 1
    assert rows(shop, "SELECT count(*) FROM ORDERS TIMESTAMP AS OF now()") == [(2,)]
    assert rows(shop, "SELECT count(*) FROM IDENTIFIER('OrderS')") == [(2,)]


def test_changes_of_rows(shop: Connection) -> None:
    shop.sql("INSERT INTO ORDERS VALUES (3, 30); UPDATE Orders SET amount = 11 WHERE id = 1")
    shop.sql(
        "MERGE INTO ORDERS t USING (SELECT 4 AS id) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT (id) VALUES (4)"
    )
    shop.sql("DELETE FROM oRDERS WHERE id = 2")
    assert rows(shop, "SELECT * FROM orders") == [(1, 11), (3, 30), (4, None)]
    shop.sql("TRUNCATE TABLE ORDERS")
    assert rows(shop, "SELECT * FROM orders") == []


def test_definitions(shop: Connection) -> None:
    schema = shop.schema.upper()
    shop.sql("ALTER TABLE ORDERS ADD COLUMN city STRING; DESC TABLE ORDERS; SHOW CREATE TABLE Orders")
    assert rows(shop, f"SHOW TABLES IN {schema}") == rows(shop, f"SHOW TABLES IN {shop.schema}")
    shop.sql(f"CREATE TABLE {schema}.more (a INT); CREATE VIEW {schema}.V AS SELECT 1 AS one")
    shop.sql("CREATE OR REPLACE VIEW LARGE AS SELECT id FROM orders; DROP VIEW v")
    shop.sql("CREATE OR REPLACE TABLE MORE AS SELECT 1 AS b; ALTER TABLE MORE RENAME TO More")
    shop.sql("ALTER TABLE more RENAME TO others; DROP TABLE OTHERS; UNDROP TABLE others")
    assert shop.table_names() == ["large", "orders", "others"]
    assert rows(shop, "SELECT * FROM large") == [(1,), (2,)]
    shop.sql(f"USE lake.{schema}")
    assert shop.schema == schema.lower()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE ORDERS (a INT)",
        "CREATE TABLE LARGE (a INT)",
        "CREATE TABLE ORDERS AS SELECT 1 AS a",
        "CREATE VIEW ORDERS AS SELECT 1 AS a",
        "CREATE VIEW LARGE AS SELECT 1 AS a",
        "CREATE DYNAMIC TABLE ORDERS AS SELECT 1 AS a",
        "CREATE TABLE STREAM ORDERS ON TABLE orders",
    ],
)
def test_a_name_is_taken_in_any_case(statement: str, shop: Connection) -> None:
    with pytest.raises(errors.AlreadyExists):
        shop.sql(statement)
    assert shop.table_names() == ["large", "orders"]
    shop.sql("CREATE TABLE IF NOT EXISTS ORDERS (a INT)")
    assert shop.table_names() == ["large", "orders"]


@pytest.mark.incremental
def test_dynamic_tables(shop: Connection) -> None:
    shop.sql(
        "CREATE DYNAMIC TABLE Sales AS "
        "SELECT O.id, sum(ORDERS.amount) AS total FROM ORDERS, Large O GROUP BY O.id"
    )
    name = f"lake.{shop.schema}.Sales"
    assert f"lake.{shop.schema}.orders" in described(shop, "SALES")["source_tables"]
    shop.sql("REFRESH DYNAMIC TABLE SALES; INSERT INTO Orders VALUES (5, 50); REFRESH DYNAMIC TABLE sales")
    assert last_refresh(shop, "SALES")["refresh_mode"] == "INCREMENTAL"
    assert shop.sql("SELECT * FROM SALES").columns == ["id", "total"]
    assert rows(shop, "SELECT SALES.id FROM SALES") == [(2,), (5,)]
    assert shop.sql("VERIFY DYNAMIC TABLE sAles").df()["result"][0] == "exact"
    for refused in (
        "INSERT INTO SALES VALUES (1, 1)",
        "DROP TABLE SALES",
        "ALTER TABLE sales ADD COLUMN x INT",
    ):
        with pytest.raises(errors.Refused, match=name):
            shop.sql(refused)
    with pytest.raises(errors.Refused, match=name):
        shop.sql(f"CALL lake.system.rollback_to_snapshot('{shop.schema}.SALES', 1)")
    with pytest.raises(errors.Refused, match="Sales"):
        shop.sql(f"DROP SCHEMA {shop.schema.upper()}")
    shop.sql("ALTER DYNAMIC TABLE SALES SUSPEND; ALTER DYNAMIC TABLE SALES RENAME TO sales")
    assert described(shop, "Sales")["state"] == "suspended"
    shop.sql("DROP DYNAMIC TABLE SALES")


def test_streams(shop: Connection) -> None:
    shop.sql(
        "CREATE TABLE STREAM news ON TABLE ORDERS; INSERT INTO orders VALUES (3, 30); "
        "CREATE TABLE seen (id INT)"
    )
    assert rows(shop, "SELECT id FROM NEWS") == [(3,)]
    shop.sql("INSERT INTO SEEN SELECT id FROM News")
    assert rows(shop, "SELECT id FROM seen") == [(3,)]
    assert rows(shop, "SELECT id FROM NEWS") == []
    shop.sql("DESC TABLE STREAM NEWS; DROP TABLE STREAM NEWS")


def test_exactly_this_name_goes_first_and_two_others_are_too_many(
    tmp_path: Path, new_lake: Callable[..., Connection]
) -> None:
    make_lake(tmp_path / "lake")
    settings = tmp_path / "lake" / "lake.toml"
    settings.write_text(settings.read_text() + "case_insensitive_names = false\n")
    lake = new_lake()
    lake.sql(
        "CREATE TABLE t1 AS SELECT 1 AS a; CREATE TABLE T1 AS SELECT 2 AS a; CREATE TABLE u AS SELECT 3 AS a;"
        "CREATE TABLE Tt (a INT); CREATE TABLE tT (a INT)"
    )
    assert rows(lake, "SELECT * FROM T1") == [(2,)]
    with pytest.raises(errors.NotFound):
        lake.sql("SELECT * FROM U")
    lake.close()
    settings.write_text(settings.read_text().replace("= false", "= true"))
    lake = new_lake()
    assert rows(lake, "SELECT t1.a FROM t1 UNION ALL SELECT a FROM T1 UNION ALL SELECT a FROM U") == [
        (1,),
        (2,),
        (3,),
    ]
    for several in (
        "SELECT * FROM TT",
        "INSERT INTO TT VALUES (1)",
        "CREATE TABLE TT (a INT)",
        "DROP TABLE TT",
    ):
        with pytest.raises(errors.NotFound, match=r"did you mean lake.public.Tt or lake.public.tT\?"):
            lake.sql(several)
    lake.sql("CREATE SCHEMA other")
    with pytest.raises(errors.AlreadyExists):
        lake.sql("CREATE SCHEMA OTHER")
