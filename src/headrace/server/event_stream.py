"""Events as an HTTP response that does not end: ``text/event-stream``."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence

from fastapi.responses import StreamingResponse
from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool
from starlette.types import Message, Receive, Scope, Send

from headrace.model.change import Change
from headrace.model.events import log_event
from headrace.model.json_value import json_value
from headrace.server.event_feed import EventFeed, Wakeup
from headrace.server.event_models import RESET, EventData, ResetEvent
from headrace.server.event_view import EventView, type_of

HEARTBEAT_SECONDS = 15.0
SEND_SECONDS = 60.0
"""A client that accepts nothing for so long is disconnected."""
RETRY_MILLISECONDS = 1000
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_UNKNOWN = "the event id is of another run of the server, or events after it are no longer available"
_TOO_SLOW = "the client has read too slowly"


class EventSource(StreamingResponse):
    """As the API declares it. FastAPI's own class requires a generator, which could not refuse a client."""

    media_type = "text/event-stream"


class EventStream(EventSource):
    def __init__(
        self, feed: EventFeed, view: EventView, after: str | None, is_admitted: Callable[[], bool]
    ) -> None:
        """``after`` is the id of the last event that the client has received.

        The stream ends soon after the client's token was revoked.
        """
        super().__init__((), headers=_HEADERS)
        self._feed = feed
        self._view = view
        self._after = after
        self._is_admitted = is_admitted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._feed.client() as wakeup:
            feed = self._feed
            start = feed.newest if self._after is None else feed.number_of(self._after)
            self.body_iterator = frames(feed, self._view, start, wakeup, self._is_admitted)
            await super().__call__(scope, receive, send)

    async def stream_response(self, send: Send) -> None:
        async def send_in_time(message: Message) -> None:
            await asyncio.wait_for(send(message), SEND_SECONDS)

        try:
            await super().stream_response(send_in_time)
        except TimeoutError:
            log_event("event client disconnected", user=self._view.user)


async def frames(
    feed: EventFeed, view: EventView, start: int | None, wakeup: Wakeup, is_admitted: Callable[[], bool]
) -> AsyncIterator[bytes]:
    """Of the events after the number ``start``; None: the client has missed events already.

    A frame that has an id and no data moves the client's last event id, and is no event to it.
    """
    position = feed.newest if start is None else start
    if start is None:
        yield _reset(feed, position, _UNKNOWN)
    yield format_sse_event(comment="headrace", id=feed.id_of(position), retry=RETRY_MILLISECONDS)
    heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
    while not feed.is_closed:
        wakeup.clear()
        found = feed.after(position)
        if found is None:
            position = feed.newest
            yield _reset(feed, position, _TOO_SLOW)
            continue
        if found:
            yield b"".join(_selected(feed, view, found))
            position = found[-1][0]
        else:
            await wakeup.wait(heartbeat_at - time.monotonic())
        if time.monotonic() >= heartbeat_at:
            if not await run_in_threadpool(is_admitted):
                return
            yield format_sse_event(comment="heartbeat", id=feed.id_of(position))
            heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS


def _selected(feed: EventFeed, view: EventView, found: Sequence[tuple[int, Change]]) -> Iterator[bytes]:
    for number, change in found:
        data = view.data(change)
        if data is not None:
            yield _frame(type_of(change), data, feed.id_of(number))


def _reset(feed: EventFeed, position: int, reason: str) -> bytes:
    return _frame(RESET, ResetEvent(reason=reason), feed.id_of(position))


def _frame(event: str, data: EventData, event_id: str) -> bytes:
    return format_sse_event(
        data_str=json.dumps(json_value(data), separators=(",", ":")), event=event, id=event_id
    )
