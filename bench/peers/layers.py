"""The work that every peer does: three layers over the orders of a shop, in SQL that all of them accept.

Flink's streaming SQL has no rank(); its program has the only query that differs.
"""

from __future__ import annotations

SOURCES = ("orders", "products")
ORDER_COLUMNS = {
    "order_id": "BIGINT",
    "product_id": "BIGINT",
    "quantity": "INT",
    "amount": "DECIMAL(10,2)",
    "status": "VARCHAR",
}
"""Those that the layers read."""

LAYERS = {
    "order_facts": "SELECT o.order_id, p.category, o.quantity, o.amount FROM orders o "
    "JOIN products p ON o.product_id = p.product_id WHERE o.status <> 'returned'",
    "category_sales": "SELECT category, count(*) AS orders, CAST(sum(quantity) AS BIGINT) AS quantity, "
    "sum(amount) AS sales FROM order_facts GROUP BY category",
    "category_ranking": "SELECT category, sales, rank() OVER (ORDER BY sales DESC) AS place "
    "FROM category_sales",
}
LAYER_COLUMNS = {
    "order_facts": {
        "order_id": "BIGINT",
        "category": "VARCHAR",
        "quantity": "BIGINT",
        "amount": "DECIMAL(38,2)",
    },
    "category_sales": {
        "category": "VARCHAR",
        "orders": "BIGINT",
        "quantity": "BIGINT",
        "sales": "DECIMAL(38,2)",
    },
    "category_ranking": {"category": "VARCHAR", "sales": "DECIMAL(38,2)", "place": "BIGINT"},
}
"""The types to which the values of all peers are converted before they are compared."""
