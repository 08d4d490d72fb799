"""CREATE OR REPLACE with another query: what takes effect at once, what waits, what is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from headrace import errors
from headrace.commands import open_lake
from headrace.connection import Connection
from headrace.features.dynamic_tables import replace
from headrace.model.dynamic_table import DynamicTable
from headrace.refresh import full
from tests import internals
from tests.commands.described import described
from tests.oracle import last_refresh
from tests.refresh.helpers import assert_same_bag, refresh, stats

WAITS = "the new definition waits for the next change in a source, or for REFRESH DYNAMIC TABLE ... FULL"

SALES = """
CREATE TABLE orders (id INT, product INT, quantity INT, state STRING, city STRING);
CREATE TABLE products (product INT, name STRING, category STRING, brand STRING, price DECIMAL(10, 2));
INSERT INTO products VALUES
  (1, 'earbuds', 'Electronics', 'Sono', 299), (2, 'shoes', 'Sports', 'Run', 499),
  (3, 'mat', 'Sports', NULL, 99);
INSERT INTO orders VALUES
  (1, 1, 1, 'completed', 'Bern'), (2, 2, 2, 'completed', 'Basel'), (3, 3, 1, 'cancelled', 'Chur');
"""
ENRICHED = (
    "SELECT o.id, p.category, o.quantity * p.price AS amount "
    "FROM orders o JOIN products p ON o.product = p.product WHERE o.state = 'completed'"
)
WITH_BRAND = ENRICHED.replace("p.category, ", "p.category, p.brand, ")
GMV = "SELECT category, count(*) AS orders, sum(amount) AS gmv FROM enriched GROUP BY category"
RANKED = "SELECT category, gmv, rank() OVER (ORDER BY gmv DESC) AS place FROM by_category"


@pytest.fixture
def shop(lake: Connection) -> Connection:
    lake.sql(f"{SALES} CREATE DYNAMIC TABLE enriched AS {ENRICHED}")
    refresh(lake, "enriched")
    return lake


@pytest.fixture
def layers(shop: Connection) -> Connection:
    """Two more layers over enriched."""
    for name, query in (("by_category", GMV), ("ranked", RANKED)):
        shop.sql(f"CREATE DYNAMIC TABLE {name} AS {query}")
        refresh(shop, name)
    return shop


def replaced(lake: Connection, query: str, table: str = "enriched", clauses: str = "") -> tuple[str, ...]:
    return lake.sql(f"CREATE OR REPLACE DYNAMIC TABLE {table} {clauses} AS {query}").notices


def rows(lake: Connection, query: str) -> list[tuple[Any, ...]]:
    return sorted(lake.sql(query).fetchall(), key=str)


def assert_waits(lake: Connection, table: str = "enriched") -> None:
    row = refresh(lake, table)
    assert (row["refresh_mode"], row["refresh_mode_reason"], row["stats"]) == ("NO_DATA", WAITS, None)


def assert_takes_effect(lake: Connection, query: str, table: str = "enriched") -> None:
    """With the refresh that is due: FULL once, incremental from then on."""
    row = refresh(lake, table)
    assert (row["refresh_mode"], row["refresh_mode_reason"]) == ("FULL", "the definition changed")
    assert_same_bag(lake, table, query)
    assert refresh(lake, table)["refresh_mode_reason"] == "no source changed"


def assert_follows(lake: Connection, table: str) -> None:
    assert refresh(lake, table)["refresh_mode"] == "INCREMENTAL"


def state(lake: Connection, table: str) -> tuple[DynamicTable | None, object, object]:
    """All that there is of a table: its definition, the state of its Iceberg table, its history."""
    name = internals.table_name(lake, table)
    stored = internals.session(lake).catalog.existing_table(name)
    history = lake.sql(f"SHOW DYNAMIC TABLE REFRESH HISTORY FOR {table}").fetchall()
    return internals.store(lake).definitions.find(name), stored.location, history


class TestAColumnIsAdded:
    """The example of a sales dashboard: brand is passed through from products."""

    @pytest.mark.incremental
    def test_null_until_new_data_arrives(self, shop: Connection) -> None:
        (notice,) = replaced(shop, WITH_BRAND)
        name = f"lake.{shop.schema}.enriched"
        assert notice == (
            f"the new definition of {name} takes effect with the next refresh after a change in its sources; "
            f"REFRESH DYNAMIC TABLE {name} FULL applies it at once"
        )
        assert shop.sql("SELECT * FROM enriched").columns == ["id", "category", "brand", "amount"]
        before = [(1, "Electronics", None, 299), (2, "Sports", None, 998)]
        assert rows(shop, "SELECT * FROM enriched") == before
        assert_waits(shop)
        assert last_refresh(shop, "enriched")["refresh_mode_reason"] == WAITS
        assert rows(shop, "SELECT * FROM enriched") == before
        told = ("new_definition", WAITS.removeprefix("the new definition "))
        assert told in shop.sql("DESC EXTENDED enriched").fetchall()

        shop.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern')")
        assert_takes_effect(shop, WITH_BRAND)
        assert "new_definition" not in [name for name, _ in shop.sql("DESC EXTENDED enriched").fetchall()]
        assert rows(shop, "SELECT * FROM enriched") == [
            (1, "Electronics", "Sono", 299),
            (2, "Sports", "Run", 998),
            (4, "Electronics", "Sono", 598),
        ]
        shop.sql("DELETE FROM orders WHERE id = 1; INSERT INTO orders VALUES (5, 3, 1, 'completed', 'Chur')")
        assert_follows(shop, "enriched")
        assert_same_bag(shop, "enriched", WITH_BRAND)

    @pytest.mark.share(0.2)
    def test_full_fills_it_at_once(self, shop: Connection) -> None:
        replaced(shop, WITH_BRAND)
        row = refresh(shop, "enriched", full=True)
        assert (row["refresh_mode"], row["refresh_mode_reason"]) == ("FULL", "FULL was requested")
        assert_same_bag(shop, "enriched", WITH_BRAND)
        assert refresh(shop, "enriched")["refresh_mode_reason"] == "no source changed"

    @pytest.mark.share(0.2)
    def test_a_change_that_no_refresh_has_seen_yet(self, shop: Connection) -> None:
        shop.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern')")
        replaced(shop, WITH_BRAND)
        assert_takes_effect(shop, WITH_BRAND)

    @pytest.mark.incremental
    def test_the_layers_downstream_go_on(self, layers: Connection) -> None:
        replaced(layers, WITH_BRAND)
        for name, query in (("by_category", GMV), ("ranked", RANKED)):
            assert refresh(layers, name)["refresh_mode"] in ("NO_DATA", "INCREMENTAL")
            assert_same_bag(layers, name, query)
        layers.sql("INSERT INTO orders VALUES (4, 1, 4, 'completed', 'Bern')")
        for name, query in (("enriched", WITH_BRAND), ("by_category", GMV), ("ranked", RANKED)):
            refresh(layers, name)
            assert_same_bag(layers, name, query)
        assert rows(layers, "SELECT * FROM ranked") == [("Electronics", 1495, 1), ("Sports", 998, 2)]

    @pytest.mark.share(0.2)
    def test_before_the_first_refresh(self, lake: Connection) -> None:
        lake.sql(SALES + f"CREATE DYNAMIC TABLE enriched AS {ENRICHED}")
        assert replaced(lake, WITH_BRAND) == ()
        assert refresh(lake, "enriched")["refresh_mode_reason"] == "first refresh"
        assert_same_bag(lake, "enriched", WITH_BRAND)

    @pytest.mark.share(0.2)
    def test_a_column_that_the_source_just_got(self, shop: Connection) -> None:
        """An altered source is no change of data."""
        shop.sql("ALTER TABLE orders ADD COLUMN note STRING")
        query = ENRICHED.replace("o.id,", "o.note, o.id,")
        replaced(shop, query)
        assert shop.sql("SELECT * FROM enriched").columns == ["note", "id", "category", "amount"]
        assert_waits(shop)
        shop.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern', 'gift')")
        assert_takes_effect(shop, query)

    @pytest.mark.incremental
    def test_a_star_that_means_more_by_now(self, shop: Connection) -> None:
        """The text of the query stays the same."""
        shop.sql("CREATE DYNAMIC TABLE copy AS SELECT * FROM orders")
        refresh(shop, "copy")
        shop.sql("ALTER TABLE orders ADD COLUMN note STRING")
        refresh(shop, "copy")
        replaced(shop, "SELECT * FROM orders", "copy")
        assert_waits(shop, "copy")
        shop.sql("UPDATE orders SET note = 'gift' WHERE id = 1")
        assert_takes_effect(shop, "SELECT * FROM orders", "copy")
        shop.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern', 'gift')")
        assert_follows(shop, "copy")
        assert_same_bag(shop, "copy", "SELECT * FROM orders")

    @pytest.mark.incremental
    def test_the_refused_average(self, layers: Connection) -> None:
        before = state(layers, "by_category")
        with pytest.raises(errors.Refused) as caught:
            replaced(
                layers, GMV.replace(" FROM", ", avg(amount) AS avg_price FROM"), "by_category", "COMMENT 'x'"
            )
        name = f"lake.{layers.schema}.by_category"
        assert caught.value.message == (
            f"column avg_price is an aggregate, and cannot be added to {name} in place"
        )
        assert (caught.value.hint or "").startswith(f"DROP DYNAMIC TABLE {name}, then CREATE")
        assert caught.value.place is not None
        assert state(layers, "by_category") == before
        layers.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern')")
        refresh(layers, "enriched")
        assert_follows(layers, "by_category")
        assert_same_bag(layers, "by_category", GMV)


class TestWhere:
    def test_waits_then_is_exact(self, shop: Connection) -> None:
        query = ENRICHED.replace("= 'completed'", "<> 'completed' OR o.quantity > 1")
        before = rows(shop, "SELECT * FROM enriched")
        replaced(shop, query)
        assert_waits(shop)
        assert rows(shop, "SELECT * FROM enriched") == before
        shop.sql("UPDATE products SET price = 100 WHERE product = 3")
        assert_takes_effect(shop, query)

    @pytest.mark.share(0.2)
    def test_rows_that_both_keep_stay_where_they_are(self, shop: Connection) -> None:
        replaced(shop, ENRICHED.replace("= 'completed'", "IN ('completed', 'cancelled')"))
        assert stats(refresh(shop, "enriched", full=True)) == (1, 0)

    @pytest.mark.incremental
    @pytest.mark.share(0.2)
    def test_below_group_by(self, layers: Connection) -> None:
        query = GMV.replace(" GROUP BY", " WHERE amount > 500 GROUP BY")
        replaced(layers, query, "by_category")
        assert_waits(layers, "by_category")
        layers.sql("INSERT INTO orders VALUES (4, 2, 1, 'completed', 'Bern')")
        refresh(layers, "enriched")
        assert_takes_effect(layers, query, "by_category")
        layers.sql("DELETE FROM orders WHERE id = 2")
        refresh(layers, "enriched")
        assert_follows(layers, "by_category")
        assert_same_bag(layers, "by_category", query)

    @pytest.mark.incremental
    @pytest.mark.share(0.2)
    def test_incremental_mode(self, shop: Connection) -> None:
        query = WITH_BRAND.replace("WHERE", "WHERE o.city <> 'Basel' AND")
        replaced(shop, query, clauses="REFRESH_MODE = INCREMENTAL")
        assert_waits(shop)
        shop.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern')")
        assert_takes_effect(shop, query)
        shop.sql("DELETE FROM orders WHERE id = 1")
        assert_follows(shop, "enriched")
        assert_same_bag(shop, "enriched", query)

    @pytest.mark.incremental
    def test_back_again_before_it_took_effect(self, shop: Connection) -> None:
        """No column was touched: the rows are still those of the definition."""
        replaced(shop, ENRICHED.replace("completed", "cancelled"))
        replaced(shop, ENRICHED)
        assert refresh(shop, "enriched")["refresh_mode_reason"] == "no source changed"
        shop.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern')")
        assert_follows(shop, "enriched")
        assert_same_bag(shop, "enriched", ENRICHED)


class TestAColumnIsRemoved:
    QUERY = "SELECT id, product, city FROM orders"

    @pytest.fixture
    def listed(self, lake: Connection) -> Connection:
        lake.sql(SALES + f"CREATE DYNAMIC TABLE listed PARTITIONED BY (product) AS {self.QUERY}")
        refresh(lake, "listed")
        return lake

    def replaced(self, lake: Connection, query: str) -> tuple[str, ...]:
        return replaced(lake, query, "listed", "PARTITIONED BY (product)")

    @pytest.mark.incremental
    def test_removed_and_added_at_once_in_a_partitioned_table(self, listed: Connection) -> None:
        query = "SELECT quantity, product, state, id FROM orders WHERE id <> 3"
        self.replaced(listed, query)
        assert listed.sql("SELECT * FROM listed").columns == ["quantity", "id", "product", "state"]
        assert rows(listed, "SELECT quantity, product, state, id FROM listed") == [
            (None, n, None, n) for n in (1, 2, 3)
        ]
        assert_waits(listed, "listed")
        listed.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern')")
        shown = f"SELECT quantity, id, product, state FROM ({query})"
        assert_takes_effect(listed, shown, "listed")
        listed.sql("DELETE FROM orders WHERE id = 1")
        assert_follows(listed, "listed")
        assert_same_bag(listed, "listed", shown)

    @pytest.mark.share(0.2)
    def test_removed_and_added_again_reads_null(self, listed: Connection) -> None:
        """The text is the recorded one, and the values are gone."""
        self.replaced(listed, "SELECT id, product FROM orders")
        self.replaced(listed, self.QUERY)
        assert rows(listed, "SELECT * FROM listed") == [(n, n, None) for n in (1, 2, 3)]
        assert_waits(listed, "listed")
        listed.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern')")
        assert_takes_effect(listed, self.QUERY, "listed")

    def test_removed_and_added_again_is_filled_on_demand(self, listed: Connection) -> None:
        """The version that is there has other values under the same name."""
        self.replaced(listed, "SELECT id, product FROM orders")
        self.replaced(listed, self.QUERY)
        refresh(listed, "listed", full=True)
        assert_same_bag(listed, "listed", self.QUERY)

    @pytest.mark.incremental
    def test_added_and_removed_again_is_as_recorded(self, listed: Connection) -> None:
        self.replaced(listed, "SELECT id, product, state, city FROM orders")
        self.replaced(listed, self.QUERY)
        assert refresh(listed, "listed")["refresh_mode_reason"] == "no source changed"
        listed.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern')")
        assert_follows(listed, "listed")
        assert_same_bag(listed, "listed", self.QUERY)

    @pytest.mark.share(0.2)
    def test_all_columns_are_others(self, lake: Connection) -> None:
        lake.sql(SALES + "CREATE DYNAMIC TABLE listed AS SELECT id, city FROM orders")
        refresh(lake, "listed")
        replaced(lake, "SELECT state, quantity FROM orders", "listed")
        assert rows(lake, "SELECT * FROM listed") == [(None, None)] * 3
        lake.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern')")
        assert_takes_effect(lake, "SELECT state, quantity FROM orders", "listed")

    @pytest.mark.share(0.2)
    def test_a_star_that_means_less_by_now(self, lake: Connection) -> None:
        lake.sql(SALES + "CREATE DYNAMIC TABLE copy AS SELECT * FROM orders")
        refresh(lake, "copy")
        lake.sql("ALTER TABLE orders DROP COLUMN city")
        replaced(lake, "SELECT * FROM orders", "copy")
        assert_waits(lake, "copy")
        lake.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed')")
        assert_takes_effect(lake, "SELECT * FROM orders", "copy")

    def test_columns_added_in_the_middle_of_a_table_that_is_rewritten(
        self, listed: Connection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(full, "SMALL_ENOUGH_TO_COMPARE", 0)
        query = "SELECT state, product, quantity, city FROM orders"
        self.replaced(listed, query)
        listed.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern')")
        assert "REPLACE WHERE" in str(listed.sql("EXPLAIN REFRESH DYNAMIC TABLE listed").fetchall())
        shown = f"SELECT {', '.join(listed.sql('SELECT * FROM listed').columns)} FROM ({query})"
        assert_takes_effect(listed, shown, "listed")


class TestReaders:
    def test_of_a_removed_column_are_named(self, layers: Connection) -> None:
        layers.sql("CREATE DYNAMIC TABLE everything AS SELECT * FROM enriched")
        layers.sql("CREATE DYNAMIC TABLE counted AS SELECT count(*) AS n FROM enriched")
        before = state(layers, "enriched")
        with pytest.raises(errors.Refused) as caught:
            replaced(layers, ENRICHED.replace("p.category, ", ""), clauses="COMMENT 'changed'")
        schema = f"lake.{layers.schema}"
        assert caught.value.message == (
            f"column category of {schema}.enriched cannot be removed: "
            f"still read by {schema}.by_category, {schema}.everything"
        )
        assert caught.value.hint == "change or drop what reads it first"
        assert state(layers, "enriched") == before

    @pytest.mark.share(0.2)
    def test_of_other_columns_go_on(self, layers: Connection) -> None:
        replaced(layers, ENRICHED.replace("o.id, ", ""))
        refresh(layers, "by_category")
        assert_same_bag(layers, "by_category", GMV)
        layers.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern')")
        refresh(layers, "enriched")
        refresh(layers, "by_category")
        assert_same_bag(layers, "by_category", GMV)

    def test_a_reader_that_cannot_be_planned_is_judged_by_its_words(self, shop: Connection) -> None:
        shop.sql("CREATE TABLE gone (x INT); CREATE DYNAMIC TABLE ids AS SELECT id FROM enriched, gone")
        shop.sql("CREATE DYNAMIC TABLE amounts AS SELECT amount FROM enriched, gone; DROP TABLE gone")
        with pytest.raises(errors.Refused) as caught:
            replaced(shop, ENRICHED.replace("o.id, ", ""))
        assert caught.value.message.endswith(f"still read by lake.{shop.schema}.ids")


class TestAtOnce:
    def test_all_but_the_rows(self, shop: Connection) -> None:
        lake = shop
        lake.sql(
            f"CREATE OR REPLACE DYNAMIC TABLE enriched (id COMMENT 'key', category, amount) AS {ENRICHED}"
        )
        shuffled = ENRICHED.replace("SELECT o.id, p.category,", "SELECT p.category, o.id AS ID,")
        clauses = (
            "(category COMMENT 'kind', ID COMMENT 'the key', amount) COMMENT 'new' PROPERTIES ('a' = '1')"
        )
        name = f"lake.{lake.schema}.enriched"
        assert replaced(lake, shuffled, clauses=clauses) == (
            f"the comment of {name} changes from none to 'new'",
            f"the property a of {name} changes from none to '1'",
        )
        assert lake.sql("SELECT * FROM enriched").columns == ["id", "category", "amount"]
        table, *_ = state(lake, "enriched")
        assert table is not None
        assert [(c.name, c.comment) for c in table.columns] == [
            ("id", "the key"),
            ("category", "kind"),
            ("amount", None),
        ]
        assert refresh(lake, "enriched")["refresh_mode_reason"] == "no source changed"
        seen_by_others = internals.session(lake).catalog.existing_table(table.name).java.schema()
        assert [seen_by_others.findField(name).doc() for name in ("id", "category")] == ["the key", "kind"]

    @pytest.mark.share(0.2)
    def test_while_waiting(self, shop: Connection) -> None:
        replaced(shop, WITH_BRAND)
        replaced(shop, WITH_BRAND, clauses="REFRESH INTERVAL 1 HOUR COMMENT 'waits'")
        assert described(shop, "enriched")["refresh_interval_second"] == "3600"
        assert_waits(shop)


class TestWhileWaiting:
    def test_what_is_shown_and_verified(self, shop: Connection) -> None:
        history = len(shop.sql("SHOW DYNAMIC TABLE REFRESH HISTORY FOR enriched"))
        replaced(shop, WITH_BRAND, clauses="REFRESH INTERVAL 1 HOUR")
        detail = described(shop, "enriched")
        assert detail["view_original_text"] == WITH_BRAND
        assert detail["refresh_interval_second"] == "3600"
        ((statement,),) = shop.sql("SHOW CREATE TABLE enriched").fetchall()
        assert statement.endswith(WITH_BRAND)
        assert re.search(r"\(id, category, brand, amount\)", statement)
        explained = dict(shop.sql("EXPLAIN REFRESH DYNAMIC TABLE enriched").fetchall())
        assert (explained["mode"], explained["reason"]) == ("NO_DATA", WAITS)
        assert len(shop.sql("SHOW DYNAMIC TABLE REFRESH HISTORY FOR enriched")) == history
        name = f"lake.{shop.schema}.enriched"
        with pytest.raises(errors.Refused) as caught:
            shop.sql("VERIFY DYNAMIC TABLE enriched")
        assert caught.value.message == (
            f"the new definition of {name} has not taken effect: its rows are still those of the old one"
        )
        assert caught.value.hint == (
            "the next refresh after a change in its sources applies it, "
            f"and so does REFRESH DYNAMIC TABLE {name} FULL"
        )
        refresh(shop, "enriched", full=True)
        assert shop.sql("VERIFY DYNAMIC TABLE enriched").df()["result"][0] == "exact"

    @pytest.mark.share(0.2)
    def test_another_definition(self, shop: Connection) -> None:
        replaced(shop, WITH_BRAND)
        query = ENRICHED.replace("o.id,", "o.id, o.city,").replace("WHERE", "WHERE o.id > 1 AND")
        replaced(shop, query)
        assert_waits(shop)
        shop.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern')")
        assert_takes_effect(shop, query)

    def test_compacted_by_another_program(self, shop: Connection) -> None:
        """A rewrite brings the newest version the new columns, and no row its values."""
        shop.sql("CREATE DYNAMIC TABLE copy AS SELECT * FROM orders")
        refresh(shop, "copy")
        shop.sql("ALTER TABLE orders ADD COLUMN note STRING")
        replaced(shop, "SELECT * FROM orders", "copy")
        internals.spark(shop).sql(
            f"CALL lake.system.rewrite_data_files(table => '{shop.schema}.copy', "
            "options => map('rewrite-all', 'true'))"
        ).collect()
        assert_waits(shop, "copy")
        shop.sql("UPDATE orders SET note = 'gift' WHERE id = 1")
        assert_takes_effect(shop, "SELECT * FROM orders", "copy")


class Crash(BaseException):
    """Ends the statement as the end of the process would."""


class TestACrash:
    """Between the announcement, the Iceberg table and the confirmation."""

    @pytest.mark.parametrize(
        "altered",
        [True, pytest.param(False, marks=pytest.mark.share(0.2))],
        ids=["altered", "only announced"],
    )
    def test_is_finished_at_the_next_opening(
        self, shop: Connection, monkeypatch: pytest.MonkeyPatch, altered: bool
    ) -> None:
        def die(*_: Any) -> None:
            raise Crash

        store = internals.store(shop)
        with monkeypatch.context() as patch:
            if not altered:
                patch.setattr(replace, "bring_in_line", die)
            patch.setattr(store.lifecycle, "replace", die)
            patch.setattr(store.lifecycle, "finish_replace", die)
            with pytest.raises(Crash):
                replaced(shop, WITH_BRAND, clauses="COMMENT 'new'")
        assert [pending.lifecycle for pending in store.lifecycle.unfinished()] == ["replacing"]
        internals.open_lake(shop)._recover()
        assert store.lifecycle.unfinished() == []
        assert described(shop, "enriched")["comment"] == "new"
        assert shop.sql("SELECT * FROM enriched").columns == ["id", "category", "brand", "amount"]
        assert_waits(shop)
        shop.sql("INSERT INTO orders VALUES (4, 1, 2, 'completed', 'Bern')")
        assert_takes_effect(shop, WITH_BRAND)

    def test_a_table_that_cannot_be_altered_stays_as_it_was(
        self, shop: Connection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: Any) -> None:
            raise errors.OperationalError("the disk is full")

        before = state(shop, "enriched")
        with monkeypatch.context() as patch:
            patch.setattr(replace, "bring_in_line", fail)
            with pytest.raises(errors.OperationalError, match="the disk is full"):
                replaced(shop, WITH_BRAND)
        assert state(shop, "enriched") == before
        assert internals.store(shop).lifecycle.unfinished() == []

    @pytest.mark.share(0.2)
    def test_a_table_whose_data_is_gone_does_not_keep_the_lake_closed(
        self, shop: Connection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        table, *_ = state(shop, "enriched")
        assert table is not None
        internals.store(shop).lifecycle.begin_replace(table)
        internals.session(shop).catalog.drop(table.name)
        with monkeypatch.context() as patch:
            patch.setattr(open_lake, "bring_in_line", None)
            internals.open_lake(shop)._recover()
        assert internals.store(shop).lifecycle.unfinished() == []
        shop.sql("DROP DYNAMIC TABLE enriched")
