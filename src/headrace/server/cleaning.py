"""What a server does for its lake when nobody asks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

from headrace.catalog import MetadataStore
from headrace.errors import Error
from headrace.model.clock import Clock

EVERY_SECONDS = 600.0


class Cleaning:
    """Forgets old history, and has dropped tables deleted once they are past their retention."""

    def __init__(
        self, store: MetadataStore, history_days: int, clock: Clock, vacuum: Callable[[], None]
    ) -> None:
        """``vacuum`` wakes a cluster, so it is called only when there is something to delete."""
        self._store = store
        self._kept = timedelta(days=history_days)
        self._clock = clock
        self._vacuum = vacuum
        self._stopping = threading.Event()
        self.trouble: str | None = None
        """Why the last round failed."""

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True, name="cleaning").start()

    def stop(self) -> None:
        self._stopping.set()

    def round(self) -> None:
        now = self._clock()
        store = self._store
        for history in (store, store.jobs, store.task_runs):
            history.forget_before(now - self._kept)
        if store.dropped.purging() or any(not dropped.is_kept(now) for dropped in store.dropped.all()):
            self._vacuum()

    def _run(self) -> None:
        while not self._stopping.wait(EVERY_SECONDS):
            try:
                self.round()
                self.trouble = None
            except Error as error:
                self.trouble = error.message
