"""The orders of the live demo, made up."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

import headrace

STATUSES = ("completed", "completed", "completed", "pending")
PRICES = {1: 289, 2: 138, 3: 69, 4: 299, 5: 129, 6: 359, 7: 99, 8: 89, 9: 45}
FIRST_ORDER = 2001


@dataclass(frozen=True)
class Order:
    order_id: int
    product_id: int
    quantity: int
    price: int
    status: str
    order_time: datetime


Write = Callable[[Sequence[Order]], None]


class OrderSource(Protocol):
    """The system in which orders arise, and the way from there into the table ``ods_orders``."""

    def check(self) -> None:
        """Raises if the system cannot be used; changes nothing in it."""
        ...

    def settings(self) -> dict[str, str | list[str]]:
        """Of ``lake.toml``: what the demo's server may read, and with which jars."""
        ...

    def connect(self, lake: headrace.Connection) -> None:
        """Makes orders flow. The table ``ods_orders`` is there, with the first orders."""
        ...

    def disconnect(self, lake: headrace.Connection) -> None:
        """Removes all that ``connect`` has made in the lake and elsewhere, of an earlier demo too."""
        ...

    def writer(self, url: str) -> AbstractContextManager[Write]:
        """Inside, orders can be written to the system. ``url`` is that of the demo's server."""
        ...


def orders_of_a_second(chance: random.Random, first: int) -> list[Order]:
    """They are numbered from ``first`` on."""
    made = []
    for number in range(first, first + chance.randint(1, 5)):
        product = chance.choice(list(PRICES))
        quantity, status = chance.randint(1, 4), chance.choice(STATUSES)
        made.append(Order(number, product, quantity, PRICES[product], status, datetime.now(UTC)))
    return made
