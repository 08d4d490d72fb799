"""One query for each way in which a refresh has to find rows, and which rows it may read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bench.growth.changes import Round
from bench.growth.data import FACTS

ROWS_PER_CHANGED_ROW = 100

ORDERS_OF_CUSTOMERS = "SELECT count(*) FROM orders WHERE customer_id IN ({customers})"
REVIEWS_OF_CUSTOMERS = "SELECT count(*) FROM reviews WHERE customer_id IN ({customers})"
ORDERS_OF_PAYMENTS = "SELECT count(*) FROM orders WHERE order_id IN ({orders})"
PAYMENTS_OF_ORDERS = "SELECT count(*) FROM payments WHERE order_id IN ({orders})"
REVIEWS_OF_ORDERS = "SELECT count(*) FROM reviews WHERE order_id IN ({orders})"
"""Rows of the groups and partitions that change, and rows that join with rows that change."""

BY_CUSTOMER = (ORDERS_OF_CUSTOMERS,)
BY_ORDER = (ORDERS_OF_PAYMENTS, PAYMENTS_OF_ORDERS)


@dataclass(frozen=True)
class Shape:
    """A query, and what a refresh may read beyond 100 rows for each row that has changed."""

    name: str
    query: str
    affected: tuple[str, ...] = ()
    state: str = "auto"
    """The property of the dynamic table."""

    @property
    def option(self) -> str:
        """Its name in ``--shapes``."""
        return re.sub(r"\W+", "_", self.name)

    @property
    def table(self) -> str:
        return f"dt_{self.option}"

    @property
    def facts(self) -> frozenset[str]:
        return frozenset(re.findall(rf"\b({'|'.join(FACTS)})\b", self.query))

    def affected_rows(self, change: Round) -> tuple[str, ...]:
        """Queries that count them, to be run after the change."""
        customers, orders = change.customers(self.facts), change.orders(self.facts)
        return tuple(query.format(customers=customers, orders=orders) for query in self.affected)

    def allowed(self, changed: int, affected: int) -> int:
        """Rows; those of affected groups may be read before and after the change."""
        return ROWS_PER_CHANGED_ROW * changed + 2 * affected


SHAPES = (
    Shape(
        "project and filter",
        "SELECT order_id, customer_id, quantity * amount AS total FROM orders WHERE status <> 'returned'",
    ),
    Shape(
        "join with a dimension",
        "SELECT o.order_id, o.amount, p.name, p.category FROM orders o "
        "JOIN products p ON o.product_id = p.product_id",
    ),
    Shape(
        "count and sum by key",
        "SELECT customer_id, count(*) AS n, sum(amount) AS total FROM orders GROUP BY customer_id",
    ),
    Shape(
        "min and max by key",
        "SELECT customer_id, min(amount) AS least, max(amount) AS most FROM orders GROUP BY customer_id",
        BY_CUSTOMER,
    ),
    Shape(
        "sum over a join",
        "SELECT o.customer_id, sum(o.quantity * p.price) AS list_price FROM orders o "
        "JOIN products p ON o.product_id = p.product_id GROUP BY o.customer_id",
    ),
    Shape(
        "fact to fact join, ordered key",
        "SELECT o.order_id, o.amount, p.paid, p.method FROM orders o "
        "JOIN payments p ON o.order_id = p.order_id",
        BY_ORDER,
    ),
    Shape(
        "fact to fact join, spread key",
        "SELECT o.order_id, o.amount, r.review_id, r.score FROM orders o "
        "JOIN reviews r ON o.customer_id = r.customer_id",
        (ORDERS_OF_CUSTOMERS, REVIEWS_OF_CUSTOMERS),
    ),
    Shape(
        "left join",
        "SELECT o.order_id, o.amount, p.paid FROM orders o LEFT JOIN payments p ON o.order_id = p.order_id",
        BY_ORDER,
    ),
    Shape(
        "exists",
        "SELECT order_id, amount FROM orders o WHERE EXISTS "
        "(SELECT 1 FROM payments p WHERE p.order_id = o.order_id AND p.method = 'card')",
        BY_ORDER,
    ),
    Shape(
        "having",
        "SELECT customer_id, sum(amount) AS total FROM orders GROUP BY customer_id HAVING count(*) >= 10",
        BY_CUSTOMER,
    ),
    Shape(
        "aggregate of an aggregate",
        "SELECT n, count(*) AS customers, sum(total) AS total FROM "
        "(SELECT customer_id, count(*) AS n, sum(amount) AS total FROM orders GROUP BY customer_id) "
        "GROUP BY n",
        BY_CUSTOMER,
    ),
    Shape(
        "count distinct",
        "SELECT customer_id, count(DISTINCT product_id) AS products FROM orders GROUP BY customer_id",
        BY_CUSTOMER,
    ),
    Shape(
        "latest row per key",
        "SELECT customer_id, order_id, amount FROM (SELECT *, row_number() OVER "
        "(PARTITION BY customer_id ORDER BY ts DESC, order_id DESC) AS place FROM orders) WHERE place = 1",
        BY_CUSTOMER,
    ),
    Shape(
        "running sum per key",
        "SELECT order_id, customer_id, sum(amount) OVER "
        "(PARTITION BY customer_id ORDER BY ts, order_id) AS so_far FROM orders",
        BY_CUSTOMER,
    ),
    Shape("distinct", "SELECT DISTINCT customer_id, product_id FROM orders"),
    Shape(
        "full outer join",
        "SELECT o.order_id, p.payment_id, o.amount, p.paid FROM orders o "
        "FULL OUTER JOIN payments p ON o.order_id = p.order_id",
        BY_ORDER,
    ),
    Shape(
        "not in",
        "SELECT order_id, amount FROM orders "
        "WHERE order_id NOT IN (SELECT order_id FROM payments WHERE method = 'voucher')",
        BY_ORDER,
    ),
    Shape(
        "intersect",
        "SELECT customer_id, product_id FROM orders INTERSECT SELECT customer_id, product_id FROM reviews",
        (ORDERS_OF_CUSTOMERS, REVIEWS_OF_CUSTOMERS),
    ),
    Shape(
        "grouping sets",
        "SELECT customer_id, status, count(*) AS n, sum(amount) AS total FROM orders "
        "GROUP BY GROUPING SETS ((customer_id, status), (customer_id), (status), ())",
    ),
    Shape(
        "three-way join",
        "SELECT o.order_id, c.country, p.paid FROM orders o JOIN payments p ON o.order_id = p.order_id "
        "JOIN customers c ON o.customer_id = c.customer_id",
        BY_ORDER,
    ),
    Shape(
        "correlated subquery",
        "SELECT order_id, customer_id, amount FROM orders o WHERE amount > "
        "(SELECT avg(x.amount) FROM orders x WHERE x.customer_id = o.customer_id)",
        BY_CUSTOMER,
    ),
    Shape(
        "min and max of large groups",
        "SELECT product_id, count(*) AS n, min(amount) AS a, max(ts) AS t FROM orders GROUP BY product_id",
    ),
    Shape(
        "count distinct in large groups",
        "SELECT product_id, count(DISTINCT customer_id) AS customers, sum(amount) AS total FROM orders "
        "GROUP BY product_id",
    ),
    Shape(
        "having over large groups",
        "SELECT product_id, sum(amount) AS total FROM orders GROUP BY product_id HAVING count(*) % 2 = 0",
        state="always",
    ),
    Shape(
        "aggregate of large groups",
        "SELECT n, count(*) AS products, sum(total) AS total FROM "
        "(SELECT product_id, count(*) AS n, sum(amount) AS total FROM orders GROUP BY product_id) "
        "GROUP BY n",
        state="always",
    ),
)
