"""A shop of any size whose groups stay as they are: ten times the orders are ten times the customers.

Every value follows from the id of its row, so that each run has the same rows. An order has a key that
follows the order of insertion (``order_id``) and one that does not (``customer_id``, spread by a hash).

| table | rows | |
|---|---|---|
| orders | n | ten of a customer, on average |
| payments | 0.9 n | one for each order whose id does not end in 0 |
| reviews | n / 10 | one of a customer, on average, about one of the customer's orders |
| customers | n / 10 | never change |
| products | 1,000 | never change |
"""

from __future__ import annotations

from headrace.connection import Connection

FACTS = ("orders", "payments", "reviews")
PRODUCTS = 1000
ORDERS_PER_CUSTOMER = 10
ORDERS_PER_REVIEW = 10

TABLES = """
CREATE TABLE products (product_id BIGINT, name STRING, category STRING, price DECIMAL(10,2));
CREATE TABLE customers (customer_id BIGINT, name STRING, country STRING);
CREATE TABLE orders (order_id BIGINT, customer_id BIGINT, product_id BIGINT, quantity INT,
  amount DECIMAL(10,2), ts TIMESTAMP, status STRING);
CREATE TABLE payments (payment_id BIGINT, order_id BIGINT, method STRING, paid DECIMAL(10,2), ts TIMESTAMP);
CREATE TABLE reviews (review_id BIGINT, order_id BIGINT, customer_id BIGINT, product_id BIGINT, score INT);
"""
_STATUS = "element_at(array('new', 'paid', 'shipped', 'returned'), CAST(pmod(xxhash64(id, 4), 4) + 1 AS INT))"
_METHOD = "CASE pmod(xxhash64(id, 5), 50) WHEN 0 THEN 'voucher' WHEN 1 THEN 'cash' ELSE 'card' END"


def create_tables(lake: Connection, rows: int) -> None:
    """In the schema that is in use, with so many orders."""
    lake.sql(TABLES)
    customers = rows // ORDERS_PER_CUSTOMER
    for table, values in (
        ("products", f"{_product_values()} FROM range({PRODUCTS})"),
        ("customers", f"id, concat('customer ', id), concat('country ', id % 50) FROM range({customers})"),
        ("orders", f"{order_values(customer(rows), 'id')} FROM range({rows})"),
        ("payments", f"{payment_values()} FROM range({rows}) WHERE id % 10 <> 0"),
        ("reviews", f"{review_values(rows, 'id DIV 10')} FROM range(5, {rows}, {ORDERS_PER_REVIEW})"),
    ):
        lake.run(f"INSERT INTO {table} SELECT {values}")


def customer(rows: int) -> str:
    """The customer of order ``id``."""
    return f"pmod(xxhash64(id), {rows // ORDERS_PER_CUSTOMER})"


def product() -> str:
    """The product of order ``id``."""
    return f"pmod(xxhash64(id, 1), {PRODUCTS})"


def order_values(customer_id: str, place_in_time: str) -> str:
    """Of order ``id``; the place counts orders from the first one, at one in ten seconds."""
    return (
        f"id, {customer_id}, {product()}, CAST(pmod(xxhash64(id, 2), 5) + 1 AS INT), {_money(3)}, "
        f"{_time(place_in_time)}, {_STATUS}"
    )


def payment_values() -> str:
    """Of the payment for order ``id``."""
    return f"id, id, {_METHOD}, {_money(3)}, {_time('id')}"


def review_values(rows: int, review_id: str) -> str:
    """Of a review of order ``id``, which was there from the start."""
    return f"{review_id}, id, {customer(rows)}, {product()}, CAST(pmod(xxhash64(id, 6), 5) + 1 AS INT)"


def _product_values() -> str:
    return f"id, concat('product ', id), concat('category ', id % 40), {_money(7)}"


def _money(salt: int) -> str:
    return f"CAST(pmod(xxhash64(id, {salt}), 100000) / 100 AS DECIMAL(10,2))"


def _time(place: str) -> str:
    return f"timestamp_seconds(1600000000 + 10 * {place})"
