"""A copy, a join, sums and a window over tables that grow by inserts, updates and deletes."""

from __future__ import annotations

from dataclasses import dataclass, field

from headrace.connection import Connection

SOURCES = ("orders", "customers")
TABLES = {
    "copied": "SELECT id, customer, amount * 2 AS doubled FROM orders WHERE amount > 5",
    "joined": "SELECT o.id, o.customer, c.region, o.amount "
    "FROM orders o JOIN customers c ON o.customer = c.id",
    "sums": "SELECT customer, region, count(*) AS n, sum(amount) AS total, max(amount) AS most "
    "FROM joined GROUP BY customer, region",
    "ranked": "SELECT id, customer, amount, sum(amount) OVER (PARTITION BY customer ORDER BY id) AS running "
    "FROM orders",
}
ORDERS, CUSTOMERS = 100_000, 5_000
INSERTED, UPDATED, DELETED = 50, 5, 5


@dataclass
class Pipeline:
    lake: Connection
    _next_order: int = ORDERS
    _deleted: int = 0
    _turn: int = field(default=0)

    def create(self) -> None:
        self.lake.sql("CREATE TABLE orders (id BIGINT, customer BIGINT, amount DECIMAL(10,2))")
        self.lake.sql("CREATE TABLE customers (id BIGINT, region STRING)")
        self.lake.sql(f"INSERT INTO customers SELECT id, concat('r', id % 20) FROM range({CUSTOMERS})")
        self.lake.sql(f"INSERT INTO orders SELECT {_order('id')} FROM range({ORDERS})")
        for name, query in TABLES.items():
            self.lake.sql(f"CREATE DYNAMIC TABLE {name} REFRESH_MODE = INCREMENTAL AS {query}")
            self.lake.sql(f"REFRESH DYNAMIC TABLE {name}")

    def change(self) -> None:
        """Rows come each time; every other time some of them change, every third time the oldest go."""
        first, self._next_order = self._next_order, self._next_order + INSERTED
        self._turn += 1
        self.lake.run(f"INSERT INTO orders SELECT {_order(f'({first} + id)')} FROM range({INSERTED})")
        if self._turn % 2 == 0:
            changed = ", ".join(str(self._turn * 7919 * each % first) for each in range(1, UPDATED + 1))
            self.lake.run(f"UPDATE orders SET amount = amount + 1 WHERE id IN ({changed})")
        if self._turn % 3 == 0:
            start, self._deleted = self._deleted, self._deleted + DELETED
            self.lake.run(f"DELETE FROM orders WHERE id >= {start} AND id < {self._deleted}")
        if self._turn % 10 == 0:
            moved = self._turn * 31 % CUSTOMERS
            self.lake.run(f"UPDATE customers SET region = 'r{self._turn % 20}' WHERE id = {moved}")

    def refresh(self) -> None:
        for name in TABLES:
            self.lake.run(f"REFRESH DYNAMIC TABLE {name}")

    def optimize(self) -> None:
        """Of its sources, which no refresh rewrites."""
        for name in SOURCES:
            self.lake.run(f"OPTIMIZE {name}")

    def not_exact(self) -> list[str]:
        found = []
        for name in TABLES:
            result = self.lake.run(f"VERIFY DYNAMIC TABLE {name}")
            (row,) = result.fetchall()
            if dict(zip(result.columns, row, strict=True))["result"] != "exact":
                found.append(name)
        return found


def _order(number: str) -> str:
    """Each customer has a few orders, spread over the table."""
    return f"{number}, {number} * 7919 % {CUSTOMERS}, CAST({number} % 997 AS DECIMAL(10,2))"
