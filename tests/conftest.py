"""One Spark serves the whole run; each test has a lake of its own, or a schema of its own in a shared one."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import headrace
from headrace.connection import Connection
from headrace.lake.directory import make_lake

os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
"""A JVM of the tests lives for minutes: careful compilation would take a third of its time and not pay."""

_schemas = itertools.count(1)


@pytest.fixture(scope="session")
def shared_lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """Its tables stay INCREMENTAL however busy the machine is; cost has tests of its own."""
    path = tmp_path_factory.mktemp("shared") / "lake"
    make_lake(path)
    with (path / "lake.toml").open("a") as settings:
        settings.write("full_refresh_margin = 1000\n")
    with headrace.connect(path) as connection:
        yield connection


@pytest.fixture
def lake(shared_lake: Connection) -> Iterator[Connection]:
    """A connection to the shared lake, in a schema of the test's own."""
    path = shared_lake.lake_path
    schema = f"s{next(_schemas)}"
    with headrace.connect(path) as connection:
        connection.sql(f"CREATE SCHEMA {schema}; USE {schema}")
        yield connection


@pytest.fixture
def new_lake(tmp_path: Path) -> Iterator[Callable[..., Connection]]:
    """Opens lakes of the test's own; closes them at its end."""
    opened: list[Connection] = []

    def open_lake(name: str = "lake", **options: Any) -> Connection:
        opened.append(headrace.connect(tmp_path / name, **options))
        return opened[-1]

    yield open_lake
    for connection in opened:
        connection.close()


@pytest.fixture
def plain_spark(lake: Connection) -> SparkSession:
    """A session as a user of Iceberg would set it up, with the catalog's cache on."""
    session = lake._bench.session.spark.newSession()
    settings = {
        "": "org.apache.iceberg.spark.SparkCatalog",
        ".type": "jdbc",
        ".uri": f"jdbc:sqlite:{lake.lake_path / 'catalog.db'}",
        ".warehouse": str(lake.lake_path / "warehouse"),
        ".jdbc.schema-version": "V1",
    }
    for key, value in settings.items():
        session.conf.set(f"spark.sql.catalog.lake{key}", value)
    return session
