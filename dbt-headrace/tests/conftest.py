"""One Spark serves all of dbt's commands; each test class has a schema of its own in one lake."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import headrace
from headrace.connection import Connection
from headrace.lake.directory import make_lake

pytest_plugins = ["dbt.tests.fixtures.project"]


@pytest.fixture(scope="session")
def dbt_lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """Held open, so that Spark outlives each command."""
    path = tmp_path_factory.mktemp("dbt") / "lake"
    make_lake(path)
    with headrace.connect(path) as connection:
        yield connection


@pytest.fixture(scope="class")
def dbt_profile_target(dbt_lake: Connection) -> dict[str, Any]:
    return {"type": "headrace", "lake": str(dbt_lake.lake_path), "threads": 4}  # type: ignore[attr-defined]


@pytest.fixture(scope="class")
def logs_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("logs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_LOG_PATH", str(path))
        yield str(path)


@pytest.fixture(scope="class")
def profile_user(dbt_lake: Connection) -> str:
    import getpass

    return getpass.getuser()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """dbt and what it uses warn of their own ways."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("default"))
