"""Orders that a client of the server inserts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import headrace
from headrace.cli.live.orders import Order, Write


class InsertedOrders:
    def check(self) -> None:
        """A statement needs no other system."""

    def settings(self) -> dict[str, str | list[str]]:
        return {}

    def connect(self, lake: headrace.Connection) -> None:
        """Each INSERT names the table itself."""

    def disconnect(self, lake: headrace.Connection) -> None:
        """There is nothing to remove."""

    @contextmanager
    def writer(self, url: str) -> Iterator[Write]:
        with headrace.connect(url) as connection:

            def write(orders: Sequence[Order]) -> None:
                rows = ", ".join(
                    f"({order.order_id}, {order.product_id}, {order.quantity}, {order.price}, "
                    f"'{order.status}', TIMESTAMP '{order.order_time.isoformat()}')"
                    for order in orders
                )
                connection.run(f"INSERT INTO ods_orders VALUES {rows}")

            yield write
