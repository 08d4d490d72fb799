"""What docs/dbt.md shows is what happens."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

import headrace
from dbt_commands import Project
from headrace.cli.main import cli
from headrace.connection import Connection

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "dbt.md"
DEFAULT_ANSWERS = {
    "Desired connection option": "1",
    "lake (": "",
    "workspace (": "",
    "schema (": "",
    "vcluster (": "",
    "threads (": "",
}


def blocks() -> Iterator[tuple[str, str]]:
    yield from re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def file_named(text: str) -> str | None:
    found = re.match(r"(?:--|#) (\S+\.(?:sql|yml))\n", text)
    return found[1] if found else None


def test_the_page(dbt_lake: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran: list[str] = []
    project: Project | None = None
    for language, text in blocks():
        if language == "console":
            for line in text.splitlines():
                words = shlex.split(line.removeprefix("$ "))
                ran.append(words[0])
                if words[:2] == ["headrace", "init"]:
                    assert CliRunner().invoke(cli, words[1:]).exit_code == 0
                elif words[:2] == ["dbt", "init"]:
                    project = Project.init(tmp_path / words[2], DEFAULT_ANSWERS)
                    monkeypatch.chdir(project.directory)
                elif words[0] == "dbt":
                    assert project is not None
                    outcome = project.dbt(*words[1:])
                    assert outcome.succeeded, f"{line}: {outcome.said} {outcome.result.exception}"
        elif (name := file_named(text)) is not None:
            assert project is not None
            if name == "profiles.yml":
                assert yaml.safe_load(project.read(name)) == yaml.safe_load(text)
            project.write(name, text)
        else:
            with headrace.connect(tmp_path / "lake") as lake:
                lake.sql(text)
    assert ran == ["pip", "headrace", *["dbt"] * (len(ran) - 2)]
    with headrace.connect(tmp_path / "lake") as lake:
        rows = lake.sql("SELECT product_id, sum_price FROM dbt_dev.product_grossing ORDER BY 1").fetchall()
    assert [(product, float(price)) for product, price in rows] == [("p1", 10.0), ("p2", 4.0)]


def test_the_profile_is_one(tmp_path: Path) -> None:
    (profile,) = [text for _, text in blocks() if file_named(text) == "profiles.yml"]
    outputs = yaml.safe_load(profile)["shop"]["outputs"]
    assert list(outputs) == ["dev", "prod"]


def test_every_setting_is_on_the_page() -> None:
    from dbt.adapters.headrace.impl import HeadraceAdapter, HeadraceConfig

    page = PAGE.read_text()
    settings = [name for name in HeadraceConfig.__dataclass_fields__ if not name.startswith("_")]
    assert [name for name in settings if f"`{name}`" not in page] == []
    assert [s for s in HeadraceAdapter.valid_incremental_strategies(None) if f"`{s}`" not in page] == []  # type: ignore[arg-type]
