"""Definitions with parameters: which values a refresh takes, and what another value does."""

from __future__ import annotations

import json
from typing import Any

import pytest

import headrace
from headrace.connection import Connection
from headrace.errors import NotFound, RefreshFailed, Refused
from headrace.refresh.run import Request, refresh_table
from tests import internals
from tests.oracle import assert_exact, last_refresh
from tests.refresh.helpers import as_dict, failing, profile, refresh, stats

DAY = "SESSION_CONFIGS()['dt.args.bizdate']"
SALES = f"SELECT dt, product, sum(n) AS n FROM sold WHERE dt = {DAY} GROUP BY dt, product"


@pytest.fixture
def shop(lake: Connection) -> Connection:
    """sold, with three rows of one day and one of the next."""
    lake.sql("CREATE TABLE sold (dt STRING, product STRING, n INT)")
    lake.sql(
        "INSERT INTO sold VALUES ('2024-06-01', 'lamp', 1), ('2024-06-01', 'lamp', 2), "
        "('2024-06-01', 'desk', 5), ('2024-06-02', 'lamp', 7)"
    )
    return lake


def of_day(day: str, query: str = SALES) -> str:
    return query.replace(DAY, f"'{day}'")


def mode(lake: Connection, table: str = "sales") -> str:
    return str(refresh(lake, table)["refresh_mode"])


class TestValues:
    def test_created_without_one(self, shop: Connection) -> None:
        shop.sql(f"CREATE DYNAMIC TABLE sales AS {SALES}")
        assert dict(shop.sql("DESC sales").fetchall()) == {"dt": "string", "product": "string", "n": "bigint"}
        assert shop.sql("SELECT * FROM sales").fetchall() == []

    def test_set(self, shop: Connection) -> None:
        shop.sql(f"CREATE DYNAMIC TABLE sales AS {SALES}; SET dt.args.bizdate = 2024-06-01")
        row = refresh(shop, "sales")
        assert (row["refresh_mode"], row["refresh_arguments"]) == ("FULL", '{"bizdate":"2024-06-01"}')
        assert_exact(shop, "sales", of_day("2024-06-01"))
        assert mode(shop) == "NO_DATA"

    @pytest.mark.incremental
    def test_followed_while_it_stays(self, shop: Connection) -> None:
        shop.sql(f"CREATE DYNAMIC TABLE sales AS {SALES}; SET dt.args.bizdate = 2024-06-01")
        refresh(shop, "sales")
        shop.sql("INSERT INTO sold VALUES ('2024-06-01', 'lamp', 10), ('2024-06-02', 'desk', 20)")
        shop.sql("DELETE FROM sold WHERE product = 'desk' AND dt = '2024-06-01'")
        assert mode(shop) == "INCREMENTAL"
        assert_exact(shop, "sales", of_day("2024-06-01"))

    @pytest.mark.incremental
    def test_another_one(self, shop: Connection) -> None:
        shop.sql(f"CREATE DYNAMIC TABLE sales AS {SALES}; SET dt.args.bizdate = 2024-06-01")
        refresh(shop, "sales")
        shop.sql("SET dt.args.bizdate = '2024-06-02'")
        row = refresh(shop, "sales")
        assert row["refresh_mode"] == "FULL"
        assert row["refresh_mode_reason"] == "parameter bizdate changed from '2024-06-01' to '2024-06-02'"
        assert_exact(shop, "sales", of_day("2024-06-02"))
        shop.sql("INSERT INTO sold VALUES ('2024-06-02', 'sofa', 1)")
        assert mode(shop) == "INCREMENTAL"
        assert_exact(shop, "sales", of_day("2024-06-02"))

    def test_missing(self, shop: Connection) -> None:
        shop.sql(f"CREATE DYNAMIC TABLE sales AS {SALES}")
        with failing(shop, "sales", "parameter bizdate has no value", "SET dt.args.bizdate", "PROPERTIES"):
            refresh(shop, "sales")

    def test_reset(self, shop: Connection) -> None:
        shop.sql(f"CREATE DYNAMIC TABLE sales AS {SALES}; SET dt.args.bizdate = 2024-06-01")
        refresh(shop, "sales")
        shop.sql("RESET dt.args.bizdate")
        with failing(shop, "sales", "parameter bizdate has no value"):
            refresh(shop, "sales")

    def test_of_each_connection(self, shop: Connection) -> None:
        shop.sql(f"CREATE DYNAMIC TABLE sales AS {SALES}; SET dt.args.bizdate = 2024-06-01")
        with headrace.connect(shop.lake_path) as other:
            other.sql(f"USE {shop.schema}")
            with pytest.raises(RefreshFailed, match="parameter bizdate has no value"):
                refresh(other, "sales")
        refresh(shop, "sales")

    def test_given_by_a_task(self, shop: Connection) -> None:
        """As another program of ours gives them: by name, without a session."""
        shop.sql(f"CREATE DYNAMIC TABLE sales AS {SALES}; SET dt.args.bizdate = 2024-06-01")
        context = internals.statement_context(shop)
        table = context.lake.store.definitions.find(context.session.resolve(("sales",)))
        assert table is not None
        refresh_table(table, context.refresh_context, Request(arguments={"bizdate": "2024-06-02"}))
        assert_exact(shop, "sales", of_day("2024-06-02"))

    def test_case_does_not_matter(self, shop: Connection) -> None:
        query = SALES.replace("dt.args.bizdate", "DT.args.BizDate")
        shop.sql(f"CREATE DYNAMIC TABLE sales AS {query}; SET dt.ARGS.bizDATE = 2024-06-01")
        refresh(shop, "sales")
        assert_exact(shop, "sales", of_day("2024-06-01"))

    @pytest.mark.parametrize("value", ["it's", "a\\b", "${x}", "line\nbreak", "", "'; DROP TABLE sold; --"])
    def test_strange_ones(self, shop: Connection, value: str) -> None:
        shop.sql(f"CREATE DYNAMIC TABLE told AS SELECT product, {DAY} AS said FROM sold")
        quoted = value.replace("\\", "\\\\").replace("'", "\\'")
        shop.sql(f"SET dt.args.bizdate = '{quoted}'")
        refresh(shop, "told")
        assert {row[0] for row in shop.sql("SELECT said FROM told").fetchall()} == {value}
        shop.sql("INSERT INTO sold VALUES ('2024-06-03', 'sofa', 1)")
        refresh(shop, "told")
        assert len(shop.sql("SELECT said FROM told")) == 5

    def test_one_that_is_not_fixed(self, shop: Connection) -> None:
        shop.sql(f"CREATE DYNAMIC TABLE sales AS {SALES}; SET dt.args.bizdate = today")
        with failing(shop, "sales", "parameter bizdate is 'today', which is a different day every day"):
            refresh(shop, "sales")


class TestDefaults:
    def test_default(self, shop: Connection) -> None:
        shop.sql(
            f"CREATE DYNAMIC TABLE sales PROPERTIES('dt.args.BizDate'='2024-06-01') "
            f"REFRESH INTERVAL 1 HOUR AS {SALES}"
        )
        refresh(shop, "sales")
        assert_exact(shop, "sales", of_day("2024-06-01"))
        shop.sql("SET dt.args.bizdate = 2024-06-02")
        assert mode(shop) == "FULL"
        assert_exact(shop, "sales", of_day("2024-06-02"))

    def test_changed(self, shop: Connection) -> None:
        shop.sql(f"CREATE DYNAMIC TABLE sales PROPERTIES('dt.args.bizdate'='2024-06-01') AS {SALES}")
        refresh(shop, "sales")
        shop.sql("ALTER DYNAMIC TABLE sales SET PROPERTIES('dt.args.bizdate'='2024-06-02')")
        assert mode(shop) == "FULL"
        assert_exact(shop, "sales", of_day("2024-06-02"))
        shop.sql("ALTER DYNAMIC TABLE sales SET PROPERTIES('dt.args.bizdate'='2024-06-02', 'other'='x')")
        assert mode(shop) == "NO_DATA"

    def test_an_interval_needs_one(self, shop: Connection) -> None:
        with pytest.raises(Refused, match="parameter bizdate requires a default"):
            shop.sql(f"CREATE DYNAMIC TABLE sales REFRESH INTERVAL 1 HOUR AS {SALES}")
        shop.sql(f"CREATE DYNAMIC TABLE sales AS {SALES}")
        with pytest.raises(Refused, match="parameter bizdate requires a default"):
            shop.sql("ALTER DYNAMIC TABLE sales SET REFRESH INTERVAL 1 HOUR")
        shop.sql("ALTER DYNAMIC TABLE sales SET PROPERTIES('dt.args.bizdate'='2024-06-01')")
        shop.sql("ALTER DYNAMIC TABLE sales SET REFRESH INTERVAL 1 HOUR")
        with pytest.raises(Refused, match="parameter bizdate requires a default"):
            shop.sql("ALTER DYNAMIC TABLE sales UNSET PROPERTIES('dt.args.bizdate')")


PLACES = {
    "where": SALES,
    "select": f"SELECT product, {DAY} AS day, n FROM sold",
    "cte": f"WITH c AS (SELECT * FROM sold WHERE dt >= {DAY}) SELECT product, sum(n) AS n FROM c GROUP BY 1",
    "subquery": f"SELECT * FROM (SELECT product, n FROM sold WHERE dt = {DAY}) WHERE n > 1",
    "exists": "SELECT product FROM sold a "
    f"WHERE EXISTS (SELECT 1 FROM sold b WHERE b.dt > {DAY} AND b.product = a.product)",
    "window": f"SELECT product, n, rank() OVER (PARTITION BY dt = {DAY} ORDER BY n, product) AS r FROM sold",
    "cast": f"SELECT product, datediff(CAST({DAY} AS DATE), CAST(dt AS DATE)) AS age FROM sold",
    "join": f"SELECT a.product, b.n FROM sold a JOIN sold b ON a.product = b.product AND b.dt = {DAY}",
    "twice": f"SELECT product, {DAY} AS d FROM sold WHERE dt < {DAY} OR n > 4",
    "qualify": f"SELECT product, n FROM sold WHERE dt = {DAY} "
    "QUALIFY row_number() OVER (PARTITION BY product ORDER BY n) = 1",
}


@pytest.mark.incremental
@pytest.mark.share(0.2)
@pytest.mark.parametrize("place", PLACES)
def test_anywhere_in_the_query(shop: Connection, place: str) -> None:
    query = PLACES[place]
    shop.sql(f"CREATE DYNAMIC TABLE d AS {query}; SET dt.args.bizdate = 2024-06-01")
    refresh(shop, "d")
    assert_exact(shop, "d", query)
    shop.sql("INSERT INTO sold VALUES ('2024-06-01', 'sofa', 3), ('2024-06-03', 'desk', 8)")
    shop.sql("UPDATE sold SET n = n + 1 WHERE product = 'lamp'")
    assert mode(shop, "d") == "INCREMENTAL"
    assert_exact(shop, "d", query)
    shop.sql("SET dt.args.bizdate = 2024-06-03")
    assert mode(shop, "d") == "FULL"
    assert_exact(shop, "d", query)


def test_several(shop: Connection) -> None:
    query = (
        f"SELECT product FROM sold WHERE dt = {DAY} AND n >= CAST(SESSION_CONFIGS()['dt.args.least'] AS INT)"
    )
    shop.sql(f"CREATE DYNAMIC TABLE d REFRESH_MODE = INCREMENTAL AS {query}")
    shop.sql("SET dt.args.bizdate = 2024-06-01; SET dt.args.least = 2")
    refresh(shop, "d")
    assert sorted(shop.sql("SELECT product FROM d").fetchall()) == [("desk",), ("lamp",)]
    shop.sql("SET dt.args.least = 3")
    row = refresh(shop, "d")
    assert row["refresh_mode_reason"] == "parameter least changed from '2' to '3'"
    assert shop.sql("SELECT product FROM d").fetchall() == [("desk",)]


@pytest.mark.incremental
def test_downstream_follows(shop: Connection) -> None:
    shop.sql(f"CREATE DYNAMIC TABLE sales AS {SALES}; SET dt.args.bizdate = 2024-06-01")
    shop.sql("CREATE DYNAMIC TABLE total AS SELECT sum(n) AS n FROM sales")
    refresh(shop, "sales")
    refresh(shop, "total")
    shop.sql("SET dt.args.bizdate = 2024-06-02")
    refresh(shop, "sales")
    assert mode(shop, "total") == "INCREMENTAL"
    assert_exact(shop, "total", "SELECT sum(n) AS n FROM sales")


class TestOpenness:
    @pytest.fixture
    def refreshed(self, shop: Connection) -> dict[str, Any]:
        shop.sql(f"CREATE DYNAMIC TABLE sales PROPERTIES('dt.args.bizdate'='2024-06-09') AS {SALES}")
        shop.sql("SET dt.args.bizdate = 2024-06-01")
        return refresh(shop, "sales")

    def test_history(self, shop: Connection, refreshed: dict[str, Any]) -> None:
        row = last_refresh(shop, "sales")
        assert json.loads(str(row["refresh_arguments"])) == {"bizdate": "2024-06-01"}
        assert row["refresh_partition"] is None
        shop.sql("CREATE DYNAMIC TABLE plain AS SELECT n FROM sold")
        assert refresh(shop, "plain")["refresh_arguments"] is None

    def test_profile(self, shop: Connection, refreshed: dict[str, Any]) -> None:
        assert profile(shop, refreshed).arguments == {"bizdate": "2024-06-01"}
        result = shop.sql(
            "SELECT refresh_arguments FROM information_schema.dynamic_table_job_profiles "
            f"WHERE job_id = '{refreshed['job_id']}'"
        )
        assert result.fetchall() == [('{"bizdate":"2024-06-01"}',)]

    def test_desc(self, shop: Connection, refreshed: dict[str, Any]) -> None:
        told = dict(shop.sql("DESC EXTENDED sales").fetchall())
        assert told["parameters"] == "bizdate = '2024-06-09'"
        assert told["refresh_arguments"] == '{"bizdate":"2024-06-01"}'
        assert told["view_original_text"] == SALES
        assert DAY in str(told["view_text"])

    def test_show_create_table(self, shop: Connection, refreshed: dict[str, Any]) -> None:
        ((text,),) = shop.sql("SHOW CREATE TABLE sales").fetchall()
        assert str(text).endswith(f"AS\n{SALES}")
        shop.sql("DROP DYNAMIC TABLE sales")
        shop.sql(str(text))
        refresh(shop, "sales")
        assert_exact(shop, "sales", of_day("2024-06-01"))

    def test_explain(self, shop: Connection, refreshed: dict[str, Any]) -> None:
        told = dict(shop.sql("EXPLAIN REFRESH DYNAMIC TABLE sales").fetchall())
        assert (told["mode"], told["argument"]) == ("NO_DATA", "bizdate = '2024-06-01'")
        shop.sql("SET dt.args.bizdate = 2024-06-02")
        lines = shop.sql("EXPLAIN REFRESH DYNAMIC TABLE sales").fetchall()
        assert ("mode", "FULL") in lines
        assert any(item == "sql" and "'2024-06-02'" in detail for item, detail in lines)
        shop.sql("ALTER DYNAMIC TABLE sales UNSET PROPERTIES('dt.args.bizdate'); RESET dt.args.bizdate")
        with pytest.raises(NotFound, match="parameter bizdate has no value"):
            shop.sql("EXPLAIN REFRESH DYNAMIC TABLE sales")

    def test_verify_takes_the_arguments_of_the_refresh(
        self, shop: Connection, refreshed: dict[str, Any]
    ) -> None:
        shop.sql("SET dt.args.bizdate = 2024-06-02")
        found = as_dict(shop.sql("VERIFY DYNAMIC TABLE sales"))
        assert (found["result"], found["table_rows"]) == ("exact", 2)

    def test_set_shows_it(self, shop: Connection) -> None:
        assert shop.sql("SET dt.args.x").fetchall() == [("dt.args.x", "<undefined>")]
        assert shop.sql("SET dt.args.X = a b").fetchall() == [("dt.args.x", "a b")]
        assert shop.sql("SET dt.args.x").fetchall() == [("dt.args.x", "a b")]
        shop.sql("RESET dt.args.x")
        assert shop.sql("SET dt.args.x").fetchall() == [("dt.args.x", "<undefined>")]


class TestOutsideOfDefinitions:
    def test_select(self, lake: Connection) -> None:
        query = "SELECT SESSION_CONFIGS()['dt.args.x'] AS x, session_configs()['DT.ARGS.X'] AS y"
        assert lake.sql(query).fetchall() == [(None, None)]
        lake.sql("SET dt.args.x = it is")
        assert lake.sql(query).fetchall() == [("it is", "it is")]

    def test_insert(self, shop: Connection) -> None:
        shop.sql("SET dt.args.x = 2024-07-01; INSERT INTO sold SELECT SESSION_CONFIGS()['dt.args.x'], 'x', 1")
        assert shop.sql("SELECT n FROM sold WHERE dt = '2024-07-01'").fetchall() == [(1,)]

    def test_a_view_would_keep_the_value(self, shop: Connection) -> None:
        for kind in ("VIEW", "OR REPLACE TEMPORARY VIEW"):
            with pytest.raises(Refused, match="a view cannot have parameters"):
                shop.sql(f"CREATE {kind} v AS {SALES}")


class TestReplace:
    def test_a_parameter_comes_into_where(self, shop: Connection) -> None:
        shop.sql("CREATE DYNAMIC TABLE d AS SELECT product, n FROM sold")
        refresh(shop, "d")
        query = f"SELECT product, n FROM sold WHERE dt = {DAY}"
        shop.sql(f"CREATE OR REPLACE DYNAMIC TABLE d AS {query}; SET dt.args.bizdate = 2024-06-02")
        refresh(shop, "d", full=True)
        assert_exact(shop, "d", query)

    def test_a_column_that_a_parameterised_table_reads(self, shop: Connection) -> None:
        shop.sql("CREATE DYNAMIC TABLE up AS SELECT dt, product, n FROM sold")
        shop.sql(f"CREATE DYNAMIC TABLE down AS SELECT product FROM up WHERE dt = {DAY}")
        with pytest.raises(Refused, match="column dt of"):
            shop.sql("CREATE OR REPLACE DYNAMIC TABLE up AS SELECT product, n FROM sold")
        shop.sql("CREATE OR REPLACE DYNAMIC TABLE up AS SELECT dt, product FROM sold")


def test_rows_that_stay_are_left_in_place(shop: Connection) -> None:
    shop.sql(f"CREATE DYNAMIC TABLE d AS SELECT product, n FROM sold WHERE dt <= {DAY}")
    shop.sql("SET dt.args.bizdate = 2024-06-01")
    refresh(shop, "d")
    shop.sql("SET dt.args.bizdate = 2024-06-02")
    assert stats(refresh(shop, "d")) == (1, 0)
