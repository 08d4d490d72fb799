"""CREATE DYNAMIC TABLE: every clause, and the queries it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import headrace
from headrace import errors
from headrace.connection import Connection
from headrace.model.quoting import quote_identifier
from tests.commands.described import columns_of, described, iceberg_properties
from tests.oracle import assert_exact, last_refresh

ORDERS = """
CREATE TABLE orders (id BIGINT, product_id INT, quantity INT, at TIMESTAMP);
INSERT INTO orders VALUES
  (1, 10, 2, TIMESTAMP '2024-01-01 10:00:00'), (2, 10, 1, TIMESTAMP '2024-01-01 11:00:00'),
  (3, 20, 5, TIMESTAMP '2024-01-02 10:00:00'), (4, NULL, 7, NULL);
"""
PRODUCTS = """
CREATE TABLE products (product_id INT, name STRING, price DECIMAL(10, 2), tags ARRAY<STRING>);
INSERT INTO products VALUES
  (10, 'lamp', 9.50, array('red', 'small')), (20, 'desk', 120.00, array()), (30, 'rug', NULL, NULL);
"""


def create_and_refresh(lake: Connection, table: str, query: str) -> None:
    lake.sql(f"CREATE DYNAMIC TABLE {table} AS {query}; REFRESH DYNAMIC TABLE {table}")
    assert_exact(lake, table, query)


def test_every_clause_at_once(lake: Connection) -> None:
    lake.sql(ORDERS)
    created = lake.sql(
        """
        CREATE DYNAMIC TABLE daily (id BIGINT COMMENT 'key', day COMMENT 'it''s a day', quantity INT)
          TBLPROPERTIES ('team' = 'shop', 'write.parquet.compression-codec' = 'gzip', n = 3)
          VCLUSTER DEFAULT_AP
          COMMENT 'orders by day'
          REFRESH_MODE = FULL
          CLUSTERED BY (quantity DESC)
          REFRESH START WITH '2024-06-01 08:00:00' INTERVAL '2' HOURS VCLUSTER default_ap
          PARTITIONED BY (day)
          AS SELECT id, to_date(at), quantity FROM orders -- the end
        """
    )
    (notice,) = created.notices
    assert notice.startswith("no scheduler is running for this lake")
    assert columns_of(lake, "daily") == [("id", "bigint"), ("day", "date"), ("quantity", "int")]
    assert lake.sql("SELECT * FROM daily").fetchall() == []
    details = described(lake, "daily")
    expected = {
        "comment": "orders by day",
        "properties": '(("n","3"),("team","shop"),("write.parquet.compression-codec","gzip"))',
        "refresh_type": "on schedule",
        "refresh_mode": "FULL",
        "refresh_start_time": "2024-06-01 08:00:00",
        "refresh_interval_second": "7200",
        "refresh_vcluster": "DEFAULT_AP",
        "view_original_text": "SELECT id, to_date(at), quantity FROM orders",
        "format_options": '(("write.parquet.compression-codec","gzip"),'
        '("write.parquet.page-row-limit","2000"),("write.parquet.row-group-size-bytes","8388608"))',
        "statistics": "0 rows 0 bytes",
    }
    assert {key: details[key] for key in expected} == expected
    seen_by_others = iceberg_properties(lake, "daily")
    assert seen_by_others["comment"] == "orders by day"
    assert "team" not in seen_by_others
    assert dict(lake.sql("SHOW TBLPROPERTIES daily").fetchall())["sort-order"] == "quantity DESC NULLS LAST"
    lake.sql("REFRESH DYNAMIC TABLE daily")
    assert_exact(lake, "daily", "SELECT id, to_date(at), quantity FROM orders")


def test_intervals_in_every_spelling(lake: Connection) -> None:
    lake.sql("CREATE DYNAMIC TABLE t AS SELECT 1 AS a")
    assert described(lake, "t")["refresh_type"] == "on demand"
    assert described(lake, "t")["refresh_interval_second"] is None
    for spelling, seconds in [
        ("5 MINUTE", "300"),
        ("'5' MINUTE", "300"),
        ("'5 minutes'", "300"),
        ("60 SECONDS", "60"),
        ("3 day", "259200"),
    ]:
        lake.sql(f"CREATE OR REPLACE DYNAMIC TABLE t REFRESH INTERVAL {spelling} AS SELECT 1 AS a")
        assert described(lake, "t")["refresh_interval_second"] == seconds


def test_if_not_exists(lake: Connection) -> None:
    lake.sql("CREATE DYNAMIC TABLE IF NOT EXISTS t COMMENT 'first' AS SELECT 1 AS a")
    again = lake.sql("CREATE DYNAMIC TABLE IF NOT EXISTS t COMMENT 'second' AS SELECT 2 AS b")
    assert again.notices == (f"lake.{lake.schema}.t already exists, nothing was done",)
    assert described(lake, "t")["comment"] == "first"


def test_replacing_all_but_the_query(lake: Connection) -> None:
    lake.sql(ORDERS)
    query = "SELECT product_id, sum(quantity) AS quantity FROM orders GROUP BY product_id"
    lake.sql(
        "CREATE DYNAMIC TABLE sales COMMENT 'old' "
        "PROPERTIES ('a' = '1', 'write.parquet.row-group-limit' = '9') "
        f"AS {query}; REFRESH DYNAMIC TABLE sales"
    )
    before = described(lake, "sales")
    told = lake.sql(
        "CREATE OR REPLACE DYNAMIC TABLE sales REFRESH INTERVAL 30 MINUTE VCLUSTER default_ap COMMENT 'new' "
        "REFRESH_MODE = FULL PROPERTIES ('b' = '2', 'write.parquet.compression-level' = '3') "
        f"AS /* the same */ {query.replace('SELECT', 'select')}"
    ).notices
    name = f"lake.{lake.schema}.sales"
    assert told[-6:] == (
        f"the refresh interval of {name} changes from none to 30 minutes",
        f"the virtual cluster of {name} changes from default to default_ap",
        f"the refresh mode of {name} changes from AUTO to FULL",
        f"the comment of {name} changes from 'old' to 'new'",
        f"the property b of {name} changes from none to '2'",
        f"the property write.parquet.compression-level of {name} changes from none to '3'",
    )
    after = described(lake, "sales")
    assert (after["comment"], after["refresh_vcluster"], after["refresh_interval_second"]) == (
        "new",
        "DEFAULT_AP",
        "1800",
    )
    assert after["properties"] == (
        '(("a","1"),("b","2"),("write.parquet.compression-level","3"),("write.parquet.row-group-limit","9"))'
    )
    assert after["refresh_mode"].startswith("FULL (last: FULL, first refresh")
    for kept in ("created_time", "creator", "statistics", "source_tables", "view_text"):
        assert after[kept] == before[kept]
    seen_by_others = iceberg_properties(lake, "sales")
    assert seen_by_others["comment"] == "new"
    assert seen_by_others["write.parquet.compression-level"] == "3"
    assert seen_by_others["write.parquet.row-group-limit"] == "9"
    assert_exact(lake, "sales", query)
    assert len(lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY FOR sales")) == 1
    lake.sql("REFRESH DYNAMIC TABLE sales")
    assert last_refresh(lake, "sales")["refresh_mode"] == "NO_DATA"


def test_what_a_replacement_does_not_name_stays(lake: Connection) -> None:
    lake.sql(ORDERS)
    query = "SELECT id FROM orders"
    name = f"lake.{lake.schema}.ids"
    lake.sql(f"CREATE DYNAMIC TABLE ids REFRESH INTERVAL 1 MINUTE VCLUSTER default_ap AS {query}")
    lake.sql("ALTER DYNAMIC TABLE ids SET PROPERTIES ('data_retention_days' = '7', 'owner' = 'ann')")
    lake.sql("ALTER DYNAMIC TABLE ids SET COMMENT 'all orders'")
    lake.sql("ALTER DYNAMIC TABLE ids SET REFRESH_MODE = FULL")
    told = lake.sql(f"CREATE OR REPLACE DYNAMIC TABLE ids REFRESH INTERVAL 5 MINUTE AS {query}").notices
    assert told[1:] == (f"the refresh interval of {name} changes from 1 minute to 5 minutes",)
    detail = described(lake, "ids")
    assert detail["properties"] == '(("data_retention_days","7"),("owner","ann"))'
    assert (detail["comment"], detail["refresh_vcluster"]) == ("all orders", "DEFAULT_AP")
    assert detail["refresh_mode"].startswith("FULL")
    assert iceberg_properties(lake, "ids")["data_retention_days"] == "7"
    told = lake.sql(
        f"CREATE OR REPLACE DYNAMIC TABLE ids PROPERTIES ('DATA_RETENTION_DAYS' = '2') AS {query}"
    ).notices
    assert told == (
        f"the refresh interval of {name} changes from 5 minutes to none",
        f"the property data_retention_days of {name} changes from '7' to '2'",
    )
    assert described(lake, "ids")["properties"] == '(("data_retention_days","2"),("owner","ann"))'


def test_a_refused_replacement_leaves_the_old_one_working(lake: Connection) -> None:
    lake.sql(ORDERS)
    query = "SELECT product_id, count(*) AS orders FROM orders GROUP BY product_id"
    create_and_refresh(lake, "counts", query)
    before = lake.sql("DESC EXTENDED counts").fetchall()
    for refused in (
        "SELECT product_id, sum(quantity) AS orders FROM orders GROUP BY product_id",
        "SELECT product_id, count(*) AS orders FROM orders GROUP BY product_id HAVING count(*) > 1",
        "SELECT product_id, count(*) AS orders FROM missing GROUP BY product_id",
        "SELECT product_id, rand() AS orders FROM orders",
    ):
        with pytest.raises(errors.Error):
            lake.sql(f"CREATE OR REPLACE DYNAMIC TABLE counts COMMENT 'changed' AS {refused}")
    assert lake.sql("DESC EXTENDED counts").fetchall() == before
    lake.sql("INSERT INTO orders VALUES (5, 20, 1, NULL); REFRESH DYNAMIC TABLE counts")
    assert_exact(lake, "counts", query)


def test_a_star_keeps_its_meaning_until_it_is_replaced(lake: Connection) -> None:
    lake.sql(ORDERS)
    create_and_refresh(lake, "copy", "SELECT * FROM orders")
    lake.sql("ALTER TABLE orders ADD COLUMN note STRING; INSERT INTO orders VALUES (5, 20, 1, NULL, 'gift')")
    lake.sql("REFRESH DYNAMIC TABLE copy")
    assert_exact(lake, "copy", "SELECT id, product_id, quantity, at FROM orders")


def test_column_list(lake: Connection) -> None:
    lake.sql(ORDERS)
    lake.sql(
        "CREATE DYNAMIC TABLE renamed "
        "(`order id` BIGINT COMMENT 'it''s the key', `größe` COMMENT '', total INTEGER) "
        "AS SELECT id, quantity, quantity * 2 FROM orders; REFRESH DYNAMIC TABLE renamed"
    )
    assert columns_of(lake, "renamed") == [("order id", "bigint"), ("größe", "int"), ("total", "int")]
    assert_exact(lake, "renamed", "SELECT id, quantity, quantity * 2 FROM orders")
    comments = lake.sql("SHOW CREATE TABLE renamed").fetchall()[0][0].splitlines()[1]
    assert comments == r"(`order id` COMMENT 'it\'s the key', `größe` COMMENT '', total)"


def test_partitions_and_order(lake: Connection) -> None:
    lake.sql(ORDERS)
    query = "SELECT id, product_id, quantity, at FROM orders"
    lake.sql(
        "CREATE DYNAMIC TABLE parts PARTITIONED BY (product_id, days(at), bucket(4, id)) "
        f"CLUSTERED BY (quantity DESC NULLS LAST, id) AS {query}; REFRESH DYNAMIC TABLE parts"
    )
    assert_exact(lake, "parts", query)
    fields = [line.split(": ")[2] for line in described(lake, "parts")["partitioning"].splitlines()[1:-1]]
    assert fields == ["identity(2)", "day(4)", "bucket[4](1)"]
    partitions = lake.sql(
        f"SELECT partition.product_id, partition.at_day FROM {lake.schema}.parts.files"
    ).fetchall()
    assert len(set(partitions)) == 3
    lake.sql("UPDATE orders SET product_id = 30 WHERE id = 1; REFRESH DYNAMIC TABLE parts")
    assert_exact(lake, "parts", query)


def test_names_of_one_two_and_three_parts(lake: Connection) -> None:
    home = lake.schema
    lake.sql(ORDERS)
    lake.sql(f"CREATE SCHEMA {home}_b; USE {home}_b")
    create_and_refresh(lake, "here", f"SELECT id FROM {home}.orders")
    create_and_refresh(lake, f"{home}.there", f"SELECT id FROM lake.{home}.orders")
    create_and_refresh(
        lake, f"lake.{home}_b.everywhere", f"SELECT id FROM here UNION ALL SELECT id FROM {home}.there"
    )
    lake.sql(f"USE {home}")
    names = lake.sql(f"SHOW DYNAMIC TABLES WHERE schema_name IN ('{home}', '{home}_b')").df()
    assert sorted(names["name"]) == ["everywhere", "here", "there"]
    assert len(lake.sql(f"SELECT * FROM {home}_b.everywhere")) == 8


def test_quoted_names(lake: Connection) -> None:
    names = ["with space", "with.dot", "with`tick", "größe", "SELECT"]
    for name in names:
        quoted = quote_identifier(name)
        source = quote_identifier(f"{name} source")
        lake.sql(f"CREATE TABLE {source} AS SELECT 1 AS {quoted}")
        lake.sql(f"CREATE DYNAMIC TABLE {quoted} AS SELECT {source}.{quoted} FROM {source}")
        lake.sql(f"REFRESH DYNAMIC TABLE {quoted}")
    everything = " UNION ALL ".join(f"SELECT {q}.{q} AS one FROM {q}" for q in map(quote_identifier, names))
    create_and_refresh(lake, "`all of them`", everything)
    assert lake.sql("SELECT * FROM `all of them`").fetchall() == [(1,)] * 5
    shown = [row[1] for row in lake.sql("SHOW TABLES WHERE is_dynamic").fetchall()]
    assert shown == sorted([*names, "all of them"])
    lake.sql("DROP DYNAMIC TABLE `with``tick`")
    assert "with`tick" not in lake.sql("SHOW TABLES").df()["table_name"].tolist()


VIEWS = """
CREATE VIEW big AS SELECT id, product_id, quantity FROM orders WHERE quantity > 1;
CREATE VIEW named (key COMMENT 'the id', amount) AS SELECT id, quantity FROM big;
CREATE VIEW totals AS
  WITH t AS (SELECT product_id, sum(quantity) AS q FROM big GROUP BY product_id) SELECT * FROM t;
"""


def test_views_as_sources(lake: Connection) -> None:
    home = lake.schema
    lake.sql(ORDERS + VIEWS)
    create_and_refresh(lake, "nested", "SELECT key, amount FROM named WHERE amount > 2")
    create_and_refresh(lake, "twice", "SELECT a.key, b.amount FROM named a JOIN named b ON a.key = b.key")
    create_and_refresh(lake, "aliased", "SELECT v.k, v.a FROM named AS v(k, a)")
    create_and_refresh(lake, "with_cte", "SELECT totals.q, big.id FROM totals JOIN big USING (product_id)")
    create_and_refresh(
        lake,
        "qualified",
        f"SELECT {home}.big.id, lake.{home}.orders.at FROM {home}.big JOIN orders USING (id)",
    )
    create_and_refresh(
        lake, "shadowed", "WITH orders AS (SELECT 1 AS id) SELECT b.* FROM orders JOIN big b USING (id)"
    )
    lake.sql(f"CREATE SCHEMA {home}_v; USE {home}_v")
    create_and_refresh(lake, "elsewhere", f"SELECT * FROM {home}.named")
    sources = described(lake, "elsewhere")["source_tables"]
    assert f":lake.{home}.orders=" in sources
    assert "named" not in sources


def test_a_view_over_a_dynamic_table(lake: Connection) -> None:
    lake.sql(ORDERS)
    create_and_refresh(lake, "lower_layer", "SELECT id, quantity FROM orders")
    lake.sql("CREATE VIEW middle AS SELECT id, quantity * 2 AS doubled FROM lower_layer")
    create_and_refresh(lake, "upper_layer", "SELECT sum(doubled) AS total FROM middle")
    lake.sql("INSERT INTO orders VALUES (5, 10, 100, NULL)")
    lake.sql("REFRESH DYNAMIC TABLE lower_layer; REFRESH DYNAMIC TABLE upper_layer")
    assert lake.sql("SELECT total FROM upper_layer").fetchall() == [(230,)]


def test_a_view_replaced_later_changes_nothing(lake: Connection) -> None:
    lake.sql(ORDERS + VIEWS)
    create_and_refresh(lake, "kept", "SELECT * FROM big")
    lake.sql("CREATE OR REPLACE VIEW big AS SELECT 'other' AS id")
    lake.sql("INSERT INTO orders VALUES (5, 10, 100, NULL), (6, 10, 1, NULL); REFRESH DYNAMIC TABLE kept")
    assert_exact(lake, "kept", "SELECT id, product_id, quantity FROM orders WHERE quantity > 1")
    lake.sql("DROP VIEW big; INSERT INTO orders VALUES (7, 10, 8, NULL); REFRESH DYNAMIC TABLE kept")
    assert_exact(lake, "kept", "SELECT id, product_id, quantity FROM orders WHERE quantity > 1")


def test_a_view_keeps_its_columns_when_its_table_grows(lake: Connection) -> None:
    lake.sql("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT * FROM t; INSERT INTO t VALUES (1)")
    lake.sql("ALTER TABLE t ADD COLUMN b INT")
    create_and_refresh(lake, "dt", "SELECT * FROM v")
    assert columns_of(lake, "dt") == [("a", "int")]


def test_tables_of_another_workspace(new_lake: Callable[..., Connection], tmp_path: Path) -> None:
    new_lake().close()
    with (tmp_path / "lake" / "lake.toml").open("a") as settings:
        settings.write(f"[settings.workspaces.other]\ntype = 'hadoop'\nwarehouse = '{tmp_path}/other'\n")
    lake = new_lake()
    lake.sql("CREATE SCHEMA other.db; CREATE TABLE other.db.t (a INT); INSERT INTO other.db.t VALUES (1)")
    create_and_refresh(lake, "copy", "SELECT a + 1 AS b FROM other.db.t")
    lake.sql("INSERT INTO other.db.t VALUES (5); REFRESH DYNAMIC TABLE copy")
    assert_exact(lake, "copy", "SELECT a + 1 AS b FROM other.db.t")
    assert ":other.db.t=" in described(lake, "copy")["source_tables"]
    lake.close()
    lake = new_lake()
    lake.sql("DELETE FROM other.db.t WHERE a = 1; REFRESH DYNAMIC TABLE copy; DROP TABLE other.db.t")
    assert lake.sql("SELECT * FROM copy").fetchall() == [(6,)]


def test_order_dependent_functions_are_named(lake: Connection) -> None:
    lake.sql(ORDERS)
    created = lake.sql("CREATE DYNAMIC TABLE t AS SELECT collect_list(id) AS ids, first(id) AS f FROM orders")
    assert created.notices == (
        "collect_list, first: the result depends on the order of the rows, which is not defined, "
        "and may differ between two computations of the same data",
    )


QUERIES = {
    "star": "SELECT * FROM orders",
    "star_except": "SELECT o.* EXCEPT (at), p.name FROM orders o LEFT JOIN products p USING (product_id)",
    "distinct": "SELECT DISTINCT product_id FROM orders",
    "aggregate": "SELECT product_id, avg(quantity) AS m FROM orders GROUP BY product_id HAVING count(*) > 1",
    "rollup": "SELECT product_id, sum(quantity) AS q FROM orders GROUP BY ROLLUP (product_id)",
    "global_aggregate": "SELECT count(*) AS n, max(at) AS newest FROM orders WHERE false",
    "window": "SELECT id, row_number() OVER (PARTITION BY product_id ORDER BY id) AS place FROM orders",
    "natural_join": "SELECT * FROM orders NATURAL JOIN products",
    "using_join": "SELECT product_id, id, name FROM orders FULL JOIN products USING (product_id)",
    "semi_join": "SELECT name FROM products LEFT SEMI JOIN orders USING (product_id)",
    "hint": "SELECT /*+ BROADCAST(p) */ id, name FROM orders o, products p WHERE o.product_id = p.product_id",
    "cte": """
        WITH a AS (SELECT product_id, quantity FROM orders),
             b AS (SELECT product_id, sum(quantity) AS q FROM a GROUP BY product_id)
        SELECT name, q FROM b JOIN products USING (product_id)""",
    "cte_shadows_a_table": "WITH orders AS (SELECT id * 10 AS id FROM orders) SELECT id FROM orders",
    "inner_cte": "SELECT * FROM (WITH products AS (SELECT 1 AS x) SELECT x, id FROM products, orders)",
    "scalar_subquery": "SELECT id, (SELECT max(price) FROM products) AS most FROM orders",
    "correlated_subquery": """
        SELECT name, (SELECT sum(quantity) FROM orders o WHERE o.product_id = p.product_id) AS sold
        FROM products p""",
    "not_exists": """
        SELECT id FROM orders o
        WHERE NOT EXISTS (SELECT 1 FROM products p WHERE p.product_id = o.product_id)""",
    "in_subquery": "SELECT id FROM orders WHERE product_id IN (SELECT product_id FROM products)",
    "union_all": "SELECT id FROM orders UNION ALL SELECT product_id FROM products",
    "set_operations": """
        (SELECT product_id FROM products EXCEPT SELECT product_id FROM orders)
        UNION (SELECT product_id FROM orders INTERSECT ALL SELECT product_id FROM products)""",
    "order_by": "SELECT id FROM orders ORDER BY quantity DESC",
    "top_two": "SELECT id FROM orders ORDER BY quantity DESC LIMIT 2",
    "lateral_view": "SELECT name, tag FROM products LATERAL VIEW OUTER explode(tags) AS tag",
    "pivot": """
        SELECT * FROM (SELECT product_id, quantity FROM orders)
        PIVOT (sum(quantity) AS q FOR product_id IN (10, 20))""",
    "time_window": "SELECT window.start AS s, count(*) AS n FROM orders GROUP BY window(at, '1 day')",
    "recursive_cte": """
        WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 4)
        SELECT id FROM orders JOIN r ON id = n""",
    "values": "VALUES (1, 'a'), (2, NULL)",
    "range": "SELECT id, id * 2 AS twice FROM range(5)",
    "nothing_read": "SELECT 1 AS one, 'x' AS x",
    "from_first": "FROM orders SELECT id, quantity WHERE quantity > 1",
    "pipes": "FROM orders |> WHERE quantity > 1 |> AGGREGATE sum(quantity) AS q GROUP BY product_id",
    "table_query": "TABLE orders UNION ALL (TABLE orders)",
    "current_date": "SELECT id, datediff(current_date(), to_date(at)) AS age, current_date AS d FROM orders",
    "narrow_types": "SELECT CAST(id AS TINYINT) AS a, CAST('x' AS VARCHAR(3)) AS c FROM orders",
    "many_types": """
        SELECT price, CAST(price AS DOUBLE) AS d, CAST(at AS TIMESTAMP_NTZ) AS n, to_date(at) AS day,
          X'0a' AS bytes, named_struct('a', id, 'b', tags) AS s, true AS yes
        FROM orders JOIN products USING (product_id)""",
    "odd_columns": "SELECT id AS `a.b`, quantity AS `c``d`, at AS `E f`, product_id AS `ü` FROM orders",
    "comments": "SELECT id -- the key\n, /* how many */ quantity FROM orders /* all */",
}


@pytest.fixture(scope="module")
def shop(shared_lake: Connection) -> Iterator[Connection]:
    with headrace.connect(shared_lake.lake_path) as connection:
        connection.sql("CREATE SCHEMA queries; USE queries")
        connection.sql(ORDERS + PRODUCTS)
        yield connection


@pytest.mark.parametrize("name", QUERIES)
def test_queries(shop: Connection, name: str) -> None:
    create_and_refresh(shop, name, QUERIES[name])
