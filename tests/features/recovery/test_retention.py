"""How long a table's past is kept: set on tables and dynamic tables, else by the lake."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest

from headrace.connection import Connection
from headrace.errors import NotFound, Refused
from headrace.lake.settings import Settings
from headrace.lake.table.retention import is_retention, retention_of
from headrace.lake.table.tables import Table
from tests import internals
from tests.commands.described import described, iceberg_properties


@pytest.fixture
def shop(lake: Connection) -> Connection:
    lake.sql("CREATE TABLE orders (id INT); CREATE DYNAMIC TABLE d AS SELECT id FROM orders")
    return lake


def retention(lake: Connection, table: str) -> timedelta:
    context = internals.statement_context(lake)
    return retention_of(
        context.session.catalog.existing_table(context.session.resolve((table,))), context.lake.settings
    )


def test_of_a_table(shop: Connection) -> None:
    assert retention(shop, "orders") == timedelta(days=1)
    shop.sql("ALTER TABLE orders SET PROPERTIES ('data_retention_days' = '7', 'team' = 'north')")
    assert retention(shop, "orders") == timedelta(days=7)
    assert iceberg_properties(shop, "orders")["team"] == "north"
    shop.sql("ALTER TABLE orders SET TBLPROPERTIES ('DATA_RETENTION_DAYS' = 0)")
    assert retention(shop, "orders") == timedelta(0)
    shop.sql("ALTER TABLE orders UNSET PROPERTIES ('data_retention_days')")
    assert retention(shop, "orders") == timedelta(days=1)
    with pytest.raises(NotFound, match="property 'data_retention_days' does not exist"):
        shop.sql("ALTER TABLE orders UNSET PROPERTIES ('data_retention_days')")
    shop.sql("ALTER TABLE orders UNSET PROPERTIES IF EXISTS ('data_retention_days')")


def test_of_a_dynamic_table(shop: Connection) -> None:
    shop.sql("ALTER TABLE d SET PROPERTIES ('data_retention_days' = '90')")
    assert retention(shop, "d") == timedelta(days=90)
    assert described(shop, "d")["properties"] == '(("data_retention_days","90"))'
    shop.sql("ALTER DYNAMIC TABLE d SET PROPERTIES ('data_retention_days' = '3', 'team' = 'north')")
    assert retention(shop, "d") == timedelta(days=3)
    shop.sql("ALTER TABLE d UNSET PROPERTIES ('data_retention_days')")
    assert retention(shop, "d") == timedelta(days=1)
    with pytest.raises(Refused, match="ALTER TABLE can change only data_retention_days"):
        shop.sql("ALTER TABLE d SET PROPERTIES ('team' = 'south')")
    assert described(shop, "d")["properties"] == '(("team","north"))'


def test_from_the_beginning_and_across_or_replace(shop: Connection) -> None:
    made = "DYNAMIC TABLE e PROPERTIES ('Data_Retention_Days' = '30') AS SELECT id FROM orders"
    shop.sql(f"CREATE {made}")
    assert retention(shop, "e") == timedelta(days=30)
    assert "PROPERTIES ('data_retention_days' = '30')" in shop.sql("SHOW CREATE TABLE e").fetchall()[0][0]
    shop.sql(f"CREATE OR REPLACE {made.replace('30', '40')}")
    assert retention(shop, "e") == timedelta(days=40)


def test_the_lake_has_a_default(new_lake: Callable[..., Connection], tmp_path: Path) -> None:
    new_lake().close()
    marker = tmp_path / "lake" / "lake.toml"
    text = marker.read_text()
    marker.write_text(text.replace("[settings]", "[settings]\ndata_retention_days = 5"))
    with new_lake() as lake:
        lake.sql("CREATE TABLE t (a INT)")
        assert retention(lake, "t") == timedelta(days=5)


class Written:
    def __init__(self, value: str) -> None:
        self.properties = {"data_retention_days": value}


@pytest.mark.parametrize(
    ("written", "days"),
    [
        ("7", 7),
        (" 7 ", 7),
        ("0", 0),
        ("91", 90),
        ("9" * 5000, 90),
        ("-1", 2),
        ("1.5", 2),
        ("", 2),
        ("\u0667", 2),
    ],
)
def test_what_other_programs_write(written: str, days: int) -> None:
    table = cast(Table, Written(written))
    assert retention_of(table, Settings(data_retention_days=2)) == timedelta(days=days)


@pytest.mark.parametrize("value", ["91", "-1", "1.5", "", "seven", "7 days", " 7", "\u0667", "9" * 5000])
def test_what_users_cannot_set(value: str) -> None:
    assert not is_retention(value)
