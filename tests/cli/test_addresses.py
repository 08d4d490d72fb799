from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import headrace as package
from headrace.cli import main as command
from headrace.errors import InterfaceError, LakeError
from headrace.lake.directory import make_lake

Headrace = Callable[..., Result]


@pytest.fixture
def in_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("option", [["--url", "localhost:8642"], ["--lake", "localhost:8642"]])
@pytest.mark.parametrize("arguments", [["sql", "-e", "SELECT gmv"], ["sample", "events"], ["history"]])
def test_an_address_never_becomes_a_directory(
    arguments: list[str], option: list[str], headrace: Headrace, in_directory: Path
) -> None:
    ran = headrace(*arguments, *option)
    assert ran.exit_code == 2
    assert "write http://localhost:8642" in ran.stderr
    assert list(in_directory.iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [["init", "host:8642"], ["demo", "host:8642"], ["serve", "--lake", "h:1"]]
)
def test_no_command_makes_a_lake_of_that_name(
    arguments: list[str], headrace: Headrace, in_directory: Path
) -> None:
    assert headrace(*arguments).exit_code == 2
    assert list(in_directory.iterdir()) == []


def test_a_server_is_not_a_lake(headrace: Headrace, in_directory: Path) -> None:
    ran = headrace("sql", "--lake", "http://localhost:8642", "-e", "SELECT gmv")
    assert ran.exit_code == 2
    assert "hint: use --url http://localhost:8642" in ran.stderr
    assert list(in_directory.iterdir()) == []


@pytest.mark.parametrize("address", ["localhost:8642", "htp://localhost:8642"])
def test_connect_makes_no_lake_of_an_address(address: str, in_directory: Path) -> None:
    with pytest.raises(InterfaceError, match="write http://localhost:8642"):
        package.connect(address)
    assert list(in_directory.iterdir()) == []


def test_connect_can_be_forbidden_to_make_a_lake(tmp_path: Path) -> None:
    with pytest.raises(LakeError, match="is not a lake"):
        package.connect(tmp_path / "lake", create=False)
    assert list(tmp_path.iterdir()) == []


def run_without_spark(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Result:
    """The command up to where Spark would start."""

    def no_spark(*_: object, **__: object) -> None:
        raise LakeError("Spark would start here")

    monkeypatch.setattr(package, "connect", no_spark)
    return CliRunner().invoke(command.cli, arguments, prog_name="headrace")


def test_a_new_lake_is_announced_on_stderr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = tmp_path / "lake"
    ran = run_without_spark(monkeypatch, "sql", "--lake", str(lake), "-e", "SELECT 1")
    assert ran.stderr == f"{lake} is not a lake: creating one\nerror: Spark would start here\n"
    make_lake(lake)
    ran = run_without_spark(monkeypatch, "sql", "--lake", str(lake), "-e", "SELECT 1")
    assert ran.stderr == "error: Spark would start here\n"


def test_no_create(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = tmp_path / "lake"
    ran = run_without_spark(monkeypatch, "sql", "--no-create", "--lake", str(lake), "-e", "SELECT 1")
    assert (ran.exit_code, ran.stderr) == (
        1,
        f"error: {lake} is not a lake\nhint: create one with headrace init {lake}\n",
    )
    assert not lake.exists()
