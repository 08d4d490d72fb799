from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from headrace.lake.directory import make_lake
from headrace.server.access import Access
from headrace.server.app import make_app
from headrace.server.service import Service

from .fake_cluster import FakeClusters

LOCAL = "http://127.0.0.1:8642"
OpenService = Callable[..., Service]


@pytest.fixture
def clusters() -> FakeClusters:
    return FakeClusters()


@pytest.fixture
def open_service(tmp_path: Path, clusters: FakeClusters) -> Iterator[OpenService]:
    """A service whose lake has these lines in its settings; its scheduler does not run."""
    opened: list[Service] = []

    def open_it(settings: str = "") -> Service:
        path = tmp_path / "lake"
        make_lake(path)
        with (path / "lake.toml").open("a") as marker:
            marker.write(settings)
        opened.append(Service(path, launch=clusters.launch))
        return opened[-1]

    yield open_it
    for service in opened:
        service.close()


@pytest.fixture
def service(open_service: OpenService) -> Service:
    return open_service()


@pytest.fixture
def client(service: Service) -> TestClient:
    """Of a server at a loopback address."""
    return TestClient(make_app(service, Access("127.0.0.1", service.store.tokens.holder_of)), base_url=LOCAL)
