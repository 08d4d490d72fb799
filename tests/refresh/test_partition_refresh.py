"""REFRESH ... PARTITION: one partition becomes what the query gives, and no other row is touched."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

import headrace
from headrace.connection import Connection
from headrace.errors import RefreshFailed
from headrace.lake.commit.upkeep import compact
from headrace.lake.table.tables import Table
from headrace.model.names import TableName
from headrace.refresh import full, increment
from headrace.refresh.maintenance import _needed
from headrace.refresh.partition_records import WHOLE, all_records
from tests import internals
from tests.oracle import assert_exact, last_refresh
from tests.refresh.helpers import as_dict, bag, before_computing, failing, profile, refresh, stats
from tests.refresh.test_crash import assert_nothing_is_half_done, crash
from tests.sampling import run_random

DAY = "SESSION_CONFIGS()['dt.args.day']"
BY_DAY = f"SELECT dt, product, sum(n) AS n FROM sold WHERE dt = {DAY} GROUP BY dt, product"
ROWS = f"SELECT dt, product, n FROM sold WHERE dt = {DAY}"
FIRST, SECOND, THIRD = "2024-06-01", "2024-06-02", "2024-06-03"


def make(lake: Connection, query: str = BY_DAY, partitioned_by: str = "dt") -> Connection:
    lake.sql("CREATE TABLE sold (dt STRING, product STRING, n INT)")
    lake.sql(
        f"INSERT INTO sold VALUES ('{FIRST}', 'lamp', 1), ('{FIRST}', 'lamp', 2), ('{FIRST}', 'desk', 5), "
        f"('{SECOND}', 'lamp', 7)"
    )
    lake.sql(f"CREATE DYNAMIC TABLE by_day PARTITIONED BY ({partitioned_by}) AS {query}")
    return lake


@pytest.fixture
def shop(lake: Connection) -> Connection:
    """sold, with two days; by_day, empty."""
    return make(lake)


def part(lake: Connection, day: str, *, argument: str | None = None, options: str = "") -> dict[str, Any]:
    lake.sql(f"SET dt.args.day = '{argument or day}'")
    return as_dict(lake.sql(f"REFRESH DYNAMIC TABLE by_day {options} PARTITION (dt = '{day}')"))


def of_day(day: str, query: str = BY_DAY) -> str:
    return query.replace(DAY, f"'{day}'")


def assert_day(lake: Connection, day: str, query: str = BY_DAY) -> None:
    """The law for one partition."""
    assert_exact(lake, f"(SELECT * FROM by_day WHERE dt = '{day}')", of_day(day, query))


def assert_verified(lake: Connection) -> None:
    result = lake.sql("VERIFY DYNAMIC TABLE by_day")
    found = as_dict(result)
    assert (found["result"], result.notices) == ("exact", ())
    assert found["table_rows"] == lake.sql("SELECT count(*) FROM by_day").fetchall()[0][0]


def loaded(lake: Connection) -> Table:
    return internals.session(lake).catalog.existing_table(TableName("lake", lake.schema, "by_day"))


def other_connection(lake: Connection) -> Connection:
    other = headrace.connect(lake.lake_path)
    other.sql(f"USE {lake.schema}")
    return other


@pytest.fixture
def second(lake: Connection) -> Iterator[Connection]:
    """Another connection to the same lake, with arguments of its own."""
    with other_connection(lake) as connection:
        yield connection


@pytest.fixture(
    params=[False, pytest.param(True, marks=pytest.mark.share(0.2))], ids=["by Headrace", "by Spark"]
)
def by_spark(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether changes are written by one statement of Spark's, as large ones are."""
    if request.param:
        monkeypatch.setattr(increment, "SMALL", -1)
    return bool(request.param)


class TestOne:
    def test_the_first_is_full_and_the_next_follow(self, shop: Connection) -> None:
        row = part(shop, FIRST)
        assert (row["refresh_mode"], stats(row)) == ("FULL", (2, 0))
        assert row["refresh_mode_reason"] == f"first refresh of partition (dt = '{FIRST}')"
        assert_exact(shop, "by_day", of_day(FIRST))
        assert part(shop, FIRST)["refresh_mode"] == "NO_DATA"
        assert part(shop, SECOND)["refresh_mode"] == "FULL"
        assert_day(shop, FIRST)
        assert_day(shop, SECOND)
        assert_verified(shop)

    @pytest.mark.incremental
    def test_only_that_partition_follows(self, shop: Connection, by_spark: bool) -> None:
        part(shop, FIRST)
        part(shop, SECOND)
        before = bag(shop, f"SELECT * FROM by_day WHERE dt = '{FIRST}'")
        shop.sql(
            f"INSERT INTO sold VALUES ('{FIRST}', 'sofa', 1), ('{SECOND}', 'lamp', 2), "
            f"('{SECOND}', 'sofa', 3)"
        )
        shop.sql("DELETE FROM sold WHERE product = 'desk'")
        assert part(shop, SECOND)["refresh_mode"] == "INCREMENTAL"
        assert_day(shop, SECOND)
        assert bag(shop, f"SELECT * FROM by_day WHERE dt = '{FIRST}'") == before
        assert_verified(shop)
        assert part(shop, FIRST)["refresh_mode"] == "INCREMENTAL"
        assert_day(shop, FIRST)
        assert_verified(shop)

    @pytest.mark.incremental
    @pytest.mark.share(0.2)
    @pytest.mark.parametrize(
        "query",
        [
            ROWS,
            f"SELECT DISTINCT dt, product FROM sold WHERE dt = {DAY}",
            f"SELECT dt, max(n) AS most, count(DISTINCT product) AS k FROM sold WHERE dt = {DAY} GROUP BY dt",
            f"SELECT {DAY} AS dt, product, n FROM sold",
            f"SELECT {DAY} AS dt, count(*) AS n, sum(n) AS total FROM sold",
            f"SELECT a.dt, a.product, b.n FROM sold a JOIN sold b USING (product) WHERE a.dt = {DAY}",
            f"SELECT dt, product, rank() OVER (ORDER BY n, product) AS r FROM sold WHERE dt = {DAY}",
        ],
    )
    def test_rows_of_many_kinds(self, lake: Connection, query: str, by_spark: bool) -> None:
        """Keys of rows may be the same in several partitions: each finds its own."""
        make(lake, query)
        for day in (FIRST, SECOND):
            part(lake, day)
            assert_day(lake, day, query)
        lake.sql(
            f"INSERT INTO sold VALUES ('{FIRST}', 'lamp', 9), ('{SECOND}', 'desk', 5), "
            f"('{SECOND}', 'lamp', 1)"
        )
        lake.sql("DELETE FROM sold WHERE n = 2; UPDATE sold SET n = n + 1 WHERE product = 'lamp'")
        for day in (SECOND, FIRST):
            assert part(lake, day)["refresh_mode"] == "INCREMENTAL"
            assert_day(lake, day, query)
        assert_verified(lake)

    def test_another_argument(self, lake: Connection) -> None:
        least = "SESSION_CONFIGS()['dt.args.least']"
        query = f"{ROWS} AND n >= CAST({least} AS INT)"
        make(lake, query)
        lake.sql("SET dt.args.least = 0")
        part(lake, FIRST)
        part(lake, SECOND)
        lake.sql("SET dt.args.least = 2")
        row = part(lake, FIRST)
        assert (row["refresh_mode"], row["refresh_mode_reason"]) == (
            "FULL",
            "parameter least changed from '0' to '2'",
        )
        assert stats(row) == (0, 1)
        assert_exact(lake, "by_day", f"SELECT * FROM sold WHERE n >= 2 OR dt = '{SECOND}'")
        assert_verified(lake)

    @pytest.mark.incremental
    def test_an_empty_one(self, shop: Connection) -> None:
        part(shop, FIRST)
        assert stats(part(shop, THIRD)) == (0, 0)
        shop.sql(f"INSERT INTO sold VALUES ('{THIRD}', 'sofa', 1)")
        assert part(shop, THIRD)["refresh_mode"] == "INCREMENTAL"
        assert_day(shop, THIRD)
        shop.sql(f"DELETE FROM sold WHERE dt = '{THIRD}'")
        part(shop, THIRD)
        assert_exact(shop, "by_day", of_day(FIRST))

    def test_full_on_demand(self, shop: Connection) -> None:
        part(shop, FIRST)
        part(shop, SECOND)
        row = part(shop, FIRST, options="FULL")
        assert (row["refresh_mode"], stats(row)) == ("FULL", (0, 0))
        assert_day(shop, FIRST)
        assert_day(shop, SECOND)

    def test_rewritten(self, shop: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
        """A large table without readers gets the partition's rows anew."""
        part(shop, FIRST)
        part(shop, SECOND)
        monkeypatch.setattr(full, "SMALL_ENOUGH_TO_COMPARE", 0)
        row = part(shop, FIRST, options="FULL")
        assert stats(row) == (2, 2)
        assert_day(shop, FIRST)
        assert_day(shop, SECOND)
        assert_verified(shop)


@pytest.mark.share(0.2)
class TestOutside:
    @pytest.mark.parametrize("other_rows_first", [False, True])
    def test_rows_outside_are_an_error(self, shop: Connection, other_rows_first: bool) -> None:
        if other_rows_first:
            part(shop, FIRST)
        words = (f"outside partition (dt = '{THIRD}')", f"dt = {SECOND}")
        with failing(shop, "by_day", *words):
            part(shop, THIRD, argument=SECOND)
        assert last_refresh(shop, "by_day")["refresh_partition"] == f"dt = '{THIRD}'"

    @pytest.mark.incremental
    def test_in_a_later_change(self, lake: Connection, by_spark: bool) -> None:
        make(lake, "SELECT dt, product, n FROM sold WHERE n < 6")
        part(lake, FIRST)
        lake.sql(f"INSERT INTO sold VALUES ('{SECOND}', 'lamp', 1)")
        with failing(lake, "by_day", "outside partition", f"dt = {SECOND}"):
            part(lake, FIRST)
        lake.sql(f"DELETE FROM sold WHERE dt = '{SECOND}'")
        assert part(lake, FIRST)["refresh_mode"] == "INCREMENTAL"
        assert_exact(lake, "by_day", "SELECT * FROM sold WHERE n < 6")

    def test_null_is_outside_too(self, lake: Connection) -> None:
        make(lake, "SELECT dt, product, n FROM sold WHERE n < 6")
        lake.sql("INSERT INTO sold VALUES (NULL, 'lamp', 1)")
        with failing(lake, "by_day", "dt = null"):
            part(lake, FIRST)

    def test_no_file_is_left(self, shop: Connection) -> None:
        part(shop, FIRST)
        directory = Path(loaded(shop).directory)
        before = set(directory.rglob("*.parquet"))
        with pytest.raises(RefreshFailed):
            part(shop, THIRD, argument=SECOND)
        assert set(directory.rglob("*.parquet")) == before


@pytest.mark.share(0.2)
class TestValues:
    @pytest.mark.incremental
    @pytest.mark.parametrize(
        ("kind", "value", "literals", "told"),
        [
            ("DATE", "DATE '2024-06-01'", ["'2024-06-01'", "DATE '2024-06-01'", "'2024-6-1'"], "2024-06-01"),
            ("INT", "5", ["5", "'5'", "5L"], "5"),
            ("BIGINT", "-5L", ["-5"], "-5"),
            ("BOOLEAN", "true", ["true", "TRUE", "'true'"], "true"),
            ("DECIMAL(9,2)", "1.50BD", ["1.5", "1.50", "'1.5'"], "1.50"),
            ("STRING", "'it\\'s'", ["'it\\'s'"], "it\\'s"),
            ("STRING", "'5'", ["5"], "5"),
        ],
    )
    def test_of_many_types(
        self, lake: Connection, kind: str, value: str, literals: list[str], told: str
    ) -> None:
        lake.sql(f"CREATE TABLE t (k {kind}, n INT); INSERT INTO t VALUES ({value}, 1), (NULL, 2)")
        lake.sql("CREATE DYNAMIC TABLE d PARTITIONED BY (k) AS SELECT k, n FROM t WHERE k IS NOT NULL")
        modes = []
        for literal in literals:
            row = as_dict(lake.sql(f"REFRESH DYNAMIC TABLE d PARTITION (k = {literal})"))
            modes.append(row["refresh_mode"])
            assert row["refresh_partition"] == f"k = '{told}'"
        assert modes == ["FULL"] + ["NO_DATA"] * (len(literals) - 1)
        lake.sql(f"INSERT INTO t VALUES ({value}, 3)")
        row = as_dict(lake.sql(f"REFRESH DYNAMIC TABLE d PARTITION (k = {literals[0]})"))
        assert row["refresh_mode"] == "INCREMENTAL"
        assert_exact(lake, "d", "SELECT k, n FROM t WHERE k IS NOT NULL")

    @pytest.mark.incremental
    def test_null(self, lake: Connection, by_spark: bool) -> None:
        query = "SELECT dt, product, n FROM sold WHERE dt IS NULL"
        make(lake, query)
        lake.sql("INSERT INTO sold VALUES (NULL, 'sofa', 1)")
        statement = "REFRESH DYNAMIC TABLE by_day PARTITION (dt = NULL)"
        assert as_dict(lake.sql(statement))["refresh_partition"] == "dt = NULL"
        lake.sql("INSERT INTO sold VALUES (NULL, 'desk', 2); DELETE FROM sold WHERE product = 'sofa'")
        assert as_dict(lake.sql(statement))["refresh_mode"] == "INCREMENTAL"
        assert_exact(lake, "by_day", query)
        assert_verified(lake)

    def test_several_columns(self, lake: Connection) -> None:
        what = "SESSION_CONFIGS()['dt.args.what']"
        query = f"SELECT dt, n, product FROM sold WHERE dt = {DAY} AND product = {what}"
        make(lake, query, "product, dt")
        lake.sql(f"SET dt.args.what = lamp; SET dt.args.day = {FIRST}")
        row = as_dict(lake.sql(f"REFRESH DYNAMIC TABLE by_day PARTITION (product = 'lamp', DT = '{FIRST}')"))
        assert row["refresh_partition"] == f"dt = '{FIRST}', product = 'lamp'"
        lake.sql("SET dt.args.what = desk")
        lake.sql(f"REFRESH DYNAMIC TABLE by_day PARTITION (dt = '{FIRST}', product = 'desk')")
        assert_exact(lake, "by_day", f"SELECT dt, n, product FROM sold WHERE dt = '{FIRST}'")
        assert_verified(lake)

    @pytest.mark.incremental
    def test_beside_a_transform(self, lake: Connection) -> None:
        make(lake, ROWS, "dt, bucket(4, product)")
        part(lake, FIRST)
        lake.sql(f"INSERT INTO sold VALUES ('{FIRST}', 'sofa', 1)")
        assert part(lake, FIRST)["refresh_mode"] == "INCREMENTAL"
        assert_day(lake, FIRST, ROWS)


@pytest.mark.share(0.2)
class TestWhole:
    @pytest.mark.incremental
    def test_the_whole_table_after_partitions(self, shop: Connection) -> None:
        part(shop, FIRST)
        part(shop, SECOND)
        shop.sql(f"SET dt.args.day = {FIRST}")
        row = refresh(shop, "by_day")
        assert row["refresh_mode"] == "FULL"
        assert row["refresh_mode_reason"] == f"the last refresh covered only partition (dt = '{SECOND}')"
        assert_exact(shop, "by_day", of_day(FIRST))
        assert_verified(shop)
        shop.sql(f"INSERT INTO sold VALUES ('{FIRST}', 'sofa', 1)")
        assert refresh(shop, "by_day")["refresh_mode"] == "INCREMENTAL"
        assert_exact(shop, "by_day", of_day(FIRST))

    def test_partitions_after_the_whole_table(self, lake: Connection) -> None:
        query = f"SELECT dt, product, n FROM sold WHERE {DAY} IN (dt, 'all')"
        make(lake, query)
        lake.sql("SET dt.args.day = all")
        refresh(lake, "by_day")
        lake.sql(f"INSERT INTO sold VALUES ('{FIRST}', 'sofa', 1), ('{SECOND}', 'sofa', 1)")
        row = part(lake, FIRST)
        assert (row["refresh_mode"], stats(row)) == ("FULL", (1, 0))
        assert_exact(lake, "by_day", f"SELECT * FROM sold WHERE NOT (dt = '{SECOND}' AND product = 'sofa')")
        assert_verified(lake)


@pytest.mark.incremental
@pytest.mark.share(0.2)
class TestDownstream:
    def test_it_follows(self, shop: Connection) -> None:
        shop.sql("CREATE DYNAMIC TABLE total AS SELECT product, sum(n) AS n FROM by_day GROUP BY product")
        part(shop, FIRST)
        refresh(shop, "total")
        part(shop, SECOND)
        shop.sql(f"INSERT INTO sold VALUES ('{FIRST}', 'lamp', 1)")
        row = part(shop, FIRST, options="FULL")
        assert stats(row) == (1, 1)
        assert refresh(shop, "total")["refresh_mode"] == "INCREMENTAL"
        assert_exact(shop, "total", "SELECT product, sum(n) AS n FROM by_day GROUP BY product")


@pytest.mark.share(0.2)
class TestAtTheSameTime:
    @pytest.mark.incremental
    @pytest.mark.parametrize("begun_before", [False, True])
    @pytest.mark.parametrize("query", [BY_DAY, ROWS])
    def test_another_partition_comes_first(
        self,
        lake: Connection,
        second: Connection,
        monkeypatch: pytest.MonkeyPatch,
        query: str,
        begun_before: bool,
        by_spark: bool,
    ) -> None:
        make(lake, query)
        if begun_before:
            part(lake, FIRST)
            part(lake, SECOND)
            lake.sql(f"INSERT INTO sold VALUES ('{FIRST}', 'lamp', 3), ('{SECOND}', 'lamp', 4)")
            lake.sql("DELETE FROM sold WHERE n IN (2, 7)")
        expected = "INCREMENTAL" if begun_before else "FULL"
        rows = []
        with before_computing(lake, monkeypatch, lambda: rows.append(part(second, SECOND))):
            rows.append(part(lake, FIRST))
        assert [row["refresh_mode"] for row in rows] == [expected] * 2
        assert_day(lake, FIRST, query)
        assert_day(lake, SECOND, query)
        assert_verified(lake)
        assert {part(lake, day)["refresh_mode"] for day in (FIRST, SECOND)} == {"NO_DATA"}

    @pytest.mark.incremental
    def test_many_partitions_in_threads(self, shop: Connection) -> None:
        days = [f"2024-07-0{number}" for number in range(1, 5)]
        shop.sql("INSERT INTO sold VALUES " + ", ".join(f"('{day}', 'lamp', 1)" for day in days))

        def work(day: str) -> list[str]:
            with other_connection(shop) as own:
                modes = [part(own, day)["refresh_mode"]]
                own.sql(f"INSERT INTO sold VALUES ('{day}', 'lamp', 2), ('{day}', 'desk', 3)")
                return [*modes, part(own, day)["refresh_mode"]]

        with ThreadPoolExecutor() as threads:
            assert [*threads.map(work, days)] == [["FULL", "INCREMENTAL"]] * 4
        for day in days:
            assert_day(shop, day)
        assert_verified(shop)

    def test_the_same_partition(
        self, shop: Connection, second: Connection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        waiting: list[Future[dict[str, Any]]] = []
        with ThreadPoolExecutor() as threads:
            with before_computing(
                shop, monkeypatch, lambda: waiting.append(threads.submit(part, second, FIRST))
            ):
                assert part(shop, FIRST)["refresh_mode"] == "FULL"
            assert waiting[0].result()["refresh_mode"] == "NO_DATA"
        assert_exact(shop, "by_day", of_day(FIRST))

    def test_the_whole_table_waits(
        self, shop: Connection, second: Connection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        second.sql(f"SET dt.args.day = {SECOND}")
        started = threading.Event()
        waiting: list[Future[dict[str, Any]]] = []

        def whole() -> dict[str, Any]:
            started.set()
            return refresh(second, "by_day")

        def begin(threads: ThreadPoolExecutor) -> None:
            waiting.append(threads.submit(whole))
            started.wait()

        with ThreadPoolExecutor() as threads:
            with before_computing(shop, monkeypatch, lambda: begin(threads)):
                part(shop, FIRST)
            assert waiting[0].result()["refresh_mode"] == "FULL"
        assert_exact(shop, "by_day", of_day(SECOND))

    def test_another_program(
        self, shop: Connection, monkeypatch: pytest.MonkeyPatch, plain_spark: Any
    ) -> None:
        part(shop, FIRST)
        table = f"lake.{shop.schema}.by_day"
        write = f"INSERT INTO {table} (dt, product, n) VALUES ('{SECOND}', 'x', 1)"
        with (
            before_computing(shop, monkeypatch, lambda: plain_spark.sql(write)),
            pytest.raises(RefreshFailed, match="another program wrote to the table"),
        ):
            part(shop, SECOND)
        row = part(shop, SECOND)
        assert row["refresh_mode"] == "FULL"
        assert_day(shop, SECOND)

    @pytest.mark.incremental
    def test_compaction_in_between(
        self, shop: Connection, second: Connection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        part(shop, FIRST)
        for number in range(9):
            shop.sql(f"INSERT INTO sold VALUES ('{FIRST}', 'p{number}', 1)")
            part(shop, FIRST)
        shop.sql("UPDATE sold SET n = n + 1 WHERE product = 'p3'")

        def optimize() -> None:
            name = TableName("lake", shop.schema, "by_day")
            opened = internals.open_lake(shop)
            done = compact(name, opened.catalog_session.catalog, opened.new_session())
            assert done.files_rewritten > 0

        with before_computing(shop, monkeypatch, optimize):
            assert part(shop, FIRST)["refresh_mode"] == "INCREMENTAL"
        assert_day(shop, FIRST)
        assert_verified(shop)


@pytest.mark.share(0.2)
class TestVersions:
    @pytest.mark.incremental
    def test_restore(self, shop: Connection) -> None:
        part(shop, FIRST)
        part(shop, SECOND)
        version = loaded(shop).version.snapshot_id
        shop.sql(f"INSERT INTO sold VALUES ('{FIRST}', 'sofa', 1)")
        part(shop, FIRST)
        shop.sql(f"RESTORE TABLE by_day TO VERSION AS OF {version}")
        assert_verified(shop)
        assert part(shop, SECOND)["refresh_mode"] == "INCREMENTAL"
        assert part(shop, FIRST)["refresh_mode"] == "INCREMENTAL"
        assert_day(shop, FIRST)
        assert_verified(shop)

    @pytest.mark.incremental
    def test_a_renamed_partition_column(self, shop: Connection) -> None:
        part(shop, FIRST)
        part(shop, SECOND)
        shop.sql("ALTER DYNAMIC TABLE by_day RENAME COLUMN dt TO day")
        assert_verified(shop)
        shop.sql(f"INSERT INTO sold VALUES ('{FIRST}', 'sofa', 1); SET dt.args.day = {FIRST}")
        row = as_dict(shop.sql(f"REFRESH DYNAMIC TABLE by_day PARTITION (day = '{FIRST}')"))
        assert row["refresh_mode"] == "INCREMENTAL"
        assert_verified(shop)

    def test_a_new_definition(self, lake: Connection) -> None:
        make(lake, ROWS)
        part(lake, FIRST)
        part(lake, SECOND)
        lake.sql(f"CREATE OR REPLACE DYNAMIC TABLE by_day PARTITIONED BY (dt) AS {ROWS} AND n > 1")
        assert part(lake, FIRST)["refresh_mode"] == "FULL"
        assert_day(lake, FIRST, f"{ROWS} AND n > 1")
        result = lake.sql("VERIFY DYNAMIC TABLE by_day")
        assert as_dict(result)["result"] == "exact"
        assert result.notices == ("rows of partitions without a known refresh were not compared",)


def test_verify_finds_what_is_wrong(shop: Connection, plain_spark: Any) -> None:
    part(shop, FIRST)
    part(shop, SECOND)
    table = f"lake.{shop.schema}.by_day"
    plain_spark.sql(f"UPDATE {table} SET n = n + 100 WHERE dt = '{FIRST}' AND product = 'desk'")
    plain_spark.sql(f"INSERT INTO {table} (dt, product, n) VALUES ('{THIRD}', 'x', 1)")
    found = as_dict(shop.sql("VERIFY DYNAMIC TABLE by_day"))
    assert (found["result"], found["missing_rows"], found["extra_rows"]) == ("different", 1, 2)


def test_versions_that_partitions_have_seen_are_kept(shop: Connection) -> None:
    context = internals.statement_context(shop)
    source = TableName("lake", shop.schema, "sold")
    seen = set()
    for day in (FIRST, SECOND):
        seen.add(context.session.catalog.existing_table(source).version.snapshot_id)
        part(shop, day)
        shop.sql(f"INSERT INTO sold VALUES ('{THIRD}', 'lamp', 1)")
    table = context.session.catalog.existing_table(source)
    assert len(seen) == 2
    assert set(_needed(table, context.session.catalog, context.lake.store)) == seen
    shop.sql(f"SET dt.args.day = {FIRST}")
    refresh(shop, "by_day")
    assert set(_needed(table, context.session.catalog, context.lake.store)) == {table.version.snapshot_id}


@pytest.mark.share(0.2)
class TestOpenness:
    def test_history_and_profile(self, shop: Connection) -> None:
        row = part(shop, FIRST)
        assert last_refresh(shop, "by_day") == row
        assert row["refresh_partition"] == f"dt = '{FIRST}'"
        told = profile(shop, row)
        assert str(told.partition) == f"dt = '{FIRST}'"
        assert told.arguments == {"day": FIRST}

    def test_desc(self, shop: Connection) -> None:
        part(shop, FIRST)
        told = dict(shop.sql("DESC EXTENDED by_day").fetchall())
        assert told["refresh_partition"] == f"dt = '{FIRST}'"

    @pytest.mark.incremental
    def test_explain(self, shop: Connection) -> None:
        part(shop, FIRST)
        shop.sql(f"INSERT INTO sold VALUES ('{FIRST}', 'sofa', 1); SET dt.args.day = {FIRST}")
        lines = shop.sql(f"EXPLAIN REFRESH DYNAMIC TABLE by_day PARTITION (dt = '{FIRST}')").fetchall()
        assert ("mode", "INCREMENTAL") in lines
        assert ("partition", f"dt = '{FIRST}'") in lines
        shop.sql(f"SET dt.args.day = {SECOND}")
        lines = shop.sql(f"EXPLAIN REFRESH DYNAMIC TABLE by_day PARTITION (dt = '{SECOND}')").fetchall()
        assert ("mode", "FULL") in lines


@pytest.mark.incremental
@pytest.mark.share(0.2)
@pytest.mark.parametrize("moment", ["partition is committed", "partition is known"])
def test_a_crash_after_the_commit(new_lake: Callable[..., Connection], moment: str) -> None:
    with new_lake() as lake:
        lake.sql(
            f"CREATE TABLE sold (dt STRING, n INT); INSERT INTO sold VALUES ('{FIRST}', 1), ('{SECOND}', 2)"
        )
        query = f"SELECT dt, sum(n) AS n FROM sold WHERE dt = {DAY} GROUP BY dt"
        lake.sql(f"CREATE DYNAMIC TABLE by_day PARTITIONED BY (dt) AS {query}")
        part(lake, FIRST)
        home: Path = lake.lake_path
    crash(home, moment)
    lake = new_lake()
    assert_nothing_is_half_done(lake)
    row = last_refresh(lake, "by_day")
    assert (row["state"], row["refresh_partition"]) == ("SUCCEED", f"dt = '{SECOND}'")
    assert_verified(lake)
    assert part(lake, SECOND)["refresh_mode"] == "NO_DATA"
    lake.sql(f"INSERT INTO sold VALUES ('{SECOND}', 5)")
    assert part(lake, SECOND)["refresh_mode"] == "INCREMENTAL"
    assert_day(lake, SECOND, query)
    assert_day(lake, FIRST, query)
    assert_verified(lake)


RANDOM = (
    f"SELECT dt, k, sum(v) * {{f}} AS v FROM src WHERE dt = {DAY} GROUP BY dt, k",
    f"SELECT dt, k, v * {{f}} AS v FROM src WHERE dt = {DAY}",
    f"SELECT {DAY} AS dt, a.k, b.v * {{f}} AS v FROM src a LEFT JOIN src b ON a.k = b.k AND b.dt = {DAY}",
    f"SELECT {DAY} AS dt, k, max(v) * {{f}} AS v FROM src GROUP BY k",
    f"SELECT dt, k, v * {{f}} + row_number() OVER (PARTITION BY k ORDER BY v, id) AS v "
    f"FROM src WHERE dt = {DAY}",
)
FACTOR = "CAST(SESSION_CONFIGS()['dt.args.factor'] AS INT)"


@pytest.mark.incremental
@pytest.mark.share(0.2)
@pytest.mark.parametrize("shape", range(len(RANDOM)))
def test_random_changes_partitions_and_arguments(lake: Connection, shape: int) -> None:
    rng = run_random(f"refresh/partitions {shape}")
    query = RANDOM[shape].format(f=FACTOR)
    lake.sql("CREATE TABLE src (id INT, dt STRING, k INT, v INT)")
    lake.sql(f"CREATE DYNAMIC TABLE by_day PARTITIONED BY (dt) AS {query}")
    days, held, taken, version = (FIRST, SECOND, THIRD), {}, {}, 0
    for number in range(14):
        if rng.random() < 0.7:
            lake.sql(_random_change(rng, number))
            version += 1
        day, factor = rng.choice(days), rng.choice((1, 1, 1, 2))
        lake.sql(f"SET dt.args.factor = {factor}")
        row = part(lake, day)
        before = taken.get(day)
        if before is None or before[1] != factor:
            assert row["refresh_mode"] == "FULL"
        else:
            assert row["refresh_mode"] == ("NO_DATA" if before[0] == version else "INCREMENTAL")
        taken[day] = (version, factor)
        assert_day(lake, day, query)
        held[day] = bag(lake, f"SELECT * FROM by_day WHERE dt = '{day}'")
        assert bag(lake, "SELECT * FROM by_day") == sum(held.values(), Counter())
    assert_verified(lake)
    context = internals.statement_context(lake)
    table = context.lake.store.definitions.find(TableName("lake", lake.schema, "by_day"))
    assert table is not None
    stored = loaded(lake)
    records = all_records(table.id, stored, context.lake.store.partitions, stored.version.snapshot_id)
    assert len(records.keys() - {WHOLE}) == len(held)


def _random_change(rng: Random, number: int) -> str:
    day = rng.choice((FIRST, SECOND, THIRD))
    match rng.choice(("insert", "insert", "delete", "update")):
        case "insert":
            values = ", ".join(
                f"({100 * number + copy}, '{day}', {rng.randint(0, 3)}, {rng.randint(0, 9)})"
                for copy in range(rng.randint(1, 4))
            )
            return f"INSERT INTO src VALUES {values}"
        case "delete":
            return f"DELETE FROM src WHERE k = {rng.randint(0, 3)} AND dt = '{day}'"
    return f"UPDATE src SET v = v + 1, dt = '{day}' WHERE k = {rng.randint(0, 3)}"
