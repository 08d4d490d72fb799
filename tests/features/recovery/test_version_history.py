"""DESC HISTORY: the versions of tables and dynamic tables."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headrace.connection import Connection
from headrace.errors import NotFound, Refused
from tests.refresh.helpers import refresh, spark_jobs


def versions(lake: Connection, rest: str) -> list[dict[str, Any]]:
    result = lake.sql(f"DESC HISTORY {rest}")
    return [dict(zip(result.columns, row, strict=True)) for row in result.fetchall()]


@pytest.fixture
def shop(lake: Connection) -> Connection:
    lake.sql(
        "CREATE TABLE orders (id INT, product STRING); INSERT INTO orders VALUES (1, 'lamp'), (2, 'desk')"
    )
    lake.sql("INSERT INTO orders VALUES (3, 'lamp')")
    return lake


def test_of_a_table(shop: Connection) -> None:
    shop.sql("DELETE FROM orders WHERE id = 3")
    jobs = spark_jobs(shop)
    found = versions(shop, "orders")
    assert spark_jobs(shop) == jobs
    assert list(found[0]) == ["version", "time", "operation", "total_rows", "total_bytes", "job_id"]
    assert [(row["operation"], row["total_rows"]) for row in found][1:] == [("append", 3), ("append", 2)]
    assert found[0]["total_rows"] == 2
    assert [row["time"] for row in found] == sorted((row["time"] for row in found), reverse=True)
    assert {row["job_id"] for row in found} == {None}
    assert all(row["total_bytes"] > 0 for row in found)
    then = shop.sql(f"SELECT count(*) FROM orders VERSION AS OF {found[-1]['version']}").fetchall()
    assert then == [(2,)]


def test_of_a_dynamic_table(shop: Connection) -> None:
    shop.sql("CREATE DYNAMIC TABLE d AS SELECT product, count(*) AS n FROM orders GROUP BY product")
    assert versions(shop, "d") == []
    first = refresh(shop, "d")
    shop.sql("INSERT INTO orders VALUES (4, 'lamp')")
    second = refresh(shop, "d")
    refresh(shop, "d")
    newest, oldest = versions(shop, "d")
    assert [newest["job_id"], oldest["job_id"]] == [second["job_id"], first["job_id"]]
    assert (oldest["rows_inserted"], oldest["rows_deleted"], oldest["total_rows"]) == (2, 0, 2)
    assert (newest["rows_inserted"], newest["rows_deleted"], newest["total_rows"]) == (1, 1, 2)
    assert json.loads(newest["source_versions"]) == json.loads(second["source_versions"])
    assert newest["source_versions"] != oldest["source_versions"]

    shop.sql("ALTER DYNAMIC TABLE d RENAME COLUMN n TO number")
    altered, *rest = versions(shop, "d")
    assert rest == [newest, oldest]
    assert (altered["job_id"], altered["rows_inserted"], altered["rows_deleted"]) == (None, 0, 0)
    assert altered["source_versions"] == newest["source_versions"]


def test_where_and_limit(shop: Connection) -> None:
    newest, oldest = versions(shop, "orders")
    assert versions(shop, "orders LIMIT 1") == [newest]
    assert versions(shop, "orders WHERE total_rows < 3") == [oldest]
    assert versions(
        shop, f"orders WHERE version = {newest['version']} AND time > now() - INTERVAL 1 DAY"
    ) == [newest]
    assert versions(shop, "orders WHERE operation = 'append' LIMIT 1") == [newest]


def test_other_branches_are_left_out(shop: Connection) -> None:
    before = versions(shop, "orders")
    shop.sql("ALTER TABLE orders CREATE BRANCH other")
    shop.sql(f"INSERT INTO lake.{shop.schema}.orders.branch_other VALUES (9, 'x')")
    assert versions(shop, "orders") == before


def test_what_has_none(shop: Connection) -> None:
    shop.sql("CREATE TABLE empty (a INT); CREATE VIEW v AS SELECT id FROM orders")
    assert versions(shop, "empty") == []
    with pytest.raises(Refused, match="is a view, which has no versions"):
        versions(shop, "v")
    with pytest.raises(NotFound, match="does not exist"):
        versions(shop, "nothing")
