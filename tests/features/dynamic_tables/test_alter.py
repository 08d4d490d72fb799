"""ALTER DYNAMIC TABLE: what changes, what stays, and that nothing is recomputed."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from headrace.catalog.definition_lifecycle import Altering
from headrace.connection import Connection
from headrace.errors import AlreadyExists, NotFound, NotSupportedError, Refused
from headrace.features.dynamic_tables.lake_side import apply
from tests import internals
from tests.commands.described import columns_of, described, iceberg_properties
from tests.oracle import assert_exact
from tests.refresh.helpers import assert_same_bag, refresh, spark_jobs

SALES = "SELECT product, sum(quantity) AS sold, count(*) AS orders FROM orders GROUP BY product"


@pytest.fixture
def shop(lake: Connection) -> Connection:
    lake.sql("CREATE TABLE orders (id INT, product STRING, quantity INT)")
    lake.sql("INSERT INTO orders VALUES (1, 'lamp', 2), (2, 'desk', 1), (3, 'lamp', 5)")
    lake.sql(f"CREATE DYNAMIC TABLE sales AS {SALES}")
    refresh(lake, "sales")
    return lake


def shown(lake: Connection, table: str) -> dict[str, Any]:
    result = lake.sql(f"SHOW DYNAMIC TABLES LIKE '{table}'")
    (row,) = (row for row in result.fetchall() if row[0] == lake.schema)
    return dict(zip(result.columns, row, strict=True))


def sell_more(lake: Connection) -> None:
    lake.sql("INSERT INTO orders VALUES (4, 'lamp', 1), (5, 'sofa', 1); DELETE FROM orders WHERE id = 2")


class TestSuspend:
    def test_it_is_a_state_of_the_schedule(self, shop: Connection) -> None:
        assert shop.sql("ALTER DYNAMIC TABLE sales SUSPEND").notices == ()
        assert shown(shop, "sales")["state"] == described(shop, "sales")["state"] == "suspended"
        (notice,) = shop.sql("ALTER DYNAMIC TABLE sales SUSPEND").notices
        assert "already suspended, nothing was done" in notice
        shop.sql("ALTER DYNAMIC TABLE sales RESUME")
        assert shown(shop, "sales")["state"] == described(shop, "sales")["state"] == "active"
        (notice,) = shop.sql("ALTER DYNAMIC TABLE sales RESUME").notices
        assert "is not suspended, nothing was done" in notice

    def test_a_refresh_by_hand_still_works(self, shop: Connection) -> None:
        shop.sql("ALTER DYNAMIC TABLE sales SUSPEND")
        sell_more(shop)
        result = shop.sql("REFRESH DYNAMIC TABLE sales")
        assert "its schedule remains suspended" in result.notices[0]
        assert_same_bag(shop, "sales", SALES)
        assert shown(shop, "sales")["state"] == "suspended"

    def test_or_replace_does_not_resume(self, shop: Connection) -> None:
        shop.sql("ALTER DYNAMIC TABLE sales SUSPEND")
        shop.sql(f"CREATE OR REPLACE DYNAMIC TABLE sales COMMENT 'new' AS {SALES}")
        assert described(shop, "sales")["state"] == "suspended"

    def test_before_the_first_refresh(self, shop: Connection) -> None:
        shop.sql("CREATE DYNAMIC TABLE fresh AS SELECT id FROM orders")
        assert described(shop, "fresh")["state"] == "never refreshed"
        shop.sql("ALTER DYNAMIC TABLE fresh SUSPEND")
        assert shown(shop, "fresh")["state"] == "suspended"


class TestOptions:
    def test_comment(self, shop: Connection) -> None:
        shop.sql("ALTER DYNAMIC TABLE sales SET COMMENT 'it\\'s best'")
        assert (
            described(shop, "sales")["comment"] == iceberg_properties(shop, "sales")["comment"] == "it's best"
        )
        assert refresh(shop, "sales")["refresh_mode"] == "NO_DATA"

    def test_properties(self, shop: Connection) -> None:
        shop.sql(
            "ALTER DYNAMIC TABLE sales "
            "SET PROPERTIES ('team' = 'north', 'write.target-file-size-bytes' = 9999999)"
        )
        assert described(shop, "sales")["properties"] == (
            '(("team","north"),("write.target-file-size-bytes","9999999"))'
        )
        assert iceberg_properties(shop, "sales")["write.target-file-size-bytes"] == "9999999"
        assert "team" not in iceberg_properties(shop, "sales")
        shop.sql("ALTER DYNAMIC TABLE sales UNSET PROPERTIES ('write.target-file-size-bytes')")
        shop.sql("ALTER DYNAMIC TABLE sales UNSET PROPERTIES IF EXISTS ('team', 'nothing')")
        assert described(shop, "sales")["properties"] == "()"
        assert "write.target-file-size-bytes" not in iceberg_properties(shop, "sales")

    def test_schedule(self, shop: Connection) -> None:
        shop.sql("ALTER DYNAMIC TABLE sales REFRESH INTERVAL 5 MINUTE VCLUSTER DEFAULT_AP")
        details = described(shop, "sales")
        assert (details["refresh_interval_second"], details["refresh_vcluster"]) == ("300", "DEFAULT_AP")
        shop.sql("ALTER DYNAMIC TABLE sales SET REFRESH INTERVAL '2 HOURS'")
        details = described(shop, "sales")
        assert (details["refresh_interval_second"], details["refresh_vcluster"]) == ("7200", "DEFAULT_AP")

    @pytest.mark.incremental
    def test_mode(self, shop: Connection) -> None:
        shop.sql("ALTER DYNAMIC TABLE sales SET REFRESH_MODE = INCREMENTAL")
        sell_more(shop)
        assert refresh(shop, "sales")["refresh_mode"] == "INCREMENTAL"
        shop.sql("ALTER DYNAMIC TABLE sales SET REFRESH_MODE = FULL")
        assert described(shop, "sales")["refresh_mode"].startswith("FULL")
        shop.sql("CREATE DYNAMIC TABLE some AS SELECT id FROM orders LIMIT 1")
        with pytest.raises(NotSupportedError, match="incremental refresh is not supported: LIMIT"):
            shop.sql("ALTER DYNAMIC TABLE some SET REFRESH_MODE = INCREMENTAL")
        assert described(shop, "some")["refresh_mode"] == "AUTO"

    def test_the_same_again_is_harmless(self, shop: Connection) -> None:
        before = described(shop, "sales")
        (notice,) = shop.sql("ALTER DYNAMIC TABLE sales SET REFRESH_MODE = AUTO").notices
        assert "nothing was done" in notice
        assert described(shop, "sales") == before

    def test_no_job_runs_and_the_time_is_noted(self, shop: Connection) -> None:
        before, jobs = described(shop, "sales"), spark_jobs(shop)
        shop.sql("ALTER DYNAMIC TABLE sales SET COMMENT 'c'; ALTER DYNAMIC TABLE sales SUSPEND")
        shop.sql("ALTER DYNAMIC TABLE sales SET REFRESH_MODE = INCREMENTAL")
        assert spark_jobs(shop) == jobs
        after = described(shop, "sales")
        assert after["last_modified_time"] > before["last_modified_time"]
        assert after["created_time"] == before["created_time"]

    def test_a_running_refresh_is_waited_for(self, shop: Connection) -> None:
        table = internals.definition(shop, "sales")
        assert table is not None
        altering = threading.Thread(target=lambda: shop.sql("ALTER DYNAMIC TABLE sales SUSPEND"))
        with internals.open_lake(shop).alone_with(table):
            altering.start()
            altering.join(0.5)
            assert altering.is_alive()
            assert described(shop, "sales")["state"] == "active"
        altering.join()
        assert described(shop, "sales")["state"] == "suspended"


class TestRenameTo:
    @pytest.mark.incremental
    def test_all_of_it_moves(self, shop: Connection) -> None:
        job = refresh(shop, "sales")["job_id"]
        assert shop.sql("ALTER DYNAMIC TABLE sales RENAME TO best_sales").notices == ()
        with pytest.raises(NotFound):
            shop.sql("SELECT * FROM sales").fetchall()
        assert_same_bag(shop, "best_sales", SALES)
        history = shop.sql("SHOW DYNAMIC TABLE REFRESH HISTORY FOR best_sales").fetchall()
        assert len(history) == 2
        assert {row[2] for row in history} == {"best_sales"}
        assert internals.store(shop).refreshes.find(job) is not None
        sell_more(shop)
        assert refresh(shop, "best_sales")["refresh_mode"] == "INCREMENTAL"
        assert_same_bag(shop, "best_sales", SALES)
        assert shop.sql("VERIFY DYNAMIC TABLE best_sales").notices == ()

    @pytest.mark.incremental
    def test_into_another_schema(self, shop: Connection) -> None:
        other = f"{shop.schema}_other"
        shop.sql(f"CREATE SCHEMA {other}; ALTER DYNAMIC TABLE sales RENAME TO {other}.sales")
        sell_more(shop)
        assert refresh(shop, f"{other}.sales")["refresh_mode"] == "INCREMENTAL"
        shop.sql("CREATE DYNAMIC TABLE sales AS SELECT 1 AS one; DROP DYNAMIC TABLE sales")
        assert_same_bag(shop, f"{other}.sales", SALES)

    def test_a_name_without_schema_is_meant_beside_the_table(self, shop: Connection) -> None:
        schema = shop.schema
        shop.sql(f"USE public; ALTER DYNAMIC TABLE {schema}.sales RENAME TO other; USE {schema}")
        assert described(shop, "other")["schema"] == schema

    @pytest.mark.incremental
    def test_who_read_it_keeps_its_rows(self, shop: Connection) -> None:
        shop.sql("CREATE DYNAMIC TABLE top AS SELECT product FROM sales WHERE sold > 5")
        refresh(shop, "top")
        (notice,) = shop.sql("ALTER DYNAMIC TABLE sales RENAME TO renamed").notices
        assert notice.startswith(f"lake.{shop.schema}.sales is still read by lake.{shop.schema}.top: ")
        row = refresh(shop, "top")
        assert row["refresh_mode"] == "NO_DATA"
        assert "sales does not exist: the rows stay as they are" in row["refresh_mode_reason"]
        assert shop.sql("SELECT * FROM top").fetchall() == [("lamp",)]
        sell_more(shop)
        refresh(shop, "renamed")
        shop.sql("ALTER DYNAMIC TABLE renamed RENAME TO sales")
        assert refresh(shop, "top")["refresh_mode"] == "INCREMENTAL"
        assert_same_bag(shop, "top", "SELECT product FROM sales WHERE sold > 5")

    def test_its_own_name(self, shop: Connection) -> None:
        (notice,) = shop.sql("ALTER DYNAMIC TABLE sales RENAME TO sales").notices
        assert "nothing was done" in notice

    def test_a_circle(self, shop: Connection) -> None:
        shop.sql("CREATE DYNAMIC TABLE low AS SELECT product FROM sales; DROP DYNAMIC TABLE sales")
        shop.sql("CREATE DYNAMIC TABLE high AS SELECT product FROM low")
        with pytest.raises(Refused, match="in a cycle"):
            shop.sql("ALTER DYNAMIC TABLE high RENAME TO sales")

    @pytest.mark.incremental
    def test_the_name_is_taken_at_the_last_moment(
        self, shop: Connection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Another connection announces a table of that name while the Iceberg table is being renamed."""
        catalog = internals.session(shop).catalog
        rename = catalog.rename

        def taken(*names: Any) -> None:
            rename(*names)
            store = internals.store(shop)
            if store.definitions.find(names[1]) is None and names[1].table == "wanted":
                table = store.definitions.find(names[0])
                assert table is not None
                store.lifecycle.begin_create(replaced(table, names[1]))

        monkeypatch.setattr(catalog, "rename", taken)
        with pytest.raises(AlreadyExists):
            shop.sql("ALTER DYNAMIC TABLE sales RENAME TO wanted")
        internals.store(shop).lifecycle.abandon_create("other")
        sell_more(shop)
        assert refresh(shop, "sales")["refresh_mode"] == "INCREMENTAL"
        assert_same_bag(shop, "sales", SALES)
        assert internals.store(shop).lifecycle.altering() == []


def replaced(table: Any, name: Any) -> Any:
    return replace(table, id="other", name=name)


SHAPES = {
    "groups": SALES,
    "group keys that are not shown": "SELECT sum(quantity) AS sold FROM orders GROUP BY product",
    "rows by id": "SELECT id, product AS sold FROM orders WHERE quantity > 0",
    "keys": "SELECT product AS sold, max(quantity) AS most FROM orders GROUP BY product",
    "rows without a key": "SELECT product AS sold FROM orders UNION ALL SELECT product FROM orders",
}

SLOWER_SHAPES = [pytest.param(shape, marks=pytest.mark.share(0.2)) for shape in SHAPES if shape != "groups"]


class TestRenameColumn:
    @pytest.mark.incremental
    @pytest.mark.parametrize("shape", ["groups", *SLOWER_SHAPES])
    def test_the_next_refresh_is_incremental(self, shop: Connection, shape: str) -> None:
        query = SHAPES[shape]
        shop.sql(f"CREATE DYNAMIC TABLE d PROPERTIES ('full_refresh_margin' = '1000') AS {query}")
        refresh(shop, "d")
        ids = field_ids(shop, "d")
        jobs = spark_jobs(shop)
        assert shop.sql("ALTER DYNAMIC TABLE d RENAME COLUMN SOLD TO `units sold`").notices == ()
        assert spark_jobs(shop) == jobs
        assert ("units sold" in dict(columns_of(shop, "d"))) and ("sold" not in dict(columns_of(shop, "d")))
        assert list(field_ids(shop, "d").values()) == list(ids.values())
        assert_same_bag(shop, "d", query)
        assert refresh(shop, "d")["refresh_mode"] == "NO_DATA"
        assert shop.sql("VERIFY DYNAMIC TABLE d").notices == ()
        sell_more(shop)
        plan = dict(shop.sql("EXPLAIN REFRESH DYNAMIC TABLE d").fetchall())
        assert plan["mode"] == "INCREMENTAL"
        assert refresh(shop, "d")["refresh_mode"] == "INCREMENTAL"
        assert_same_bag(shop, "d", query)
        assert shop.sql("VERIFY DYNAMIC TABLE d").notices == ()

    @pytest.mark.incremental
    @pytest.mark.share(0.2)
    def test_all_columns_one_after_the_other(self, shop: Connection) -> None:
        for old, new in (("sold", "x"), ("orders", "sold"), ("product", "orders"), ("x", "product")):
            shop.sql(f"ALTER DYNAMIC TABLE sales RENAME COLUMN {old} TO {new}")
        sell_more(shop)
        assert refresh(shop, "sales")["refresh_mode"] == "INCREMENTAL"
        assert [name for name, _ in columns_of(shop, "sales")] == ["orders", "product", "sold"]
        assert_same_bag(shop, "sales", SALES)
        refresh(shop, "sales", full=True)
        assert_same_bag(shop, "sales", SALES)

    @pytest.mark.incremental
    def test_before_the_first_refresh(self, shop: Connection) -> None:
        shop.sql(f"CREATE DYNAMIC TABLE d AS {SALES}; ALTER DYNAMIC TABLE d RENAME COLUMN sold TO units")
        refresh(shop, "d")
        sell_more(shop)
        assert refresh(shop, "d")["refresh_mode"] == "INCREMENTAL"
        assert_same_bag(shop, "d", SALES)

    @pytest.mark.incremental
    def test_partitions_and_order_follow(self, shop: Connection) -> None:
        shop.sql(
            "CREATE DYNAMIC TABLE d PARTITIONED BY (product, bucket(4, id)) CLUSTERED BY (quantity DESC, id) "
            "PROPERTIES ('full_refresh_margin' = '1000') AS SELECT id, product, quantity FROM orders"
        )
        refresh(shop, "d")
        for old, new in (("product", "article"), ("id", "`order`"), ("quantity", "n")):
            shop.sql(f"ALTER DYNAMIC TABLE d RENAME COLUMN {old} TO {new}")
        for taken in ("product", "id_bucket"):
            with pytest.raises(Refused, match="has a partition field"):
                shop.sql(f"ALTER DYNAMIC TABLE d RENAME COLUMN n TO {taken}")
        made = shop.sql("SHOW CREATE TABLE d").fetchall()[0][0]
        assert "PARTITIONED BY (article, bucket(4, order))" in made
        assert "CLUSTERED BY (n DESC, order)" in made
        sell_more(shop)
        assert refresh(shop, "d")["refresh_mode"] == "INCREMENTAL"
        assert_same_bag(shop, "d", "SELECT id, product, quantity FROM orders")
        shop.sql("ALTER DYNAMIC TABLE d RENAME COLUMN article TO product")
        refresh(shop, "d", full=True)
        assert_same_bag(shop, "d", "SELECT id, product, quantity FROM orders")
        shop.sql(f"DROP DYNAMIC TABLE d; {made}")
        refresh(shop, "d")
        assert_exact(shop, "d", "SELECT id, product, quantity FROM orders")

    def test_who_reads_it_is_named(self, shop: Connection) -> None:
        shop.sql("CREATE DYNAMIC TABLE top AS SELECT product FROM sales")
        shop.sql("CREATE VIEW v AS SELECT * FROM sales; CREATE DYNAMIC TABLE all_of_it AS SELECT * FROM v")
        with pytest.raises(Refused, match=rf"read under that name by lake\.{shop.schema}\.all_of_it\b"):
            shop.sql("ALTER DYNAMIC TABLE sales RENAME COLUMN sold TO units")
        shop.sql("DROP DYNAMIC TABLE all_of_it")
        refresh(shop, "top")
        shop.sql("ALTER DYNAMIC TABLE sales RENAME COLUMN sold TO units")
        refresh(shop, "top")
        assert_same_bag(shop, "top", "SELECT product FROM sales")
        sell_more(shop)
        refresh(shop, "sales")
        refresh(shop, "top")
        assert_same_bag(shop, "top", "SELECT product FROM sales")

    @pytest.mark.incremental
    def test_only_the_case(self, shop: Connection) -> None:
        shop.sql("ALTER DYNAMIC TABLE sales RENAME COLUMN sold TO SOLD")
        assert columns_of(shop, "sales")[1][0] == "SOLD"
        sell_more(shop)
        assert refresh(shop, "sales")["refresh_mode"] == "INCREMENTAL"
        assert_same_bag(shop, "sales", SALES)

    def test_another_program_has_written(self, shop: Connection, plain_spark: Any) -> None:
        """The record of the last refresh is not repeated over rows that it knows nothing of."""
        table = f"lake.{shop.schema}.sales"
        plain_spark.sql(f"DELETE FROM {table} WHERE product = 'lamp'")
        shop.sql("ALTER DYNAMIC TABLE sales RENAME COLUMN sold TO units")
        assert refresh(shop, "sales")["refresh_mode"] == "FULL"
        assert_same_bag(shop, "sales", SALES)


@pytest.mark.incremental
class TestCutShort:
    """The process dies before or after the Iceberg table has changed; the next opening settles it."""

    @pytest.mark.parametrize("landed", [True, False])
    def test_every_kind_of_change(self, shop: Connection, landed: bool) -> None:
        context = internals.statement_context(shop)
        before = context.lake.store.definitions.find(context.session.resolve(("sales",)))
        assert before is not None
        renamed = replace(before.columns[1], name="units")
        for change in (
            {"comment": "c"},
            {"properties": {"data_retention_days": "3", "team": "north"}},
            {"columns": (before.columns[0], renamed, before.columns[2])},
            {"name": replace(before.name, table="moved")},
        ):
            intended = replace(before, **change)
            context.lake.store.lifecycle.begin_alter(intended)
            if landed:
                apply(Altering(before, intended), context.session)
            context.lake._recover()
            assert context.lake.store.lifecycle.altering() == []
            assert context.lake.store.definitions.find(intended.name if landed else before.name) == (
                intended if landed else before
            )
            before = intended if landed else before
        sell_more(shop)
        assert refresh(shop, before.name.table)["refresh_mode"] == "INCREMENTAL"
        assert_same_bag(shop, before.name.table, SALES)


def field_ids(lake: Connection, table: str) -> dict[str, int]:
    session = internals.session(lake)
    loaded = session.catalog.existing_table(session.resolve((table,)))
    return {field.name: field.id for field in loaded.fields}
