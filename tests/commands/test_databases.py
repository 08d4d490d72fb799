"""A lake in a PostgreSQL, reached by its directory or by the database alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from headrace.catalog import find_warehouse
from headrace.cli.main import cli
from headrace.commands.databases import open_store, reach
from headrace.errors import LakeError
from headrace.lake.directory import find_lake, make_lake
from tests.postgres import Postgres, running_postgres


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with running_postgres() as postgres:
        yield postgres


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.url_of(postgres.empty_database())


def test_by_the_database_alone(url: str, tmp_path: Path) -> None:
    here = {"XDG_STATE_HOME": str(tmp_path / "state")}
    open_store(make_lake(tmp_path / "first", url, "/the/warehouse")).close()
    path = reach(url, here)
    lake = find_lake(path)
    assert lake is not None
    assert (lake.database, lake.warehouse) == (url, "/the/warehouse")
    assert reach(url, here) == path
    assert (path / "lake.toml").stat().st_mode & 0o077 == 0


def test_a_database_without_a_lake_is_left_alone(url: str, tmp_path: Path) -> None:
    assert find_warehouse(url) is None
    with pytest.raises(LakeError, match="there is no lake in this database"):
        reach(url, {"XDG_STATE_HOME": str(tmp_path)})
    assert find_warehouse(url) is None
    assert not list(tmp_path.iterdir())


def test_one_warehouse_to_a_lake(url: str, tmp_path: Path) -> None:
    open_store(make_lake(tmp_path / "first", url, "/the/warehouse")).close()
    with pytest.raises(LakeError, match="has its tables in /the/warehouse, and not in /another") as caught:
        open_store(make_lake(tmp_path / "second", url, "/another"))
    assert "lake.toml" in (caught.value.hint or "")


def test_the_command_line(url: str) -> None:
    ran = CliRunner().invoke(cli, ["serve", "--lake", url])
    assert ran.exit_code == 2
    assert "there is no lake in this database" in ran.output
    assert "Traceback" not in ran.output
