"""Lists in pages, all of them in the same way.

A page ends at a position, not after a number of rows: what is added or removed meanwhile neither repeats nor
hides a row of the next one.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Generic, TypeVar

from fastapi import Depends, Query

from headrace.api import LONGEST_PAGE
from headrace.commands.show import like
from headrace.errors import InterfaceError
from headrace.model.position import Position
from headrace.wire import decode_value, encode_value

S = TypeVar("S")
T = TypeVar("T")
_AT_A_TIME = 500
"""Rows that are read at least once a filter has left too few of those before."""

Fetch = Callable[[Position | None, int], Sequence[T]]
"""The rows after a position, so many at most."""


@dataclass(frozen=True)
class Page(Generic[T]):
    items: tuple[T, ...]
    next_page: str | None
    """What the parameter `page` accepts; null: this is the last page."""

    def map(self, shown: Callable[[T], S]) -> Page[S]:
        return Page(tuple(map(shown, self.items)), self.next_page)


@dataclass(frozen=True)
class Order(Generic[T]):
    """By which values a list is sorted."""

    position: Callable[[T], Position]
    types: tuple[type, ...] = (str,)


@dataclass(frozen=True)
class Listing:
    """Which part of a list is requested: what every list accepts."""

    limit: int
    page: str | None
    like: str | None

    def page_of(
        self,
        fetch: Fetch[T],
        order: Order[T],
        name_of: Callable[[T], str],
        is_selected: Callable[[T], bool] = lambda _: True,
    ) -> Page[T]:
        found: list[T] = []
        position = None if self.page is None else decode_position(self.page, order.types)
        count = self.limit + 1
        while len(found) <= self.limit:
            fetched = fetch(position, count)
            found += [row for row in fetched if like(name_of(row), self.like) and is_selected(row)]
            if len(fetched) < count:
                break
            position, count = order.position(fetched[-1]), max(count, _AT_A_TIME)
        is_last = len(found) <= self.limit
        items = tuple(found[: self.limit])
        return Page(items, None if is_last else encode_position(order.position(items[-1])))

    def page_of_all(
        self,
        rows: Iterable[T],
        order: Order[T],
        name_of: Callable[[T], str],
        is_selected: Callable[[T], bool] = lambda _: True,
    ) -> Page[T]:
        """Of a list that is at hand; its pages are sorted by the position."""
        ordered = sorted(rows, key=order.position)

        def fetch(position: Position | None, count: int) -> Sequence[T]:
            return [row for row in ordered if position is None or order.position(row) > position][:count]

        return self.page_of(fetch, order, name_of, is_selected)


def _listing(
    limit: Annotated[int, Query(ge=1, le=LONGEST_PAGE, description="Items of a page, at most.")] = 100,
    page: Annotated[
        str | None, Query(description="`next_page` of the page before; without it, the first.")
    ] = None,
    like: Annotated[
        str | None, Query(description="Only items whose name matches, as in SHOW ... LIKE.")
    ] = None,
) -> Listing:
    return Listing(limit, page, like)


Listed = Annotated[Listing, Depends(_listing)]


def encode_position(position: Position) -> str:
    text = json.dumps([encode_value(value) for value in position])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_position(page: str, types: tuple[type, ...]) -> Position:
    try:
        encoded = json.loads(base64.urlsafe_b64decode(page + "=" * (-len(page) % 4)))
        position = tuple(decode_value(value) for value in encoded)
        if isinstance(encoded, list) and _is_like(position, types):
            return position
    except (ValueError, TypeError, InterfaceError):
        pass
    raise InterfaceError(
        f"page: {page[:40]} is not a page of this list", hint="use next_page of the page before"
    )


def _is_like(position: Position, types: tuple[type, ...]) -> bool:
    has_zones = all(value.tzinfo is not None for value in position if isinstance(value, datetime))
    return has_zones and len(position) == len(types) and all(map(isinstance, position, types))
