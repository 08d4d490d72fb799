"""RESTORE: tables and dynamic tables go back to an older version, and refreshes stay exact."""

from __future__ import annotations

import pytest

from headrace.connection import Connection
from headrace.errors import NotFound, Refused
from tests.features.recovery.test_version_history import versions
from tests.refresh.helpers import assert_same_bag, refresh

SALES = "SELECT product, count(*) AS n FROM orders GROUP BY product"


@pytest.fixture
def shop(lake: Connection) -> Connection:
    lake.sql(
        "CREATE TABLE orders (id INT, product STRING); INSERT INTO orders VALUES (1, 'lamp'), (2, 'desk')"
    )
    lake.sql(f"CREATE DYNAMIC TABLE sales AS {SALES}")
    refresh(lake, "sales")
    lake.sql("INSERT INTO orders VALUES (3, 'lamp'), (4, 'sofa')")
    refresh(lake, "sales")
    return lake


def ids(lake: Connection, query: str = "orders") -> list[int]:
    return sorted(each for (each,) in lake.sql(f"SELECT id FROM {query}").fetchall())


def test_a_table(shop: Connection) -> None:
    newest, oldest = versions(shop, "orders")
    assert shop.sql(f"RESTORE TABLE orders TO VERSION AS OF {oldest['version']}").notices == ()
    assert ids(shop) == [1, 2]
    assert versions(shop, "orders") == [newest, oldest]
    (notice,) = shop.sql(f"RESTORE TABLE orders TO VERSION AS OF {oldest['version']}").notices
    assert "is already at version " in notice
    shop.sql("INSERT INTO orders VALUES (5, 'bed')")
    assert ids(shop) == [1, 2, 5]
    shop.sql(f"RESTORE TABLE orders TO VERSION AS OF {newest['version']}")
    assert ids(shop) == [1, 2, 3, 4]


def test_to_a_timestamp(shop: Connection) -> None:
    newest, oldest = versions(shop, "orders")
    moment = oldest["time"].isoformat(sep=" ")
    shop.sql(f"RESTORE TABLE orders TO TIMESTAMP AS OF TIMESTAMP '{moment}' + INTERVAL 1 MILLISECOND")
    assert ids(shop) == [1, 2]
    moment = newest["time"].isoformat(sep=" ")
    shop.sql(f"RESTORE TABLE orders TO TIMESTAMP AS OF '{moment}'")
    assert ids(shop) == [1, 2, 3, 4]


@pytest.mark.incremental
def test_the_sources_dynamic_table_follows(shop: Connection) -> None:
    newest, oldest = versions(shop, "orders")
    shop.sql(f"RESTORE TABLE orders TO VERSION AS OF {oldest['version']}")
    assert refresh(shop, "sales")["refresh_mode"] == "INCREMENTAL"
    assert_same_bag(shop, "sales", SALES)
    shop.sql("INSERT INTO orders VALUES (5, 'desk')")
    assert refresh(shop, "sales")["refresh_mode"] == "INCREMENTAL"
    assert_same_bag(shop, "sales", SALES)
    shop.sql(f"RESTORE TABLE orders TO VERSION AS OF {newest['version']}")
    assert refresh(shop, "sales")["refresh_mode"] == "INCREMENTAL"
    assert_same_bag(shop, "sales", SALES)


@pytest.mark.incremental
@pytest.mark.parametrize(
    "kind", ["DYNAMIC TABLE", pytest.param("TABLE", marks=pytest.mark.share(0.2, suite="single tests"))]
)
def test_a_dynamic_table_goes_on_from_there(shop: Connection, kind: str) -> None:
    shop.sql("CREATE DYNAMIC TABLE top AS SELECT product FROM sales WHERE n > 1")
    refresh(shop, "top")
    newest, oldest = versions(shop, "sales")
    shop.sql(f"RESTORE {kind} sales TO VERSION AS OF {oldest['version']}")
    assert sorted(shop.sql("SELECT * FROM sales").fetchall()) == [("desk", 1), ("lamp", 1)]
    refresh(shop, "top")
    assert shop.sql("SELECT * FROM top").fetchall() == []
    assert shop.sql("VERIFY DYNAMIC TABLE sales").notices == ()
    row = refresh(shop, "sales")
    assert row["refresh_mode"] == "INCREMENTAL"
    assert row["source_versions"] == newest["source_versions"]
    assert_same_bag(shop, "sales", SALES)
    refresh(shop, "top")
    assert_same_bag(shop, "top", "SELECT product FROM sales WHERE n > 1")
    assert refresh(shop, "sales")["refresh_mode"] == "NO_DATA"


@pytest.mark.incremental
def test_across_a_renamed_column(shop: Connection) -> None:
    _, oldest = versions(shop, "sales")
    shop.sql("ALTER DYNAMIC TABLE sales RENAME COLUMN n TO number")
    shop.sql(f"RESTORE DYNAMIC TABLE sales TO VERSION AS OF {oldest['version']}")
    assert sorted(shop.sql("SELECT product, number FROM sales").fetchall()) == [("desk", 1), ("lamp", 1)]
    assert shop.sql("VERIFY DYNAMIC TABLE sales").notices == ()
    assert refresh(shop, "sales")["refresh_mode"] == "INCREMENTAL"
    assert_same_bag(shop, "sales", SALES)


def test_what_cannot_be_restored(shop: Connection) -> None:
    shop.sql("CREATE TABLE empty (a INT); CREATE VIEW v AS SELECT id FROM orders")
    shop.sql("ALTER TABLE orders CREATE BRANCH other")
    shop.sql(f"INSERT INTO lake.{shop.schema}.orders.branch_other VALUES (9, 'x')")
    refs = f"lake.{shop.schema}.orders.refs"
    ((branch,),) = shop.sql(f"SELECT snapshot_id FROM {refs} WHERE name = 'other'").fetchall()
    before = versions(shop, "orders")
    for statement, kind, said in (
        (f"RESTORE TABLE orders TO VERSION AS OF {branch}", Refused, "belongs to another branch"),
        (
            "RESTORE TABLE orders TO VERSION AS OF 1",
            NotFound,
            r"version 1 of lake\.\S+ does not exist or has expired",
        ),
        ("RESTORE TABLE orders TO TIMESTAMP AS OF '2001-01-01'", NotFound, "has no version as of 2001-01-01"),
        ("RESTORE TABLE empty TO TIMESTAMP AS OF '2001-01-01'", NotFound, "nothing was ever written to it"),
        ("RESTORE TABLE v TO VERSION AS OF 1", Refused, "is a view, which has no versions"),
        ("RESTORE DYNAMIC TABLE orders TO VERSION AS OF 1", Refused, "is a table, not a dynamic table"),
        ("RESTORE TABLE nothing TO VERSION AS OF 1", NotFound, "does not exist"),
    ):
        with pytest.raises(kind, match=said):
            shop.sql(statement)
    assert versions(shop, "orders") == before


def test_an_expired_version(shop: Connection) -> None:
    newest, oldest = versions(shop, "orders")
    shop.sql(
        f"CALL system.expire_snapshots(table => '{shop.schema}.orders', "
        f"snapshot_ids => array({oldest['version']}))"
    )
    assert versions(shop, "orders") == [newest]
    with pytest.raises(NotFound, match="does not exist or has expired"):
        shop.sql(f"RESTORE TABLE orders TO VERSION AS OF {oldest['version']}")
    with pytest.raises(NotFound, match="has no version as of"):
        shop.sql(f"RESTORE TABLE orders TO TIMESTAMP AS OF '{oldest['time']}'")
