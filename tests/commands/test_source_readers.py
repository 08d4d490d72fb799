from __future__ import annotations

import pytest

from headrace.connection import Connection
from headrace.errors import Refused


@pytest.fixture
def shop(lake: Connection) -> Connection:
    lake.sql("CREATE TABLE orders (id INT, amount INT, note STRING); CREATE TABLE unread (a INT)")
    lake.sql("CREATE VIEW large AS SELECT id FROM orders WHERE amount > 15")
    lake.sql("CREATE DYNAMIC TABLE totals AS SELECT sum(amount) AS total FROM orders")
    lake.sql("CREATE DYNAMIC TABLE ids AS SELECT id FROM large")
    lake.sql("CREATE TABLE STREAM news ON TABLE orders")
    return lake


def test_a_notice_names_what_reads_it(shop: Connection) -> None:
    here = f"lake.{shop.schema}"
    stream = f"table stream {here}.news"
    assert shop.sql("ALTER TABLE orders RENAME COLUMN note TO remark").notices == (
        f"this statement renames column note of {here}.orders, which is read by {stream} (note)",
    )
    assert shop.sql("ALTER TABLE ORDERS RENAME COLUMN AMOUNT TO paid").notices == (
        f"this statement renames column AMOUNT of {here}.orders, which is read by "
        f"dynamic table {here}.ids (AMOUNT), dynamic table {here}.totals (AMOUNT), "
        f"view {here}.large (AMOUNT), {stream} (AMOUNT)",
    )
    shop.sql("ALTER TABLE orders RENAME COLUMN paid TO amount")
    assert shop.sql("CREATE OR REPLACE VIEW large AS SELECT id FROM orders").notices == (
        f"this statement changes {here}.large, which is read by dynamic table {here}.ids",
    )
    (notice,) = shop.sql("DROP TABLE orders").notices
    assert f"dynamic table {here}.totals (amount), view {here}.large (id), {stream}" in notice
    assert shop.sql("DROP TABLE unread").notices == ()
    shop.sql("CREATE DYNAMIC TABLE up AS SELECT 1 AS a; CREATE DYNAMIC TABLE down AS SELECT a FROM up")
    assert shop.sql("DROP DYNAMIC TABLE up").notices == (
        f"this statement drops {here}.up, which is read by dynamic table {here}.down (a)",
    )


def test_protected_sources(shop: Connection) -> None:
    shop.sql("SET headrace.protect_sources = true")
    for statement in (
        "ALTER TABLE orders DROP COLUMN amount",
        "ALTER TABLE orders RENAME COLUMN note TO remark",
        "ALTER TABLE orders RENAME TO others",
        "DROP TABLE orders",
        "DROP TABLE orders PURGE",
        "DROP VIEW large",
    ):
        with pytest.raises(Refused, match=r"is read by .*lake"):
            shop.sql(statement)
    shop.sql(
        "DROP TABLE unread; ALTER TABLE orders ADD COLUMN more INT; SET headrace.protect_sources = false"
    )
    shop.sql("ALTER TABLE orders DROP COLUMN note")
