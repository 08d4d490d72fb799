"""``headrace serve``."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import uvicorn

import headrace
from headrace.errors import OperationalError
from headrace.model.events import log_event
from headrace.server.access import Access, is_loopback
from headrace.server.app import make_app
from headrace.server.event_feed import EventFeed
from headrace.server.flight_address import FlightAddress
from headrace.server.log_format import LogFormat
from headrace.server.log_output import logging_to
from headrace.server.service import Service
from headrace.server.warm_start import start_default_cluster

_ENDING = (signal.SIGINT, signal.SIGTERM)
_LEFT_AT_ONCE = 130


def serve(
    lake: Path,
    host: str,
    port: int,
    say: Callable[[str], None],
    report: Callable[[str], None],
    log_format: LogFormat = LogFormat.TEXT,
    flight: FlightAddress | None = None,
) -> None:
    """Until the process is told to end; then running refreshes may end first, unless it is told again.

    ``report`` is told what the server waits for. ``flight``: where Flight SQL is served, too.
    """
    with listen_at(host, port) as listening, ExitStack() as closing:
        service = Service(lake)
        closing.enter_context(logging_to(service.directory.logs, log_format))
        try:
            service.start()
            address = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
            service.announce(_own_address(host, listening.getsockname()[1]))
            say(f"serving the lake in {lake} at {address}")
            if not is_loopback(host) and not service.store.tokens.all():
                say("there is no token yet: create one with `headrace token create NAME`")
            log_event("server started", version=headrace.__version__, address=address, process=os.getpid())
            start_default_cluster(service.pool, service.directory.settings, report)
            access = Access(host, service.holder_of)
            app = make_app(service, access)
            settings = uvicorn.Config(
                app, log_config=None, log_level="warning", access_log=False, timeout_graceful_shutdown=1
            )
            with _told_to_end(), _serving_flight(flight, service, access, say):
                EventEndingServer(settings, service.events).run(sockets=[listening])
        finally:
            for number in _ENDING:
                signal.signal(number, lambda *_: os._exit(_LEFT_AT_ONCE))
            service.close()
            log_event("server stopped", process=os.getpid())


@contextmanager
def _serving_flight(
    address: FlightAddress | None, service: Service, access: Access, say: Callable[[str], None]
) -> Iterator[None]:
    if address is None:
        yield
        return
    from headrace.server.flight.listening import listen, stop

    server = listen(address, service, access)
    try:
        say(f"serving Flight SQL at {address.url(server.port)}")
        yield
    finally:
        service.runner.cancel_all()
        stop(server)


class EventEndingServer(uvicorn.Server):
    """Streams of events end when the server does, where it would wait for them."""

    def __init__(self, settings: uvicorn.Config, events: EventFeed) -> None:
        super().__init__(settings)
        self._events = events

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._events.close()
        await super().shutdown(sockets)


def _own_address(host: str, port: int) -> str:
    """Where a process on this machine finds the server."""
    here = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104
    return f"http://{f'[{here}]' if ':' in here else here}:{port}"


@contextmanager
def _told_to_end() -> Iterator[None]:
    """Uvicorn raises the signal that ended it once more, which must not keep refreshes from ending."""
    before = {number: signal.signal(number, lambda *_: None) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def listen_at(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family)
        # its connections inherit it; else a small answer waits 40 ms for an acknowledgement
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except OSError as error:
        raise OperationalError(
            f"cannot listen at {host}:{port}: {error.strerror or error}",
            hint="choose another one with --host and --port",
        ) from None
