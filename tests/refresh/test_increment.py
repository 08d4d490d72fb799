"""Refreshes that read only what changed."""

from __future__ import annotations

import pytest

import headrace
from headrace.connection import Connection
from tests.oracle import assert_exact, last_refresh
from tests.refresh.helpers import refresh
from tests.sampling import run_random

pytestmark = pytest.mark.incremental

TABLES = """
CREATE TABLE orders (id BIGINT, product INT, quantity INT, at TIMESTAMP, tags ARRAY<STRING>);
CREATE TABLE products (product INT, category STRING);
INSERT INTO products VALUES (1, 'A'), (2, 'B'), (2, 'B'), (NULL, 'none');
INSERT INTO orders SELECT id, CAST(id % 3 AS INT), CAST(id % 5 AS INT), NULL, array('x', 'y') FROM range(300);
"""

ADDING = {
    "projection": "SELECT id, upper(tags[0]) AS tag, quantity * 2 AS doubled FROM orders WHERE quantity > 1",
    "join": "SELECT o.id, p.category FROM orders o JOIN products p ON o.product = p.product",
    "self_join": "SELECT a.id, b.id AS other FROM orders a JOIN orders b "
    "ON a.product = b.product AND a.id = b.id + 3",
    "cross": "SELECT o.id, p.category FROM orders o CROSS JOIN products p",
    "both": "SELECT id FROM orders UNION ALL SELECT product FROM products",
    "exploded": "SELECT id, tag FROM orders LATERAL VIEW explode(tags) t AS tag",
    "nested": "WITH big AS (SELECT id, product FROM orders WHERE quantity > 2) "
    "SELECT b.id, p.category FROM big b JOIN products p ON b.product <=> p.product",
}


def _create(lake: Connection, queries: dict[str, str]) -> None:
    for name, query in queries.items():
        lake.sql(f"CREATE DYNAMIC TABLE {name} AS {query}; REFRESH DYNAMIC TABLE {name}")


def _refresh_all(lake: Connection, queries: dict[str, str], mode: str) -> None:
    for name, query in queries.items():
        lake.sql(f"REFRESH DYNAMIC TABLE {name}")
        done = last_refresh(lake, name)
        assert done["refresh_mode"] == mode, (name, done["refresh_mode_reason"])
        assert_exact(lake, name, query)


def test_insertions_are_followed(lake: Connection) -> None:
    lake.sql(TABLES)
    _create(lake, ADDING)
    lake.sql("INSERT INTO orders VALUES (1000, 1, 9, NULL, array('z')), (1001, NULL, 9, NULL, NULL)")
    _refresh_all(lake, ADDING, "INCREMENTAL")
    lake.sql("INSERT INTO products VALUES (0, 'zero'), (1, 'A')")
    lake.sql("INSERT INTO orders VALUES (1002, 0, 9, NULL, array('z', 'z'))")
    lake.sql("INSERT INTO orders SELECT id, 1, 3, NULL, array() FROM range(2000, 2005)")
    _refresh_all(lake, {name: q for name, q in ADDING.items() if "products" in q}, "INCREMENTAL")


def test_only_the_inserted_rows_are_read(lake: Connection) -> None:
    lake.sql(TABLES)
    _create(lake, {"projection": ADDING["projection"]})
    lake.sql("INSERT INTO orders VALUES (1000, 1, 9, NULL, array('z')), (1001, 2, 0, NULL, NULL)")
    lake.sql("REFRESH DYNAMIC TABLE projection")
    done = last_refresh(lake, "projection")
    assert (done["refresh_mode"], done["rows_read"]) == ("INCREMENTAL", 2)
    assert done["stats"] == '{"rows_deleted":"0","rows_inserted":"1"}'
    assert str(done["refresh_mode_reason"]).startswith("2 rows inserted into lake.")


@pytest.mark.parametrize(
    ("change", "read"),
    [
        ("UPDATE orders SET quantity = 7 WHERE id = 3", "1 row inserted and 1 deleted in"),
        ("DELETE FROM orders WHERE id < 10", "0 rows inserted and 10 deleted in"),
        ("TRUNCATE TABLE orders", "0 rows inserted and 300 deleted in"),
        ("ALTER TABLE orders ADD COLUMN extra INT", "0 rows inserted into"),
    ],
)
def test_other_changes_are_followed(lake: Connection, change: str, read: str) -> None:
    lake.sql(TABLES)
    _create(lake, {"projection": ADDING["projection"]})
    lake.sql(change)
    _refresh_all(lake, {"projection": ADDING["projection"]}, "INCREMENTAL")
    shown = str(last_refresh(lake, "projection")["refresh_mode_reason"])
    assert shown.startswith(f"{read} lake.{lake.schema}.orders")
    lake.sql("INSERT INTO orders (id, quantity) VALUES (5000, 5)")
    _refresh_all(lake, {"projection": ADDING["projection"]}, "INCREMENTAL")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            "ALTER TABLE orders DROP COLUMN at",
            "column at of lake.{schema}.orders was dropped",
        ),
        (
            "ALTER TABLE orders ALTER COLUMN quantity TYPE BIGINT",
            "column quantity of lake.{schema}.orders changed its type from int to bigint",
        ),
        (
            "CREATE OR REPLACE TABLE orders AS SELECT * FROM orders",
            "lake.{schema}.orders was replaced after version",
        ),
    ],
)
def test_changes_that_leave_no_way_back_are_recomputed(lake: Connection, change: str, reason: str) -> None:
    lake.sql(TABLES)
    query = {"projection": "SELECT id, tags FROM orders WHERE quantity > 1"}
    _create(lake, query)
    lake.sql(change)
    _refresh_all(lake, query, "FULL")
    shown = str(last_refresh(lake, "projection")["refresh_mode_reason"])
    assert shown.startswith(reason.format(schema=lake.schema))
    lake.sql("INSERT INTO orders (id, quantity) VALUES (5000, 5)")
    _refresh_all(lake, query, "INCREMENTAL")


def test_what_has_no_rule_is_recomputed_or_refused_with_the_same_reason(lake: Connection) -> None:
    lake.sql(TABLES)
    query = {"limited": "SELECT max(id) AS id FROM orders LIMIT 1"}
    _create(lake, query)
    lake.sql("INSERT INTO orders VALUES (1000, 1, 9, NULL, array('z'))")
    _refresh_all(lake, query, "FULL")
    reason = "LIMIT: which rows remain depends on all rows"
    assert str(last_refresh(lake, "limited")["refresh_mode_reason"]).startswith(reason)
    with pytest.raises(headrace.NotSupportedError) as caught:
        lake.sql(f"CREATE DYNAMIC TABLE no REFRESH_MODE = INCREMENTAL AS {query['limited']}")
    assert caught.value.message == f"incremental refresh is not supported: {reason}"
    assert caught.value.hint == "rank them with row_number() and filter by the rank"


def test_a_table_that_was_always_recomputed_turns_incremental(lake: Connection) -> None:
    lake.sql(TABLES)
    query = "SELECT product, sum(quantity) AS q FROM orders GROUP BY product"
    lake.sql(f"CREATE DYNAMIC TABLE d REFRESH_MODE = FULL AS {query}; REFRESH DYNAMIC TABLE d")
    lake.sql("CREATE DYNAMIC TABLE reader AS SELECT q FROM d")
    lake.sql(f"CREATE OR REPLACE DYNAMIC TABLE d REFRESH_MODE = AUTO AS {query}")
    refresh(lake, "reader")
    for mode in ("FULL", "INCREMENTAL"):
        lake.sql(
            "INSERT INTO orders (id, product, quantity) VALUES (1, 1, 1); DELETE FROM orders WHERE id = 7"
        )
        assert refresh(lake, "d")["refresh_mode"] == mode
        assert_exact(lake, "d", query)
        refresh(lake, "reader")
        assert_exact(lake, "reader", "SELECT q FROM d")
    assert refresh(lake, "d", full=True)["refresh_mode"] == "FULL"
    assert_exact(lake, "d", query)


@pytest.mark.share(0.2, suite="single tests")
def test_large_changes_are_recomputed_where_that_is_cheaper(lake: Connection) -> None:
    lake.sql("CREATE TABLE t (id BIGINT, v INT); INSERT INTO t SELECT id, 1 FROM range(200000)")
    query = "SELECT id, v + 1 AS v FROM t"
    clauses = {
        "chosen": "PROPERTIES ('full_refresh_margin' = '1')",
        "patient": "PROPERTIES ('full_refresh_margin' = '10')",
        "bound": "PROPERTIES ('full_refresh_margin' = '0.01') REFRESH_MODE = INCREMENTAL",
    }
    for name, clause in clauses.items():
        lake.sql(f"CREATE DYNAMIC TABLE {name} {clause} AS {query}; REFRESH DYNAMIC TABLE {name}")
    lake.sql("UPDATE t SET v = v + 1")
    modes = {}
    for name in clauses:
        modes[name] = refresh(lake, name)["refresh_mode"]
        assert_exact(lake, name, query)
    assert modes == {"chosen": "FULL", "patient": "INCREMENTAL", "bound": "INCREMENTAL"}
    reason = str(last_refresh(lake, "chosen")["refresh_mode_reason"])
    assert reason.startswith("recomputing is more than 1 times cheaper: ")
    assert "estimated" in reason


def test_compaction_in_between_changes_nothing(lake: Connection) -> None:
    lake.sql(TABLES)
    _create(lake, {"projection": ADDING["projection"]})
    lake.sql("INSERT INTO orders VALUES (1000, 1, 9, NULL, array('z'))")
    lake.sql(f"CALL lake.system.rewrite_data_files('{lake.schema}.orders')").fetchall()
    lake.sql("INSERT INTO orders VALUES (1001, 1, 9, NULL, array('z'))")
    _refresh_all(lake, {"projection": ADDING["projection"]}, "INCREMENTAL")


@pytest.mark.share(0.2, suite="single tests")
def test_a_chain_through_random_changes(lake: Connection) -> None:
    """Three layers; whatever happens to the sources, each is exact after its refresh."""
    lake.sql(TABLES)
    chain = {
        "layer1": ADDING["join"],
        "layer2": "SELECT id, category, id % 7 AS bucket FROM layer1 WHERE category <> 'none'",
        "layer3": "SELECT category, count(*) AS n, sum(bucket) AS s FROM layer2 GROUP BY category",
    }
    _create(lake, chain)
    dice = run_random("refresh/chain")
    changes = [
        "INSERT INTO orders SELECT 10000 + {n} * 10 + id, {p}, 3, NULL, NULL FROM range(4)",
        "INSERT INTO products VALUES ({p}, 'new')",
        "UPDATE orders SET product = {p} WHERE id % 50 = {n}",
        "DELETE FROM orders WHERE id % 40 = {n}",
    ]
    modes = set()
    for number in range(8):
        for change in dice.choices(changes, weights=[5, 2, 1, 1], k=dice.randint(0, 2)):
            lake.sql(change.format(n=number, p=dice.randint(0, 3)))
        for name, query in chain.items():
            lake.sql(f"REFRESH DYNAMIC TABLE {name}")
            modes.add(last_refresh(lake, name)["refresh_mode"])
            assert_exact(lake, name, query)
    assert "INCREMENTAL" in modes
    assert "FULL" not in modes
