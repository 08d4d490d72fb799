"""Projects of a test's own, in a schema of their own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.distributions import build_wheel, new_environment

import headrace
from dbt_commands import Project
from headrace.connection import Connection

_schemas = itertools.count(1)


@pytest.fixture(scope="session")
def adapter_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """With the adapter's wheel and what it declares to need: the client, and no Spark."""
    projects = ("headrace-client", "dbt-headrace")
    directory = tmp_path_factory.mktemp("wheels")
    wheels = [build_wheel(project, directory) for project in projects]
    with new_environment(directory / "made", wheels, *projects) as environment:
        yield environment


@pytest.fixture
def lake(dbt_lake: Connection) -> Iterator[Connection]:
    """A connection in the schema that the test's project builds in."""
    schema = f"dbt_{next(_schemas)}"
    with headrace.connect(dbt_lake.lake_path) as connection:  # type: ignore[attr-defined]
        connection.sql(f"CREATE SCHEMA {schema}; USE {schema}")
        yield connection


@pytest.fixture
def shop(lake: Connection, tmp_path: Path) -> Project:
    path = str(lake.lake_path)  # type: ignore[attr-defined]
    return Project(
        tmp_path / "shop", dev={"type": "headrace", "lake": path, "schema": lake.schema, "threads": 2}
    )
