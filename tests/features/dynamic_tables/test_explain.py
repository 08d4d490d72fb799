"""EXPLAIN of a refresh and of a definition: what it says, that it comes true, and that nothing happens."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import pytest

from headrace.connection import Connection
from headrace.errors import Refused
from headrace.lake.table.tables import Table
from tests import internals
from tests.refresh.helpers import refresh, spark_jobs

SHOP = """
CREATE TABLE orders (id INT, product INT, amount INT);
CREATE TABLE products (id INT, name STRING);
INSERT INTO orders VALUES (1, 1, 5), (2, 2, 7), (3, 1, 5);
INSERT INTO products VALUES (1, 'lamp'), (2, 'desk');
CREATE DYNAMIC TABLE sold AS
  SELECT o.id, p.name, o.amount FROM orders o JOIN products p ON o.product = p.id WHERE o.amount > 1;
CREATE DYNAMIC TABLE totals AS
  SELECT product, count(*) AS n, sum(amount) AS amount FROM orders GROUP BY product;
CREATE DYNAMIC TABLE some AS SELECT id FROM orders LIMIT 2
"""
SMALL_CHANGE = "INSERT INTO orders VALUES (4, 2, 9), (5, 2, 9); DELETE FROM orders WHERE id = 2"


@pytest.fixture
def shop(lake: Connection) -> Connection:
    lake.sql(SHOP)
    return lake


@pytest.fixture
def refreshed(shop: Connection) -> Connection:
    for table in ("sold", "totals", "some"):
        refresh(shop, table)
    return shop


def loaded(lake: Connection, table: str) -> Table | None:
    context = internals.statement_context(lake)
    return context.lake.catalog_session.catalog.table(context.session.resolve((table,)))


def state(lake: Connection) -> tuple[Any, ...]:
    store = internals.store(lake)
    tables = ("orders", "products", "sold", "totals", "some")
    locations = [found and found.location for found in (loaded(lake, name) for name in tables)]
    files = sorted(path for path in (lake.lake_path / "warehouse").rglob("*") if path.is_file())
    names = lake.sql("SHOW TABLES").fetchall()
    return locations, store.definitions.all(), store.refreshes.history(), files, names


@contextlib.contextmanager
def nothing_happens(lake: Connection) -> Iterator[None]:
    before, jobs = state(lake), spark_jobs(lake)
    yield
    assert spark_jobs(lake) == jobs
    assert state(lake) == before


def explain(lake: Connection, statement: str) -> dict[str, list[str]]:
    """The details by item."""
    with nothing_happens(lake):
        result = lake.sql(f"EXPLAIN {statement}")
    assert result.columns == ["item", "detail"]
    said: dict[str, list[str]] = {}
    for item, detail in result.fetchall():
        assert "\n" not in detail
        said.setdefault(item, []).append(detail.replace(f"lake.{lake.schema}.", ""))
    return said


def explained(lake: Connection, table: str, *, full: bool = False) -> dict[str, list[str]]:
    return explain(lake, f"REFRESH DYNAMIC TABLE {table}{' FULL' if full else ''}")


def assert_comes_true(lake: Connection, table: str, said: dict[str, list[str]]) -> None:
    done = refresh(lake, table)
    reason = done["refresh_mode_reason"].replace(f"lake.{lake.schema}.", "")
    assert (said["mode"], said["reason"]) == ([done["refresh_mode"]], [reason])


def without_versions(lines: list[str]) -> list[str]:
    return [re.sub(r"\d{15,}", "V", line) for line in lines]


class TestRefresh:
    def test_first(self, shop: Connection) -> None:
        said = explained(shop, "sold")
        assert (said["mode"], said["reason"], said["table"]) == (["FULL"], ["first refresh"], ["0 rows"])
        assert [re.sub(r"\d+ bytes", "B", s) for s in without_versions(said["source"])] == [
            "orders: 3 rows, B at version V, not read before",
            "products: 2 rows, B at version V, not read before",
        ]
        assert said["rows identified by"] == ["rows by __hr_id1, __hr_id2"]
        assert said["hidden columns"] == ["__hr_id1 bigint, __hr_id2 bigint"]
        assert said["write"] == ["fill: the table is empty: all rows are inserted"]
        assert said["sql"][0].startswith("INSERT INTO")
        assert "plan" not in said
        assert_comes_true(shop, "sold", said)

    def test_no_data(self, refreshed: Connection) -> None:
        said = explained(refreshed, "sold")
        assert (said["mode"], said["reason"]) == (["NO_DATA"], ["no source changed"])
        assert said["change"] == ["orders: none", "products: none"]
        assert said.keys() & {"plan", "sql", "write"} == set()
        assert_comes_true(refreshed, "sold", said)

    def test_a_source_of_which_only_the_columns_changed(self, refreshed: Connection) -> None:
        refreshed.sql("ALTER TABLE orders ADD COLUMN note STRING")
        said = explained(refreshed, "some")
        assert said["reason"][0].endswith("changed since the last refresh: orders schema 0 -> 1")
        assert said["change"] == ["orders: +0 -0 rows in 0 files of 0 bytes, schema 0 -> 1"]
        assert_comes_true(refreshed, "some", said)

    @pytest.mark.incremental
    def test_insertions(self, refreshed: Connection) -> None:
        refreshed.sql("INSERT INTO orders VALUES (4, 2, 9), (5, 2, 9)")
        said = explained(refreshed, "sold")
        assert said["mode"] == ["INCREMENTAL"]
        assert without_versions(said["plan"]) == [
            "join inner on product = products.id",
            "  filter amount > 1",
            "    change of orders (+2 -0 rows)",
            "  products at version V (2 rows)",
        ]
        assert said["write"] == ["append: rows are only inserted"]
        orders = loaded(refreshed, "orders")
        assert orders is not None
        changes = re.compile(rf"SELECT \* FROM changes\(orders, \d+ -> {orders.version}\)")
        assert len([line for line in said["sql"] if changes.fullmatch(line)]) == 2
        assert_comes_true(refreshed, "sold", said)

    @pytest.mark.incremental
    def test_insertions_and_deletions(self, refreshed: Connection) -> None:
        refreshed.sql(SMALL_CHANGE)
        refreshed.sql("INSERT INTO products VALUES (3, 'chair')")
        said = explained(refreshed, "sold")
        assert said["mode"] == ["INCREMENTAL"]
        assert [re.sub(r"\d+ (files|bytes)", r"N \1", line) for line in without_versions(said["change"])] == [
            "orders: +2 -1 rows in N files of N bytes since version V",
            "products: +1 -0 rows in N files of N bytes since version V",
        ]
        assert without_versions(said["plan"]) == [
            "sum of changes",
            "  join inner on product = products.id",
            "    filter amount > 1",
            "      change of orders (+2 -1 rows)",
            "    products at version V (old, 2 rows)",
            "  join inner on product = products.id",
            "    filter amount > 1",
            "      orders at version V (new, 4 rows)",
            "    change of products (+1 -0 rows)",
        ]
        assert said["write"] == ["merge: rows are inserted, updated and deleted"]
        assert [re.sub(r"\d+ (files|bytes)", r"N \1", line) for line in said["stage"]] == [
            "1. stage changes: orders; at most +2 -1 rows in N files of N bytes",
            "2. stage changes: products; at most +1 -0 rows in N files of N bytes",
            "3. find rows: rows of products by id; pages suffice",
            "4. find rows: rows of orders by product; pages suffice",
            "5. collect: change of the rows of the table, added up in memory",
            "6. find rows: rows of sold by __hr_id1, __hr_id2; pages suffice",
            "7. write: merge by the driver, without a Spark job",
        ]
        assert said["otherwise"] == [
            "more than 20000 keys or 200000 rows: products is read in full",
            "more than 20000 keys or 200000 rows: orders is read in full",
            "more than 100000 rows: write: merge by one Spark statement",
            "no rows: commit record: no row changes",
            "more than 20000 keys or 100000 rows: look up: rows to write and the positions of the rows that "
            "they replace, write: merge by the driver, without a Spark job",
        ]
        assert not any("MERGE INTO" in line for line in said["sql"])
        assert sum("FROM changes(" in line for line in said["sql"]) == 4
        assert_comes_true(refreshed, "sold", said)

    @pytest.mark.incremental
    def test_groups(self, refreshed: Connection) -> None:
        refreshed.sql(SMALL_CHANGE)
        said = explained(refreshed, "totals")
        assert said["mode"] == ["INCREMENTAL"]
        assert said["rows identified by"] == ["groups by product, with hidden counts, sums and extremes"]
        assert said["hidden columns"] == ["__hr_rows bigint, __hr_values1 bigint, __hr_sum2 bigint"]
        assert said["plan"] == [
            "add to groups by product: COUNT(*), COUNT(amount), SUM(amount)",
            "  change of orders (+2 -1 rows)",
        ]
        assert_comes_true(refreshed, "totals", said)

    @pytest.mark.incremental
    def test_a_change_that_the_query_takes_no_row_from(self, refreshed: Connection) -> None:
        refreshed.sql(
            "CREATE DYNAMIC TABLE ids AS WITH unused AS (SELECT * FROM products) SELECT id FROM orders;"
            "REFRESH DYNAMIC TABLE ids; INSERT INTO products VALUES (9, 'rug')"
        )
        said = explained(refreshed, "ids")
        assert said["mode"] == ["INCREMENTAL"]
        assert said["reason"][0].endswith("; the changed rows do not affect the result")
        assert said["write"] == ["nothing to write: no row changes"]
        assert_comes_true(refreshed, "ids", said)
        assert refresh(refreshed, "ids")["refresh_mode"] == "NO_DATA"

    def test_what_has_no_rule(self, refreshed: Connection) -> None:
        refreshed.sql("INSERT INTO orders VALUES (4, 2, 9)")
        said = explained(refreshed, "some")
        assert said["mode"] == ["FULL"]
        assert said["reason"][0].startswith("LIMIT: which rows remain depends on all rows; changed since")
        assert said["change"][0].startswith("orders: +1 -0 rows in 1 files of")
        assert said["write"] == ["difference: only rows that differ are written"]
        assert_comes_true(refreshed, "some", said)

    def test_full_is_asked_for(self, refreshed: Connection) -> None:
        said = explained(refreshed, "sold", full=True)
        assert (said["mode"], said["reason"]) == (["FULL"], ["FULL was requested"])

    def test_a_source_is_dropped(self, refreshed: Connection) -> None:
        refreshed.sql("DROP TABLE products")
        said = explained(refreshed, "sold")
        assert said["mode"] == ["NO_DATA"]
        assert said["source"][1] == "products does not exist"
        assert_comes_true(refreshed, "sold", said)

    def test_a_source_is_created_again(self, refreshed: Connection) -> None:
        refreshed.sql("DROP TABLE products; CREATE TABLE products (id INT, name STRING)")
        said = explained(refreshed, "sold")
        assert said["mode"] == ["FULL"]
        assert said["change"][1] == "products: unknown, products is not the table that was read before"
        assert_comes_true(refreshed, "sold", said)

    def test_a_refresh_that_would_fail(self, refreshed: Connection) -> None:
        refreshed.sql("ALTER TABLE products DROP COLUMN name")
        with nothing_happens(refreshed), pytest.raises(Refused, match="no longer has column name") as caught:
            refreshed.sql("EXPLAIN REFRESH DYNAMIC TABLE sold")
        assert caught.value.place is not None


class TestCreate:
    @pytest.mark.incremental
    def test_incremental(self, shop: Connection) -> None:
        said = explain(
            shop,
            """CREATE DYNAMIC TABLE d REFRESH INTERVAL 7 MINUTE
               AS SELECT o.id, p.name FROM orders o LEFT JOIN products p ON o.product = p.id""",
        )
        assert (said["action"], said["mode"]) == (["create d"], ["INCREMENTAL"])
        assert said["refreshes per day"] == ["205.71, one every 420 seconds"]
        assert said["hidden columns"] == ["__hr_id1 bigint, __hr_id2 bigint"]
        assert said["plan"] == [
            "sum of changes",
            "  join left on product = products.id",
            "    change of orders",
            "    products (new)",
            "  + join left on product = products.id",
            "      [1] only rows that match the change on product = products.id",
            "        orders (old)",
            "        change of products",
            "      products (new)",
            "  - join left on product = products.id",
            "      [1] again",
            "      products (old)",
        ]
        assert "SELECT * FROM changes(orders)" in said["sql"]
        assert loaded(shop, "d") is None

    def test_notices_are_those_of_create(self, shop: Connection) -> None:
        result = shop.sql("EXPLAIN CREATE DYNAMIC TABLE d AS SELECT first(id) AS id FROM orders")
        assert any("first" in notice for notice in result.notices)

    def test_not_incremental(self, shop: Connection) -> None:
        said = explain(shop, "CREATE DYNAMIC TABLE d AS SELECT id FROM orders LIMIT 2")
        assert said["mode"] == ["FULL"]
        assert said["reason"] == ["LIMIT: which rows remain depends on all rows"]
        assert said["rewrite"] == ["rank them with row_number() and filter by the rank"]
        assert said.keys() & {"plan", "sql", "write", "rows identified by", "refreshes per day"} == set()

    def test_full_by_wish(self, shop: Connection) -> None:
        said = explain(shop, "CREATE DYNAMIC TABLE d REFRESH_MODE = FULL AS SELECT id FROM orders")
        assert (said["mode"], said["reason"]) == (["FULL"], ["REFRESH_MODE = FULL"])

    def test_no_table_is_read(self, shop: Connection) -> None:
        said = explain(shop, "CREATE DYNAMIC TABLE d AS SELECT 1 AS a")
        assert said["mode"] == ["NO_DATA"]

    @pytest.mark.incremental
    def test_maps_follow_insertions_alone(self, shop: Connection) -> None:
        said = explain(shop, "CREATE DYNAMIC TABLE d AS SELECT id, map(id, amount) AS m FROM orders")
        assert said["mode"] == ["INCREMENTAL"]
        assert said["write"] == [
            "insertions are appended, other changes are recomputed: a MAP or VARIANT cannot be compared"
        ]

    def test_replacement(self, shop: Connection) -> None:
        said = explain(
            shop, "CREATE OR REPLACE DYNAMIC TABLE some COMMENT 'c' AS SELECT id FROM orders LIMIT 2"
        )
        assert (said["action"], said["mode"]) == (["replace some"], ["FULL"])

    def test_there_already(self, shop: Connection) -> None:
        said = explain(shop, "CREATE DYNAMIC TABLE IF NOT EXISTS some AS SELECT id FROM orders")
        assert said == {"action": ["none: some already exists"]}


def test_explain_of_spark_stays(shop: Connection) -> None:
    ((plan,),) = shop.sql("EXPLAIN SELECT id FROM orders").fetchall()
    assert "Physical Plan" in plan
