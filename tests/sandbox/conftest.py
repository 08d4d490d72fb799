"""A lake as the process of a virtual cluster has it open, on the Spark that all tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from headrace.commands.execute import execute
from headrace.commands.open_lake import OpenLake
from headrace.commands.statement_context import StatementContext
from headrace.lake.directory import make_lake, open_directory
from headrace.lake.session import LakeSession, Parameters
from headrace.lake.spark.sandbox import sandbox_of
from headrace.model.clock import system_clock
from headrace.sql.parsed import ParsedStatement

CONTENT = "the canary sings"


@dataclass
class Served:
    lake: OpenLake
    session: LakeSession
    outside: Path
    """A directory that nothing may be read from or written to."""

    @property
    def canary(self) -> Path:
        return self.outside / "canary.txt"

    def run(self, text: str, parameters: Parameters | None = None, user: str = "somebody") -> Any:
        return execute(
            ParsedStatement(text), parameters, StatementContext(self.lake, self.session, user)
        ).fetchall()


def serve(path: Path, settings: str = "") -> OpenLake:
    make_lake(path)
    with (path / "lake.toml").open("a") as file:
        file.write(settings)
    directory = open_directory(path)
    return OpenLake(directory, system_clock, lambda _: None, None, sandbox_of(directory))


@pytest.fixture(scope="session")
def served(own_spark: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = tmp_path_factory.mktemp("sandbox")
    outside = root / "outside"
    outside.mkdir()
    lake = serve(root / "lake")
    made = Served(lake, lake.new_session(), outside)
    made.canary.write_text(CONTENT)
    made.run("CREATE TABLE known (id INT, name STRING)")
    made.run("INSERT INTO known VALUES (1, 'a'), (2, 'b')")
    yield made
    lake.close()


@pytest.fixture
def open_served(own_spark: None, tmp_path: Path) -> Iterator[Callable[[str], Served]]:
    """Lakes of the test's own, with settings."""
    opened: list[OpenLake] = []

    def open_lake(settings: str = "") -> Served:
        outside = tmp_path / "outside"
        outside.mkdir(exist_ok=True)
        (outside / "canary.txt").write_text(CONTENT)
        opened.append(serve(tmp_path / f"lake{len(opened)}", settings))
        return Served(opened[-1], opened[-1].new_session(), outside)

    yield open_lake
    for lake in opened:
        lake.close()
