"""One Spark serves all of dbt's commands; each test class has a schema of its own in one lake."""

from __future__ import annotations

import getpass
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import headrace
from dbt.adapters.headrace.impl import HeadraceAdapter
from headrace.connection import Connection
from headrace.lake.directory import make_lake

pytest_plugins = ["dbt.tests.fixtures.project"]

ALWAYS = {
    "TestAdapterMethod",
    "TestGenericTests",
    "TestIncremental",
    "TestSnapshotTimestamp",
    "TestValidateConnection",
}
"""Of dbt's own suite; a run takes a share of the other classes."""

SPARKS_WORDS = {
    r"\btext\b": "string",
    r"\bvarchar\b(?: *\(\d+\))?": "string",
    r"\btimestamp without time zone\b": "timestamp",
    r'"([a-z_]\w*)"': r"`\1`",
    r"(?<!timestamp )'(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^']*)'": r"timestamp '\1'",
    r"(?<!date )'(\d{4}-\d\d-\d\d)'": r"date '\1'",
    r"(alter table (\S+)\s+add column (\S+) \S+) default ([^;]+)": r"\1; update \2 set \3 = \4",
}
"""For PostgreSQL's types, quotes, strings where dates belong, and defaults of columns that are added."""


@pytest.fixture(scope="session")
def dbt_lake(own_spark: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
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
def profile_user() -> str:
    return getpass.getuser()


@pytest.fixture(scope="session", autouse=True)
def setup_in_sparks_words() -> Iterator[None]:
    """dbt's suite prepares its tables with SQL as PostgreSQL has it."""
    run = HeadraceAdapter.run_sql_for_tests

    def run_translated(adapter: HeadraceAdapter, sql: str, fetch: str, conn: Any) -> Any:
        if dropped := re.fullmatch(r"drop schema if exists (\w+) cascade", sql.strip()):
            adapter.drop_schema(adapter.Relation.create(adapter.config.credentials.database, dropped[1]))
            return None
        for postgres, spark in SPARKS_WORDS.items():
            sql = re.sub(postgres, spark, sql, flags=re.IGNORECASE)
        return run(adapter, sql, fetch, conn)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HeadraceAdapter, "run_sql_for_tests", run_translated)
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of dbt's own suite some classes are for every run; what dbt's commands and their libraries warn of is theirs."""
    functional = Path(__file__).parent / "functional"
    for item in items:
        if functional in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))
        is_of_suite = functional / "adapter" in item.path.parents
        if is_of_suite and getattr(item, "cls", None) and item.cls.__name__ not in ALWAYS:
            item.add_marker(pytest.mark.share(0.2, suite="dbt's own suite", whole_classes=True))
