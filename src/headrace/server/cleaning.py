"""What a server does for its lake when nobody asks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from headrace.catalog import MetadataStore
from headrace.model.clock import Clock
from headrace.model.repeating import Repeating

EVERY_SECONDS = 600.0


class Cleaning(Repeating):
    """Forgets old history, and has dropped tables deleted once they are past their retention."""

    def __init__(
        self, store: MetadataStore, history_days: int, clock: Clock, vacuum: Callable[[], None]
    ) -> None:
        """``vacuum`` wakes a cluster, so it is called only when there is something to delete."""
        super().__init__("cleaning", EVERY_SECONDS)
        self._store = store
        self._kept = timedelta(days=history_days)
        self._clock = clock
        self._vacuum = vacuum

    def look(self) -> None:
        now = self._clock()
        store = self._store
        for history in (store.refreshes, store.jobs, store.task_runs):
            history.forget_before(now - self._kept)
        if store.dropped.purging() or any(not dropped.is_kept(now) for dropped in store.dropped.all()):
            self._vacuum()
