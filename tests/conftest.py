"""One Spark serves the whole run; each test has a lake of its own, or a schema of its own in a shared one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import headrace
from headrace.connection import Connection
from headrace.lake.directory import make_lake
from tests.oracle import plain_session

_schemas = itertools.count(1)


@pytest.fixture(scope="session")
def shared_lake(own_spark: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """With the settings of a lake that somebody has just made."""
    path = tmp_path_factory.mktemp("shared") / "lake"
    with headrace.connect(path) as connection:
        yield connection


@pytest.fixture(scope="session")
def incremental_lake(own_spark: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """Another one, whose tables are not recomputed because that is cheaper, however busy the machine is."""
    path = tmp_path_factory.mktemp("incremental") / "lake"
    stay_incremental(path)
    with headrace.connect(path) as connection:
        yield connection


def stay_incremental(path: Path) -> None:
    make_lake(path)
    with (path / "lake.toml").open("a") as settings:
        settings.write("full_refresh_margin = 1000\n")


@pytest.fixture
def lake(own_spark: None, request: pytest.FixtureRequest) -> Iterator[Connection]:
    """A connection to a shared lake, in a schema of the test's own.

    The cost decides as it does for users, unless the test is marked ``incremental``.
    """
    is_marked = request.node.get_closest_marker("incremental") is not None
    shared = request.getfixturevalue("incremental_lake" if is_marked else "shared_lake")
    schema = f"s{next(_schemas)}"
    with headrace.connect(shared.lake_path) as connection:
        connection.sql(f"CREATE SCHEMA {schema}; USE {schema}")
        yield connection


@pytest.fixture
def new_lake(
    own_spark: None, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Connection]]:
    """Opens lakes of the test's own; closes them at its end."""
    opened: list[Connection] = []

    def open_lake(name: str = "lake", **options: Any) -> Connection:
        path = tmp_path / name
        if request.node.get_closest_marker("incremental") is not None and not path.exists():
            stay_incremental(path)
        opened.append(headrace.connect(path, **options))
        return opened[-1]

    yield open_lake
    for connection in opened:
        connection.close()


@pytest.fixture
def plain_spark(lake: Connection) -> SparkSession:
    """A session as a user of Iceberg would set it up, with the catalog's cache on."""
    return plain_session(lake, {})
