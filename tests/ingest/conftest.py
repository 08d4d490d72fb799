"""Servers that syncs read from; each is started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ingest.source_mariadb import MariadbServer, MariadbSource, running_mariadb
from tests.ingest.source_postgres import Source, SourceServer, running_source


@pytest.fixture(scope="session")
def source_server() -> Iterator[SourceServer]:
    with running_source() as server:
        yield server


@pytest.fixture
def source(source_server: SourceServer) -> Iterator[Source]:
    database = source_server.database()
    yield database
    database.drop()


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[MariadbServer]:
    with running_mariadb() as server:
        yield server


@pytest.fixture
def mariadb(mariadb_server: MariadbServer) -> Iterator[MariadbSource]:
    database = mariadb_server.database()
    yield database
    database.drop()


@pytest.fixture(params=["source", "mariadb"])
def database(request: pytest.FixtureRequest) -> Source | MariadbSource:
    """Of each kind of server that syncs can read from."""
    found: Source | MariadbSource = request.getfixturevalue(request.param)
    return found
