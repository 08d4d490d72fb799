"""Changes of a few rows in each fact table: mixed or inserted only, spread over the table or all recent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.growth.data import (
    FACTS,
    ORDERS_PER_CUSTOMER,
    ORDERS_PER_REVIEW,
    customer,
    order_values,
    payment_values,
    review_values,
)
from headrace.connection import Connection

_RECENT_CUSTOMERS = 100


@dataclass(frozen=True)
class ChangeKind:
    """What happens to each fact table in a round."""

    name: str
    inserted: int
    updated: int
    deleted: int
    clustered: bool
    """The rows that change are recent ones; otherwise they are spread evenly over the table."""

    @property
    def rows(self) -> int:
        """Changed in each fact table."""
        return self.inserted + self.updated + self.deleted


KINDS = {
    kind.name: kind
    for kind in (
        ChangeKind("mixed-spread", 100, 20, 20, clustered=False),
        ChangeKind("mixed-clustered", 100, 20, 20, clustered=True),
        ChangeKind("insert-spread", 140, 0, 0, clustered=False),
        ChangeKind("insert-clustered", 140, 0, 0, clustered=True),
    )
}


@dataclass(frozen=True)
class Round:
    """One change of all fact tables of a shop that had so many orders at first; no two take the same rows."""

    rows: int
    number: int
    kind: ChangeKind

    def apply(self, lake: Connection) -> None:
        for statement in (*self._insertions(), *self._updates(), *self._deletions()):
            lake.run(statement)

    def changed_rows(self, tables: Iterable[str]) -> int:
        return self.kind.rows * len({*FACTS} & {*tables})

    def customers(self, tables: Iterable[str]) -> str:
        """A query of the customers whose rows in these tables have changed."""
        queries = {
            "orders": f"SELECT {self._new_customer} AS customer_id FROM {_rows_of(self._new_orders)} UNION "
            f"SELECT {customer(self.rows)} FROM {_rows_of(self._updated_orders + self._deleted_orders)}",
            "reviews": f"SELECT {customer(self.rows)} AS customer_id FROM {_rows_of(self._reviewed_orders)}",
        }
        return " UNION ".join(queries[table] for table in sorted(tables) if table in queries)

    def orders(self, tables: Iterable[str]) -> str:
        """A query of the orders whose rows in these tables have changed."""
        ids = {
            "orders": self._new_orders + self._updated_orders + self._deleted_orders,
            "payments": self._paid_orders + self._updated_payments + self._deleted_payments,
            "reviews": self._reviewed_orders,
        }
        changed = sorted({order for table in tables for order in ids.get(table, ())})
        return f"SELECT id AS order_id FROM {_rows_of(changed)}"

    @property
    def _new_orders(self) -> list[int]:
        first = self.rows + 1000 * self.number
        return list(range(first, first + self.kind.inserted))

    @property
    def _new_customer(self) -> str:
        if not self.kind.clustered:
            return customer(self.rows)
        return f"{self.rows // ORDERS_PER_CUSTOMER - 1} - pmod(xxhash64(id), {_RECENT_CUSTOMERS})"

    @property
    def _updated_orders(self) -> list[int]:
        return self._chosen(self.rows, self.kind.updated, 1)

    @property
    def _deleted_orders(self) -> list[int]:
        return self._chosen(self.rows, self.kind.deleted, 2)

    @property
    def _paid_orders(self) -> list[int]:
        """That had no payment before."""
        return self._new_orders if self.kind.clustered else self._chosen(self.rows, self.kind.inserted, 0)

    @property
    def _updated_payments(self) -> list[int]:
        return self._chosen(self.rows, self.kind.updated, 3)

    @property
    def _deleted_payments(self) -> list[int]:
        return self._chosen(self.rows, self.kind.deleted, 4)

    @property
    def _newly_reviewed(self) -> list[int]:
        return self._chosen(self.rows, self.kind.inserted, 6)

    @property
    def _updated_reviews(self) -> list[int]:
        return self._chosen(self.rows // ORDERS_PER_REVIEW, self.kind.updated, 1)

    @property
    def _deleted_reviews(self) -> list[int]:
        return self._chosen(self.rows // ORDERS_PER_REVIEW, self.kind.deleted, 2)

    @property
    def _reviewed_orders(self) -> list[int]:
        old = self._updated_reviews + self._deleted_reviews
        return self._newly_reviewed + [ORDERS_PER_REVIEW * review + 5 for review in old]

    def _chosen(self, size: int, count: int, last_digit: int) -> list[int]:
        """Ids below ``size``; the last digit keeps the rows of different operations apart."""
        if self.kind.clustered:
            first = size - 10 * count * (self.number + 1)
            return [first + 10 * place + last_digit for place in range(count)]
        step = size // count // 10 * 10 if count else 0
        if count and 10 * (self.number + 1) > step:
            raise ValueError(f"{self.rows:,} orders are too few for round {self.number} of these changes")
        return [step * place + 10 * self.number + last_digit for place in range(count)]

    def _insertions(self) -> list[str]:
        time = "id" if self.kind.clustered else f"pmod(xxhash64(id, 8), {self.rows})"
        review_id = f"{self.rows // ORDERS_PER_REVIEW + 1000 * self.number} + place"
        return [
            f"INSERT INTO orders SELECT {order_values(self._new_customer, time)} "
            f"FROM {_rows_of(self._new_orders)}",
            f"INSERT INTO payments SELECT {payment_values()} FROM {_rows_of(self._paid_orders)}",
            f"INSERT INTO reviews SELECT {review_values(self.rows, review_id)} "
            f"FROM {_rows_of(self._newly_reviewed)}",
        ]

    def _updates(self) -> list[str]:
        if not self.kind.updated:
            return []
        return [
            "UPDATE orders SET quantity = quantity + 1, amount = amount + 1, status = 'returned' "
            f"WHERE order_id IN {_listed(self._updated_orders)}",
            "UPDATE payments SET paid = paid + 1, method = 'transfer' "
            f"WHERE payment_id IN {_listed(self._updated_payments)}",
            f"UPDATE reviews SET score = score % 5 + 1 WHERE review_id IN {_listed(self._updated_reviews)}",
        ]

    def _deletions(self) -> list[str]:
        if not self.kind.deleted:
            return []
        return [
            f"DELETE FROM orders WHERE order_id IN {_listed(self._deleted_orders)}",
            f"DELETE FROM payments WHERE payment_id IN {_listed(self._deleted_payments)}",
            f"DELETE FROM reviews WHERE review_id IN {_listed(self._deleted_reviews)}",
        ]


def _rows_of(ids: Sequence[int]) -> str:
    """A relation of these ids and their places."""
    return f"(SELECT posexplode(array({', '.join(f'{id_}L' for id_ in ids)})) AS (place, id))"


def _listed(ids: Sequence[int]) -> str:
    return f"({', '.join(map(str, ids))})"
