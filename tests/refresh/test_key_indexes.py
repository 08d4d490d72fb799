"""Indexes of keys over their life: made, listed, counted, verified, lost and made again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headrace.connection import Connection
from headrace.lake.lookup import key_lookup
from headrace.lake.lookup.key_lookup import IndexUse, index_needs
from headrace.refresh import cost
from tests import internals
from tests.lake.index_writing import rewritten
from tests.oracle import assert_plainly_exact
from tests.refresh.helpers import as_dict, refresh

pytestmark = pytest.mark.incremental

ROWS = 5_000
ORDERS = f"SELECT id, id * 7919 % 500 AS customer, id % 97 AS amount FROM range(0, {ROWS}, 1, 1)"
QUERY = "SELECT customer, max(amount) AS top, count(*) AS n FROM orders GROUP BY customer"


@pytest.fixture
def shop(lake: Connection) -> Connection:
    """Its refreshes look for the rows of customers who have lost their greatest amount."""
    lake.sql(f"CREATE TABLE orders AS {ORDERS}")
    lake.sql(f"CREATE DYNAMIC TABLE best PROPERTIES ('state' = 'always') AS {QUERY}")
    refresh(lake, "best")
    return lake


def directory(lake: Connection) -> Path:
    return internals.session(lake).key_indexes.directory


def listed(lake: Connection, rest: str = "") -> list[dict[str, Any]]:
    result = lake.sql(f"SHOW KEY INDEXES FOR orders {rest}")
    return [dict(zip(result.columns, row, strict=True)) for row in result.fetchall()]


def files_of_orders(lake: Connection) -> list[Path]:
    found = internals.open_lake(lake).key_indexes.all()
    name = internals.session(lake).resolve(("orders",))
    return [index.stored.path for index in found if index.table == name]


def lose_the_greatest(lake: Connection, customer: int) -> None:
    lake.sql(
        f"DELETE FROM orders WHERE customer = {customer} AND amount = "
        f"(SELECT max(amount) FROM orders WHERE customer = {customer})"
    )


def explained(lake: Connection) -> list[str]:
    lines = lake.sql("EXPLAIN REFRESH DYNAMIC TABLE best").fetchall()
    return [detail.split("; ", 1)[1] for item, detail in lines if item == "stage" and ". find rows" in detail]


def refreshed(lake: Connection, customer: int) -> None:
    lose_the_greatest(lake, customer)
    assert refresh(lake, "best")["refresh_mode"] == "INCREMENTAL"
    assert_plainly_exact(lake, "best", QUERY)


def described(lake: Connection) -> dict[str, Any]:
    return dict(lake.sql("DESC EXTENDED best").fetchall())


def reason(lake: Connection) -> str:
    return str(dict(lake.sql("EXPLAIN REFRESH DYNAMIC TABLE best").fetchall())["reason"])


def test_from_the_first_refresh_that_needs_it(shop: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "_INDEX", 0.001)
    assert (listed(shop), described(shop)["key_indexes"]) == ([], "none")
    lose_the_greatest(shop, 7)
    assert explained(shop)[-1] == f"index of 1 files to be made ({ROWS} rows, {8 * ROWS} bytes)"
    assert listed(shop) == []
    assert f"({ROWS / 1000} s to make indexes), FULL " in reason(shop)
    assert refresh(shop, "best")["refresh_mode"] == "INCREMENTAL"
    (row,) = listed(shop)
    shown = (row["table_name"], row["columns"], row["files"], row["orphaned_files"], row["rows"])
    assert shown == ("orders", "customer", 1, 0, ROWS)
    assert row["bytes"] == sum(path.stat().st_size for path in files_of_orders(shop)) > 8 * ROWS
    assert listed(shop, "LIKE 'x%'") == listed(shop, "WHERE files > 1") == []
    assert [each["columns"] for each in listed(shop, "WHERE rows > 0 LIMIT 1")] == ["customer"]

    lose_the_greatest(shop, 8)
    assert explained(shop)[-1] == f"index of 1 files ({row['bytes']} bytes)"
    assert "to make indexes" not in reason(shop)
    details = described(shop)
    indexes = f"lake.{shop.schema}.orders by customer: 1 files, {row['bytes']} bytes"
    assert (details["key_index_use"], details["key_indexes"]) == ("always", indexes)
    costs = "SELECT key_index_bytes FROM information_schema.dynamic_table_costs WHERE schema_name = '{}'"
    assert shop.sql(costs.format(shop.schema)).fetchall() == [(row["bytes"],)]

    shop.sql("ALTER TABLE orders RENAME COLUMN customer TO buyer")
    assert [each["columns"] for each in listed(shop)] == ["buyer"]


def verified(lake: Connection) -> tuple[str, int, int, tuple[str, ...]]:
    result = lake.sql("VERIFY DYNAMIC TABLE best")
    row = as_dict(result)
    return row["result"], row["key_indexes"], row["wrong_key_indexes"], result.notices


def another_position(entries: list[int]) -> list[int]:
    """One row of some customer is not where the index says."""
    return [*entries[:1000], entries[1000] ^ 1, *entries[1001:]]


def a_customer_is_missing(entries: list[int]) -> list[int]:
    return entries[:-1]


def another_hash(entries: list[int]) -> list[int]:
    return sorted(entry ^ (1 << 40) for entry in entries)


@pytest.mark.parametrize("change", [another_position, a_customer_is_missing, another_hash])
def test_a_wrong_index_with_right_checksums_is_found(
    shop: Connection, change: Callable[[list[int]], list[int]]
) -> None:
    refreshed(shop, 7)
    (path,) = files_of_orders(shop)
    right = path.read_bytes()
    assert verified(shop) == ("exact", 1, 0, ())
    rewritten(path, lambda entries: entries)
    assert path.read_bytes()[-4000:] == right[-4000:]
    assert verified(shop) == ("exact", 1, 0, ())

    rewritten(path, change)
    result, compared, wrong, notices = verified(shop)
    assert (result, compared, wrong) == ("exact", 1, 1)
    assert notices[0].startswith(f"the index of lake.{shop.schema}.orders by customer was wrong for ")
    assert notices[-1] == "deleted indexes are made again when a refresh needs them"
    assert (files_of_orders(shop), verified(shop)) == ([], ("exact", 0, 0, ()))
    refreshed(shop, 8)
    assert path.read_bytes() == right


def test_damaged_indexes_are_reported_and_made_again(shop: Connection) -> None:
    refreshed(shop, 7)
    (path,) = files_of_orders(shop)
    right = path.read_bytes()
    path.write_bytes(right[:2000] + b"\x00" + right[2001:])
    assert verified(shop)[1:3] == (1, 1)
    refreshed(shop, 8)
    path.write_bytes(b"HRPOS001" + right[8:])
    _, compared, wrong, notices = verified(shop)
    assert (compared, wrong) == (0, 1)
    assert (
        notices[0] == f"the index file {path.name} was damaged, or of an earlier version: it has been deleted"
    )
    refreshed(shop, 9)
    assert path.read_bytes() == right


def test_lost_indexes_cost_time_and_no_rows(shop: Connection) -> None:
    refreshed(shop, 7)
    shutil.rmtree(directory(shop))
    assert (listed(shop), verified(shop)) == ([], ("exact", 0, 0, ()))
    assert shop.sql("VACUUM").notices == ()
    refreshed(shop, 8)
    assert [row["files"] for row in listed(shop)] == [1]


def test_indexes_of_files_that_are_gone_are_deleted(shop: Connection) -> None:
    refreshed(shop, 7)
    (path,) = files_of_orders(shop)
    other = path.with_name("0" * 64 + path.suffix)
    other.write_bytes(path.read_bytes()[:200])
    shop.sql("VACUUM")
    assert (path.exists(), other.exists()) == (True, False)
    shop.sql("DROP DYNAMIC TABLE best")
    shop.sql("ALTER TABLE orders SET TBLPROPERTIES ('data_retention_days' = '0'); DROP TABLE orders")
    assert [(row["table_name"], row["orphaned_files"]) for row in all_listed(shop)] == [("orders", 1)]
    shop.sql("VACUUM")
    assert not path.exists()


def all_listed(lake: Connection) -> list[dict[str, Any]]:
    result = lake.sql(f"SHOW KEY INDEXES IN {lake.schema}")
    return [dict(zip(result.columns, row, strict=True)) for row in result.fetchall()]


@pytest.mark.parametrize(
    ("column", "use", "words"),
    [
        ("id", IndexUse.AUTO, "pages suffice"),
        ("customer", IndexUse.AUTO, f"index of 1 files to be made ({ROWS} rows, {8 * ROWS} bytes)"),
        ("id", IndexUse.ALWAYS, f"index of 1 files to be made ({ROWS} rows, {8 * ROWS} bytes)"),
        ("customer", IndexUse.NONE, "None"),
    ],
)
def test_pages_of_a_file_in_the_order_of_the_key_suffice(
    lake: Connection, monkeypatch: pytest.MonkeyPatch, column: str, use: IndexUse, words: str
) -> None:
    monkeypatch.setattr(key_lookup, "FEW_ROWS", 1_000)
    monkeypatch.setattr(key_lookup, "SMALL_FILE", 0)
    options = "TBLPROPERTIES ('write.parquet.page-row-limit' = '100')"
    lake.sql(f"CREATE TABLE orders {options} AS {ORDERS}")
    session = internals.session(lake)
    table = session.catalog.existing_table(session.resolve(("orders",)))
    assert str(index_needs(session, table, (column,), use)) == words
