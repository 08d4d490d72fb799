"""Spark's own statements, on tables as a lake makes them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from headrace.connection import Connection
from headrace.errors import Error, InterfaceError
from tests.commands.described import iceberg_properties

ORDERS = """
CREATE TABLE orders (id INT, product STRING, quantity INT);
INSERT INTO orders VALUES (1, 'lamp', 2), (2, 'desk', 1), (3, 'rug', 5);
"""


def rows(lake: Connection, query: str) -> list[tuple[object, ...]]:
    return lake.sql(query).fetchall()


def test_tables_are_iceberg_v3_and_merge_on_read(lake: Connection) -> None:
    lake.sql(ORDERS)
    lake.sql("CREATE TABLE copied AS SELECT * FROM orders")
    lake.sql("CREATE TABLE old (a INT) TBLPROPERTIES ('format-version' = '2')")
    for table in ("orders", "copied"):
        properties = iceberg_properties(lake, table)
        modes = {properties[f"write.{what}.mode"] for what in ("delete", "update", "merge")}
        assert modes == {"merge-on-read"}
        assert dict(rows(lake, f"SHOW TBLPROPERTIES {table}"))["format-version"] == "3"
    assert dict(rows(lake, "SHOW TBLPROPERTIES old"))["format-version"] == "2"

    lake.sql("CREATE OR REPLACE TABLE copied AS SELECT /*+ COALESCE(1) */ * FROM orders")
    lake.sql("UPDATE copied SET quantity = 20 WHERE id = 1")
    files = rows(
        lake, f"SELECT content, file_format, record_count FROM {lake.schema}.copied.files ORDER BY 1, 3"
    )
    assert files == [(0, "PARQUET", 1), (0, "PARQUET", 3), (1, "PUFFIN", 1)]
    assert rows(lake, "SELECT count(DISTINCT _row_id) FROM copied") == [(3,)]


def test_writing(lake: Connection) -> None:
    lake.sql(ORDERS)
    lake.sql("UPDATE orders SET quantity = quantity + 10 WHERE product = 'lamp'")
    lake.sql("DELETE FROM orders WHERE id = 2")
    lake.sql(
        """MERGE INTO orders t
           USING (SELECT * FROM VALUES (3, 'rug', 6), (4, 'pen', 9) AS v(id, product, quantity)) s
           ON t.id = s.id
           WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"""
    )
    assert rows(lake, "SELECT * FROM orders ORDER BY id") == [(1, "lamp", 12), (3, "rug", 6), (4, "pen", 9)]
    lake.sql(
        "CREATE TABLE many AS SELECT * FROM orders; INSERT INTO many BY NAME SELECT 7 AS quantity, 5 AS id"
    )
    lake.sql("INSERT OVERWRITE orders SELECT * FROM many WHERE id > 3")
    assert rows(lake, "SELECT * FROM orders ORDER BY id") == [(4, "pen", 9), (5, None, 7)]
    lake.sql(
        "FROM many INSERT INTO orders SELECT * WHERE id = 1 INSERT INTO many SELECT 0, 'zero', 0 WHERE id = 1"
    )
    assert rows(lake, "SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM many)") == [(3, 5)]
    lake.sql("TRUNCATE TABLE orders")
    assert rows(lake, "SELECT * FROM orders") == []


def test_versions(lake: Connection) -> None:
    lake.sql(ORDERS)
    first, moment = rows(lake, f"SELECT snapshot_id, committed_at FROM {lake.schema}.orders.snapshots")[0]
    lake.sql("DELETE FROM orders WHERE id = 1")
    assert rows(lake, f"SELECT count(*) FROM orders VERSION AS OF {first}") == [(3,)]
    assert rows(lake, f"SELECT count(*) FROM orders TIMESTAMP AS OF '{moment}'") == [(3,)]
    assert rows(lake, "SELECT count(*) FROM orders") == [(2,)]
    lake.sql(f"CALL lake.system.rollback_to_snapshot('{lake.schema}.orders', {first})")
    assert rows(lake, "SELECT count(*) FROM orders") == [(3,)]


def test_sessions(lake: Connection) -> None:
    home = lake.schema
    lake.sql(ORDERS)
    lake.sql("CREATE VIEW big AS SELECT id FROM orders WHERE quantity > 1")
    lake.sql(f"CREATE SCHEMA {home}_b; USE {home}_b; CREATE TABLE orders (only_here INT)")
    assert lake.schema == f"{home}_b"
    assert rows(lake, f"SELECT count(*) FROM {home}.big") == [(2,)]
    assert lake.sql("SELECT * FROM orders").columns == ["only_here"]
    lake.sql(f"USE SCHEMA {home}")
    assert lake.sql("SELECT * FROM orders").columns == ["id", "product", "quantity"]
    lake.sql(f"USE lake.{home}_b; USE {home}")

    lake.sql("CREATE TEMPORARY VIEW scratch AS SELECT id * 2 AS twice FROM orders")
    assert rows(lake, "SELECT sum(twice) FROM scratch") == [(12,)]
    lake.sql("SET spark.sql.session.timeZone = Asia/Tokyo")
    assert rows(lake, "SELECT current_timezone()") == [("Asia/Tokyo",)]
    lake.sql("DECLARE OR REPLACE VARIABLE threshold INT DEFAULT 2")
    assert rows(lake, "SELECT count(*) FROM orders WHERE quantity > threshold") == [(1,)]
    lake.sql("DROP VIEW scratch; DROP VIEW big")
    with pytest.raises(Error, match="table or view scratch does not exist"):
        lake.sql("SELECT * FROM scratch")


def test_scripts_of_many_statements(lake: Connection) -> None:
    result = lake.sql(
        """
        -- a script; with a semicolon in a comment
        CREATE TABLE t (a STRING); ; /* and ; here */
        INSERT INTO t VALUES ('x;y'), ("it''s");
        BEGIN
          DECLARE n INT DEFAULT 2;
          WHILE n > 0 DO INSERT INTO t VALUES (CAST(n AS STRING)); SET n = n - 1; END WHILE;
        END;
        SELECT a FROM t ORDER BY a;
        """
    )
    assert result.fetchall() == [("1",), ("2",), ("it''s",), ("x;y",)]
    with pytest.raises(Error) as caught:
        lake.sql("INSERT INTO t VALUES ('kept');\n\nSELECT b\nFROM t;\nINSERT INTO t VALUES ('never')")
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == (3, 8)
    assert rows(lake, "SELECT count(*) FROM t WHERE a IN ('kept', 'never')") == [(1,)]


def test_qualify(lake: Connection) -> None:
    lake.sql(ORDERS)
    rank = "row_number() OVER (PARTITION BY product ORDER BY id)"
    latest = f"SELECT product, quantity FROM orders QUALIFY {rank} = 1"
    by_hand = f"SELECT product, quantity FROM (SELECT *, {rank} AS n FROM orders) WHERE n = 1"
    assert sorted(rows(lake, latest)) == sorted(rows(lake, by_hand))
    lake.sql(f"CREATE VIEW latest AS {latest}; CREATE TABLE kept AS {latest}")
    assert sorted(rows(lake, "SELECT * FROM latest")) == sorted(rows(lake, "SELECT * FROM kept"))
    assert len(rows(lake, "SELECT * FROM kept")) == len(rows(lake, "SELECT DISTINCT product FROM orders"))
    with pytest.raises(Error, match="colour") as caught:
        lake.sql("SELECT id\nFROM orders\nQUALIFY row_number() OVER (ORDER BY colour) = 1")
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == (3, 37)


def test_parameters(lake: Connection) -> None:
    lake.sql(ORDERS)
    assert lake.sql("SELECT ? + ?, ?", [1, 2, "a'b"]).fetchall() == [(3, "a'b")]
    assert lake.sql("SELECT :a, :b, :a", {"a": Decimal("1.5"), "b": None}).fetchall() == [
        (Decimal("1.5"), None, Decimal("1.5"))
    ]
    lake.sql("INSERT INTO orders VALUES (?, ?, ?)", [4, "pen", None])
    lake.sql("UPDATE orders SET quantity = :q WHERE product = :p", {"q": 8, "p": "pen"})
    lake.sql("DELETE FROM orders WHERE id < ?", (3,))
    assert rows(lake, "SELECT id, quantity FROM orders ORDER BY id") == [(3, 5), (4, 8)]
    cursor = lake.cursor().execute(
        "SELECT product FROM orders WHERE quantity > :least ORDER BY 1", {"least": 6}
    )
    assert cursor.fetchall() == [("pen",)]
    for statement in (
        "REFRESH DYNAMIC TABLE t",
        "CREATE DYNAMIC TABLE t AS SELECT 1 AS a",
        "DROP DYNAMIC TABLE t",
    ):
        with pytest.raises(InterfaceError, match="does not accept parameters"):
            lake.sql(statement, [1])
    with pytest.raises(InterfaceError, match="single statement"):
        lake.sql("SELECT 1; SELECT ?", [1])
