"""A Flight SQL server in this process, over a cluster without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from headrace.server.access import Access
from headrace.server.flight.listening import listen, stop
from headrace.server.flight_address import FlightAddress
from headrace.server.service import Service

from .raw_client import RawClient


@contextmanager
def flight_of(service: Service, host: str = "127.0.0.1") -> Iterator[str]:
    """Its address, as it is for clients on this machine."""
    server = listen(FlightAddress(host, 0), service, Access(host, service.holder_of))
    try:
        yield f"grpc://127.0.0.1:{server.port}"
    finally:
        stop(server)


@pytest.fixture
def address(service: Service) -> Iterator[str]:
    with flight_of(service) as found:
        yield found


@pytest.fixture
def guarded(service: Service) -> Iterator[str]:
    """The address of a server that wants tokens."""
    with flight_of(service, "0.0.0.0") as found:  # noqa: S104
        yield found


@pytest.fixture
def raw(address: str) -> Iterator[RawClient]:
    client = RawClient(address)
    yield client
    client.close()
