"""Changes on their way to the clients that follow them.

Any thread publishes. All clients read the same ring, each from its own position, so a slow client costs no
memory: when the ring has dropped events that the client has not read yet, it is reset.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress

from headrace.errors import OperationalError
from headrace.model.backfill import BackfillProgress
from headrace.model.change import Change, ClusterChange
from headrace.model.history import Refresh
from headrace.model.task import TaskRun
from headrace.server.event_ring import EventRing
from headrace.server.event_view import compact

CAPACITY = 4096
MOST_CLIENTS = 100
_BATCH = 256
_REMEMBERED = 1000
"""Of how many refreshes, runs and clusters the last state is known, so that it is not published twice."""


class EventFeed:
    def __init__(self, capacity: int = CAPACITY, most_clients: int = MOST_CLIENTS) -> None:
        self._run = secrets.token_hex(4)
        """Part of each event's id, as another run of the server counts from 1 again."""
        self._ring: EventRing[Change] = EventRing(capacity)
        self._most_clients = most_clients
        self._latest: OrderedDict[Hashable, Change] = OrderedDict()
        self._lock = threading.Lock()
        self._clients: set[Wakeup] = set()
        self._closed = False

    def publish(self, change: Change) -> None:
        """A state that was published last for the same refresh, run or cluster is left out."""
        small = compact(change)
        with self._lock:
            if self._closed or self._is_repeated(small):
                return
            self._ring.append(small)
            clients = list(self._clients)
        for client in clients:
            client.wake()

    @property
    def is_followed(self) -> bool:
        return bool(self._clients)

    @property
    def is_closed(self) -> bool:
        return self._closed

    @property
    def newest(self) -> int:
        return self._ring.newest

    def close(self) -> None:
        """Ends all streams."""
        with self._lock:
            self._closed = True
            clients = list(self._clients)
        for client in clients:
            client.wake()

    @contextmanager
    def client(self) -> Iterator[Wakeup]:
        """A new client, in the event loop that it is served by."""
        wakeup = Wakeup()
        with self._lock:
            if len(self._clients) >= self._most_clients:
                raise OperationalError(
                    f"{self._most_clients} clients receive events already",
                    hint="close other connections to /api/v1/events",
                )
            self._clients.add(wakeup)
        try:
            yield wakeup
        finally:
            with self._lock:
                self._clients.discard(wakeup)

    def after(self, number: int) -> Sequence[tuple[int, Change]] | None:
        """The next events after ``number``; None where some of them were dropped."""
        with self._lock:
            return self._ring.after(number, _BATCH)

    def id_of(self, number: int) -> str:
        return f"{self._run}-{number}"

    def number_of(self, event_id: str) -> int | None:
        """None where the id is of another run of the server, or events after it were dropped."""
        run, _, digits = event_id.partition("-")
        if run != self._run or not (digits.isascii() and digits.isdigit()):
            return None
        number = int(digits[:20])
        with self._lock:
            return number if self._ring.has_all_after(number) else None

    def _is_repeated(self, change: Change) -> bool:
        key = _identity(change)
        if key is None:
            return False
        if self._latest.get(key) == change:
            return True
        self._latest[key] = change
        self._latest.move_to_end(key)
        if len(self._latest) > _REMEMBERED:
            self._latest.popitem(last=False)
        return False


class Wakeup:
    """Tells a client in an event loop, from any thread, that there may be something to read."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()

    def wake(self) -> None:
        with suppress(RuntimeError):  # the event loop has ended, and with it the client
            self._loop.call_soon_threadsafe(self._event.set)

    def clear(self) -> None:
        """To be called before reading: what comes later wakes again."""
        self._event.clear()

    async def wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._event.wait(), seconds)


def _identity(change: Change) -> Hashable | None:
    match change:
        case Refresh():
            return change.job_id
        case TaskRun():
            return change.run_id, change.attempt
        case ClusterChange():
            return ClusterChange, change.name
        case BackfillProgress():
            return BackfillProgress, change.id
        case _:
            return None
