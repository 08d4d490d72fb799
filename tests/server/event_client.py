"""A server of events on a real socket, and a client that reads them."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import uvicorn

from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.serve import EventEndingServer
from headrace.server.service import Service

WAIT_SECONDS = 20


@dataclass(frozen=True)
class Received:
    type: str
    id: str
    data: dict[str, Any]


@dataclass
class Listening:
    url: str
    server: uvicorn.Server


@contextmanager
def listening(service: Service, host: str = "127.0.0.1", port: int = 0) -> Iterator[Listening]:
    app = make_app(service, Access(host, service.holder_of))
    settings = uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1)
    server = EventEndingServer(settings, service.events)
    with socket.create_server(("127.0.0.1", port)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield Listening(f"http://127.0.0.1:{listener.getsockname()[1]}", server)
        finally:
            server.should_exit = True
            thread.join()


class Client:
    """Reads frames; ``last_id`` moves with each, as that of a browser does."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.last_id = ""
        self.comments: list[str] = []

    def frame(self) -> Received | None:
        """The next one; None where it has no data, and StopIteration at the end of the stream."""
        kind, data = "message", ""
        while line := next(self._lines):
            field, _, value = line.partition(": ")
            match field:
                case "":
                    self.comments.append(value)
                case "event":
                    kind = value
                case "data":
                    data += value
                case "id":
                    self.last_id = value
        return Received(kind, self.last_id, json.loads(data)) if data else None

    def events(self, count: int) -> list[Received]:
        found: list[Received] = []
        while len(found) < count:
            frame = self.frame()
            if frame is not None:
                found.append(frame)
        return found

    def until_closed(self) -> list[Received]:
        found: list[Received] = []
        try:
            while True:
                frame = self.frame()
                if frame is not None:
                    found.append(frame)
        except StopIteration:
            return found


@contextmanager
def following(
    url: str, query: str = "", after: str | None = None, token: str | None = None
) -> Iterator[Client]:
    """Once the server has answered, so that what happens from then on is seen."""
    headers = {} if after is None else {"Last-Event-ID": after}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    address = f"{url}/api/v1/events{query}"
    with httpx.stream("GET", address, headers=headers, timeout=WAIT_SECONDS) as answer:
        assert answer.status_code == 200, answer.read()
        client = Client(answer.iter_lines())
        yield client
