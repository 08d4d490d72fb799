"""The work that every peer does: three layers over the orders of a shop, in SQL that all of them accept."""

from __future__ import annotations

SOURCES = ("orders", "products")
LAYERS = {
    "order_facts": "SELECT o.order_id, p.category, o.quantity, o.amount FROM orders o "
    "JOIN products p ON o.product_id = p.product_id WHERE o.status <> 'returned'",
    "category_sales": "SELECT category, count(*) AS orders, CAST(sum(quantity) AS BIGINT) AS quantity, "
    "sum(amount) AS sales FROM order_facts GROUP BY category",
    "category_ranking": "SELECT category, sales, rank() OVER (ORDER BY sales DESC) AS place "
    "FROM category_sales",
}
