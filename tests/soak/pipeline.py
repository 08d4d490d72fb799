"""Twenty dynamic tables in four layers over three base tables."""

from __future__ import annotations

BASE = {
    "orders": "id BIGINT, batch BIGINT, customer INT, product INT, amount DECIMAL(10, 2), v INT",
    "customers": "id INT, region STRING",
    "products": "id INT, category STRING, price DECIMAL(10, 2)",
}

LAYERS: tuple[dict[str, str], ...] = (
    {
        "a1": "SELECT id, batch, customer, product, amount, v FROM orders WHERE amount > 5",
        "a2": "SELECT id, customer, amount * 2 AS twice FROM orders WHERE id % 2 = 0",
        "a3": "SELECT o.id, o.amount, c.region FROM orders o JOIN customers c ON o.customer = c.id",
        "a4": "SELECT o.id, o.amount, p.category FROM orders o LEFT JOIN products p ON o.product = p.id",
        "a5": "SELECT DISTINCT customer, product FROM orders",
        "a6": "SELECT batch, count(*) AS n, sum(amount) AS total, max(v) AS v FROM orders GROUP BY batch",
    },
    {
        "b1": "SELECT customer, count(*) AS n, sum(amount) AS total FROM a1 GROUP BY customer",
        "b2": "SELECT region, count(*) AS n, sum(amount) AS total FROM a3 GROUP BY region",
        "b3": "SELECT category, count(*) AS n, avg(amount) AS mean FROM a4 GROUP BY category",
        "b4": "SELECT product, count(*) AS buyers FROM a5 GROUP BY product",
        "b5": "SELECT a2.id, a2.twice, a3.region FROM a2 JOIN a3 ON a2.id = a3.id",
        "b6": "SELECT v, sum(n) AS orders, min(batch) AS first FROM a6 GROUP BY v",
    },
    {
        "c1": "SELECT b1.customer, b1.total, c.region FROM b1 JOIN customers c ON b1.customer = c.id",
        "c2": "SELECT b2.region, b2.n, b5.twice FROM b2 JOIN b5 ON b2.region = b5.region "
        "WHERE b5.twice > 150",
        "c3": "SELECT p.category, sum(b4.buyers) AS buyers FROM b4 JOIN products p ON b4.product = p.id "
        "GROUP BY p.category",
        "c4": "SELECT category, n, mean FROM b3 WHERE n > 1",
        "c5": "SELECT count(*) AS n, sum(total) AS total FROM b1",
    },
    {
        "d1": "SELECT region, sum(total) AS total, count(*) AS customers FROM c1 GROUP BY region",
        "d2": "SELECT c3.category, c3.buyers, c4.mean FROM c3 FULL JOIN c4 ON c3.category = c4.category",
        "d3": "SELECT c5.n AS customers, b6.v, b6.orders FROM c5 CROSS JOIN b6",
    },
)


def tables() -> list[str]:
    """Sources first."""
    return [name for layer in LAYERS for name in layer]
