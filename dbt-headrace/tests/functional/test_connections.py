"""A lake's directory or a server, and what dbt debug says where it cannot be reached."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.served import Served

import headrace
from dbt_commands import Project
from headrace.connection import Connection
from headrace.lake.directory import make_lake


def debugged(tmp_path: Path, **target: Any) -> str:
    project = Project(tmp_path / "shop", dev={"type": "headrace", "schema": "s", "threads": 1, **target})
    outcome = project.dbt("debug")
    assert not outcome.succeeded
    return outcome.said


def test_no_lake_there(tmp_path: Path) -> None:
    said = debugged(tmp_path, lake=str(tmp_path / "nowhere"))
    assert f"{tmp_path / 'nowhere'} is not a lake" in said
    assert f"hint: create one with headrace init {tmp_path / 'nowhere'}" in said
    assert not (tmp_path / "nowhere").exists()


def test_something_else_there(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "notes.txt").touch()
    assert "is neither a lake nor empty: it contains notes.txt" in debugged(
        tmp_path, lake=str(tmp_path / "files")
    )


def test_a_lake_without_the_engine(adapter_environment: Path, tmp_path: Path) -> None:
    make_lake(tmp_path / "lake")
    project = Project(tmp_path / "shop", dev={"type": "headrace", "schema": "s", "lake": "../lake"})
    command = [adapter_environment / "bin" / "dbt", "debug"]
    answer = subprocess.run(command, cwd=project.directory, capture_output=True, text=True, check=False)
    assert answer.returncode != 0
    assert "this requires the engine, but only headrace-client is installed" in answer.stdout
    assert "pip install headrace" in answer.stdout


def test_no_server_there(tmp_path: Path) -> None:
    said = debugged(tmp_path, url="http://127.0.0.1:9")
    assert "http://127.0.0.1:9" in said
    assert "cannot be reached" in said or "no server" in said


def test_neither_lake_nor_server(tmp_path: Path) -> None:
    assert "specify either lake, a directory, or url, the address of a server" in debugged(tmp_path)


def test_a_lake_that_another_process_has_open(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    make_lake(lake)
    holder = (
        "import sys; from pathlib import Path; from headrace.lake.directory import LakeLock, open_directory; "
        "held = LakeLock(open_directory(Path(sys.argv[1]))); print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", holder, str(lake)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "held\n"
        said = debugged(tmp_path, lake=str(lake))
        process.communicate()
    assert "open" in said and str(process.pid) in said


def test_names_that_are_not_there(dbt_lake: Connection, tmp_path: Path) -> None:
    path = str(dbt_lake.lake_path)  # type: ignore[attr-defined]
    assert "nowhere" in debugged(tmp_path / "a", lake=path, workspace="nowhere")
    assert "vcluster" in debugged(tmp_path / "b", lake=path, vcluster="nosuch").lower()


def test_threads_share_the_lake(shop: Project, lake: Connection) -> None:
    for number in range(6):
        shop.write(f"models/t{number}.sql", f"{{{{ config(materialized='table') }}}} select {number} as n")
    shop.write(
        "models/total.sql", "\nunion all\n".join(f"select n from {{{{ ref('t{n}') }}}}" for n in range(6))
    )
    assert shop.dbt("run", "--threads", "6").succeeded
    assert lake.sql("SELECT sum(n) FROM total").fetchall() == [(15,)]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """On all addresses, so that it wants a token."""
    lake = tmp_path_factory.mktemp("served") / "lake"
    make_lake(lake)
    server = Served(lake, "--host", "0.0.0.0")  # noqa: S104
    try:
        yield server
    finally:
        server.stop()
        server.close()


@pytest.fixture(scope="module")
def token(served: Served, tmp_path_factory: pytest.TempPathFactory) -> str:
    lake = served.process.args[3]  # type: ignore[index]
    command = [str(Path(sys.executable).with_name("headrace")), "token", "create", "ann", "--lake", str(lake)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return next(word for word in said.split() if len(word) > 20)


def test_a_token_that_the_server_does_not_know(served: Served, tmp_path: Path) -> None:
    said = debugged(tmp_path, url=served.url, token="wrong-token-of-some-length")
    assert "token" in said
    assert "wrong-token-of-some-length" not in said


def test_through_a_server(served: Served, token: str, adapter_environment: Path, tmp_path: Path) -> None:
    target = {
        "type": "headrace",
        "url": served.url,
        "token": token,
        "schema": "dbt_dev",
        "vcluster": "default",
    }
    project = Project(tmp_path / "shop", dev={**target, "threads": 4})
    debugged = project.dbt("debug")
    assert debugged.succeeded, debugged.said
    assert token not in debugged.said
    without_spark = [adapter_environment / "bin" / "dbt", "debug"]
    subprocess.run(without_spark, cwd=project.directory, capture_output=True, check=True)
    project.write("seeds/fruit.csv", "id,name\n1,apple\n2,pear\n")
    for number in range(4):
        project.write(
            f"models/t{number}.sql",
            "{{ config(materialized='table') }} select * from {{ ref('fruit') }} where id > " + str(number),
        )
    project.write(
        "models/counted.sql",
        "{{ config(materialized='dynamic_table', refresh_interval='1 minute', refresh_vc='default') }}"
        " select name, count(*) as n from {{ ref('t0') }} group by name",
    )
    built = project.dbt("build")
    assert built.succeeded, built.said
    assert project.dbt("docs", "generate").succeeded
    log = "".join(path.read_text() for path in (project.directory / "logs").iterdir())
    assert token not in log
    with headrace.connect(served.url, token=token) as lake:
        assert sorted(lake.sql("SELECT * FROM dbt_dev.counted").fetchall()) == [("apple", 1), ("pear", 1)]
        ((creator,),) = lake.sql(
            "SELECT creator FROM information_schema.tables WHERE table_name = 'counted'"
        ).fetchall()
        assert creator == "ann"
    failed = Project(tmp_path / "other", dev={**target, "vcluster": "nosuch", "threads": 1}).dbt("debug")
    assert "nosuch" in failed.said
