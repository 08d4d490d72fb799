"""A refresh reads what has changed and what that affects, however large its sources are.

The rows that it reads do not depend on the machine. For each changed row at most 100 are allowed, besides the
rows of the groups and partitions that change and the rows that join with a row that changes. Queries of which
one changed row can change every row are left out: joins without an equality, windows without partitions.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from bench.growth.changes import ChangeKind, Round
from bench.growth.shapes import (
    BY_CUSTOMER,
    ORDERS_OF_CUSTOMERS,
    PAYMENTS_OF_ORDERS,
    REVIEWS_OF_CUSTOMERS,
    REVIEWS_OF_ORDERS,
    SHAPES,
    Shape,
)
from bench.growth.shop import Shop

import headrace
from headrace.connection import Connection
from tests.refresh.helpers import refresh

ROWS = 200_000
CHANGE = Round(ROWS, 0, ChangeKind("mixed-spread", inserted=20, updated=4, deleted=4, clustered=False))
BY_CUSTOMER_OR_REVIEW = (ORDERS_OF_CUSTOMERS, REVIEWS_OF_CUSTOMERS)

OTHER_SHAPES = (
    Shape("union all", "SELECT order_id, amount FROM orders UNION ALL SELECT order_id, paid FROM payments"),
    Shape(
        "union",
        "SELECT customer_id, product_id FROM orders UNION SELECT customer_id, product_id FROM reviews",
    ),
    Shape(
        "except all",
        "SELECT customer_id, product_id FROM orders EXCEPT ALL SELECT customer_id, product_id FROM reviews",
        BY_CUSTOMER_OR_REVIEW,
    ),
    Shape(
        "right join",
        "SELECT r.review_id, r.score, p.method FROM payments p "
        "RIGHT JOIN reviews r ON p.order_id = r.order_id",
        (PAYMENTS_OF_ORDERS, REVIEWS_OF_ORDERS),
    ),
    Shape(
        "anti join",
        "SELECT order_id FROM orders o LEFT ANTI JOIN reviews r ON o.customer_id = r.customer_id",
        BY_CUSTOMER_OR_REVIEW,
    ),
    Shape(
        "self join",
        "SELECT a.order_id, b.order_id AS earlier FROM orders a JOIN orders b "
        "ON a.customer_id = b.customer_id AND a.product_id = b.product_id AND b.order_id < a.order_id",
        BY_CUSTOMER,
    ),
    Shape(
        "tables separated by commas",
        "SELECT o.order_id, r.score, p.paid FROM reviews r, payments p, orders o "
        "WHERE o.order_id = p.order_id AND r.order_id = o.order_id AND o.amount > 0",
        (PAYMENTS_OF_ORDERS, REVIEWS_OF_ORDERS),
    ),
    Shape(
        "comparison with the average of a key, tables separated by commas",
        "SELECT o.order_id FROM orders o, payments p WHERE o.order_id = p.order_id AND o.amount > "
        "(SELECT avg(amount) FROM orders i WHERE i.customer_id = o.customer_id)",
        (*BY_CUSTOMER, PAYMENTS_OF_ORDERS),
    ),
    Shape(
        "lateral view", "SELECT order_id, part FROM orders LATERAL VIEW explode(split(status, 'e')) t AS part"
    ),
    Shape(
        "global aggregate",
        "SELECT count(*) AS n, sum(amount) AS total, avg(paid) AS paid FROM "
        "(SELECT amount, NULL AS paid FROM orders UNION ALL SELECT NULL, paid FROM payments)",
    ),
    Shape(
        "three best of each key",
        "SELECT customer_id, order_id, place FROM (SELECT *, rank() OVER (PARTITION BY customer_id "
        "ORDER BY amount DESC) AS place FROM orders) WHERE place <= 3",
        BY_CUSTOMER,
    ),
    Shape(
        "join of aggregates",
        "SELECT a.customer_id, a.n, b.score FROM "
        "(SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id) a LEFT JOIN "
        "(SELECT customer_id, max(score) AS score FROM reviews GROUP BY customer_id) b "
        "ON a.customer_id = b.customer_id",
        BY_CUSTOMER_OR_REVIEW,
    ),
)


@pytest.fixture(scope="module")
def shop(shared_lake: Connection, request: pytest.FixtureRequest) -> Iterator[Shop]:
    """With the tables of the tests that are to run, all changed once after every table has been filled."""
    shapes = [item.callspec.params["shape"] for item in request.session.items if item.path == request.path]
    with headrace.connect(shared_lake.lake_path) as lake:
        schema = f"rows_read_{uuid.uuid4().hex}"
        lake.sql(f"CREATE SCHEMA {schema}; USE {schema}")
        shop = Shop(lake, ROWS, shapes)
        shop.create()
        shop.apply(CHANGE)
        yield shop


@pytest.mark.parametrize("shape", (*SHAPES, *OTHER_SHAPES), ids=lambda shape: shape.name)
def test_a_small_change_in_a_large_table_reads_few_rows(shop: Shop, shape: Shape) -> None:
    row = refresh(shop.lake, shape.table)
    assert row["refresh_mode"] == "INCREMENTAL"
    assert _difference(shop.lake, shape) == []
    assert row["rows_read"] <= shop.rows_allowed(shape)


def _difference(lake: Connection, shape: Shape) -> list[tuple[object, ...]]:
    """Of the table and its query, as by two EXCEPT ALL, but each is computed once."""
    return lake.sql(
        f"SELECT * EXCEPT (weight), sum(weight) AS surplus FROM (SELECT *, 1 AS weight FROM ({shape.query}) "
        f"UNION ALL SELECT *, -1 FROM {shape.table}) GROUP BY ALL HAVING sum(weight) <> 0"
    ).fetchall()
