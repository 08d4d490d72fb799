"""A lake in a PostgreSQL, reached by its directory or by the database alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from headrace.catalog.warehouse import find_warehouse
from headrace.cli.doctor import of_lake
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
    with pytest.raises(LakeError, match="this database does not contain a lake"):
        reach(url, {"XDG_STATE_HOME": str(tmp_path)})
    assert find_warehouse(url) is None
    assert not list(tmp_path.iterdir())


def test_one_warehouse_to_a_lake(url: str, tmp_path: Path) -> None:
    open_store(make_lake(tmp_path / "first", url, "/the/warehouse")).close()
    with pytest.raises(LakeError, match="are in /the/warehouse, not in /another") as caught:
        open_store(make_lake(tmp_path / "second", url, "/another"))
    assert "lake.toml" in (caught.value.hint or "")


def test_the_command_line(url: str) -> None:
    ran = CliRunner().invoke(cli, ["serve", "--lake", url])
    assert ran.exit_code == 2
    assert "this database does not contain a lake" in ran.output
    assert "Traceback" not in ran.output


class TestInit:
    def test_checks_what_it_was_given(self, url: str, tmp_path: Path) -> None:
        warehouse = tmp_path / "a" / "warehouse"
        ran = init(tmp_path / "lake", url, str(warehouse))
        assert ran.exit_code == 0, ran.output
        assert sorted(each.name for each in tmp_path.iterdir()) == ["lake"]

    def test_a_database_out_of_reach(self, url: str, tmp_path: Path) -> None:
        ran = init(tmp_path / "lake", "postgresql://127.0.0.1:1/lake", str(tmp_path / "warehouse"))
        assert ran.exit_code == 1
        assert "created a lake" not in ran.output
        ran = init(tmp_path / "lake", "localhost:5432/lake", str(tmp_path / "warehouse"))
        assert ran.exit_code == 1
        assert list(tmp_path.iterdir()) == []

    def test_a_warehouse_that_cannot_be_written(self, url: str, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        ran = init(tmp_path / "lake", url, str(tmp_path / "file" / "warehouse"))
        assert ran.exit_code == 1
        assert f"the warehouse {tmp_path}/file/warehouse cannot be written to" in ran.output
        assert [each.name for each in tmp_path.iterdir()] == ["file"]

    def test_another_warehouse_than_the_lake_has(self, url: str, tmp_path: Path) -> None:
        open_store(make_lake(tmp_path / "first", url, str(tmp_path / "warehouse"))).close()
        ran = init(tmp_path / "second", url, str(tmp_path / "another"))
        assert ran.exit_code == 1
        assert f"use --warehouse {tmp_path}/warehouse" in ran.output
        assert sorted(each.name for each in tmp_path.iterdir()) == ["first"]


def init(path: Path, database: str, warehouse: str) -> Result:
    return CliRunner().invoke(cli, ["init", str(path), "--database", database, "--warehouse", warehouse])


def test_doctor_looks_at_the_database(url: str, tmp_path: Path) -> None:
    lake = make_lake(tmp_path / "lake", url, str(tmp_path / "warehouse"))
    database, warehouse, catalog = of_lake(lake.path)
    assert (database.name, database.ok) == ("Database", True)
    assert "the next opening applies" in database.detail
    assert (warehouse.name, warehouse.ok) == ("Warehouse", True)
    assert (catalog.name, catalog.ok) == ("Catalog", True)
    open_store(lake).close()
    assert of_lake(lake.path)[0].detail.endswith("(up to date)")
    gone = make_lake(tmp_path / "gone", "postgresql://127.0.0.1:1/lake", "/proc/warehouse")
    database, warehouse = of_lake(gone.path)
    assert not database.ok
    assert not warehouse.ok
