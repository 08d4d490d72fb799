"""The events of a server, read over as many connections as it takes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from headrace.api import Api
from headrace.errors import AccessDenied, OperationalError

RETRY_SECONDS = 1.0


@dataclass(frozen=True)
class ServerEvent:
    type: str | None
    """None: the server has sent a sign of life, the first one as soon as it is connected."""
    data: dict[str, Any]
    id: str


def server_events(api: Api, report: Callable[[str], None], **selection: str) -> Iterator[ServerEvent]:
    """Without end. A lost connection is made again after the last event; one that never was is an error."""
    last: str | None = None
    is_lost = False
    while True:
        try:
            with api.lines("/events", {"Last-Event-ID": last} if last else {}, **selection) as lines:
                for event in parse_events(lines):
                    if is_lost:
                        report("connected to the server again")
                        is_lost = False
                    last = event.id or last
                    yield event
            problem = "the server has ended the connection"
        except AccessDenied:
            raise
        except OperationalError as error:
            if last is None:
                raise
            problem = error.message
        if not is_lost:
            report(f"{problem}; connecting again")
            is_lost = True
        time.sleep(RETRY_SECONDS)


def parse_events(lines: Iterable[str]) -> Iterator[ServerEvent]:
    """Of a stream of ``text/event-stream``. An event that was cut off is left out."""
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        if name:
            fields[name] = value.removeprefix(" ")
        elif not line:
            data = fields.get("data")
            yield ServerEvent(
                fields.get("event") if data else None, json.loads(data) if data else {}, fields.get("id", "")
            )
            fields = {}
