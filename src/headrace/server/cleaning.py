"""What a server does for its lake when nobody asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from headrace.features.recovery.store import DroppedObjects
from headrace.model.clock import Clock
from headrace.model.periodic import PeriodicLoop

EVERY_SECONDS = 600.0


class History(Protocol):
    def delete_before(self, moment: datetime) -> int: ...


class Cleaning(PeriodicLoop):
    """Forgets old history, and has deleted what nobody needs: dropped tables, indexes of lost data files."""

    def __init__(
        self,
        histories: Sequence[History],
        dropped: DroppedObjects,
        history_days: int,
        clock: Clock,
        vacuum: Callable[[], None],
        remove_orphaned_indexes: Callable[[datetime], object],
    ) -> None:
        """``vacuum`` wakes a cluster, so it is called only when there is something to delete."""
        super().__init__("cleaning", EVERY_SECONDS)
        self._histories = histories
        self._dropped = dropped
        self._kept = timedelta(days=history_days)
        self._clock = clock
        self._vacuum = vacuum
        self._remove_orphaned_indexes = remove_orphaned_indexes

    def look(self) -> None:
        now = self._clock()
        for history in self._histories:
            history.delete_before(now - self._kept)
        if self._dropped.purging() or any(not dropped.is_kept(now) for dropped in self._dropped.all()):
            self._vacuum()
        self._remove_orphaned_indexes(now)
