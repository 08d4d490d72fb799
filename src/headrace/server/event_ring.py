"""The newest events, numbered from 1 in the order they came; older ones are dropped."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import islice
from typing import Generic, TypeVar

T = TypeVar("T")


class EventRing(Generic[T]):
    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError("a ring has room for at least one event")
        self._events: deque[T] = deque(maxlen=capacity)
        self._newest = 0

    @property
    def newest(self) -> int:
        """The number of the last event; 0 before the first."""
        return self._newest

    def append(self, event: T) -> None:
        self._events.append(event)
        self._newest += 1

    def has_all_after(self, number: int) -> bool:
        """Whether no event that came after ``number`` was dropped. False of a number not yet assigned."""
        return self._newest - len(self._events) <= number <= self._newest

    def after(self, number: int, limit: int) -> Sequence[tuple[int, T]] | None:
        """The first events after ``number``, with their numbers; None where some of them were dropped."""
        if not self.has_all_after(number):
            return None
        oldest = self._newest - len(self._events) + 1
        found = islice(self._events, number + 1 - oldest, number + 1 - oldest + limit)
        return list(enumerate(found, number + 1))
