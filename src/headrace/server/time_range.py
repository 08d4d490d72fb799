"""The part of a list, newest first, that lies between two moments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from headrace.model.position import Position
from headrace.server.paging import Fetch

T = TypeVar("T")


@dataclass(frozen=True)
class TimeRange:
    since: datetime | None = None
    until: datetime | None = None
    """Not included. A time without a zone is UTC."""

    def applied(self, fetch: Fetch[T], time_of: Callable[[T], datetime], rest: Position) -> Fetch[T]:
        """Reads that part only; ``rest`` are the least values of what follows the time in a position."""
        since, until = aware(self.since), aware(self.until)

        def within(position: Position | None, count: int) -> Sequence[T]:
            start = (until, *rest) if position is None and until is not None else position
            return [row for row in fetch(start, count) if since is None or time_of(row) >= since]

        return within


def aware(moment: datetime | None) -> datetime | None:
    """A time without a zone is UTC."""
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


ALL_TIMES = TimeRange()
