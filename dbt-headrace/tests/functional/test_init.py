"""dbt init: what it asks, what it writes, and that its starter project runs."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import headrace
from dbt_commands import Project
from headrace.connection import Connection
from headrace.lake.directory import make_lake


def profile(project: Project) -> dict[str, object]:
    written = yaml.safe_load(project.read("profiles.yml"))["shop"]
    assert written["target"] == "dev"
    target: dict[str, object] = written["outputs"]["dev"]
    return target


def test_a_lake(
    dbt_lake: Connection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_lake(tmp_path / "lake")
    project = Project.init(tmp_path / "shop", ["1", "../lake", "", "dbt_ann", "", "2"], monkeypatch)
    asked = capsys.readouterr().out
    for name in ("lake", "workspace", "schema", "vcluster", "threads"):
        assert f"{name} (" in asked
    assert profile(project) == {
        "type": "headrace",
        "lake": "../lake",
        "workspace": "lake",
        "schema": "dbt_ann",
        "vcluster": "default",
        "threads": 2,
    }
    assert project.dbt("debug").succeeded
    built = project.dbt("run")
    assert built.statuses == {"my_first_dbt_model": "success", "my_second_dbt_model": "success"}
    with headrace.connect(tmp_path / "lake") as lake:
        assert lake.sql("SELECT id FROM dbt_ann.my_second_dbt_model").fetchall() == [(1,)]


def test_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click.termui.hidden_prompt_func", lambda prompt: "a-token")
    answers = ["2", "http://lake.example.com:8642", "", "", "", ""]
    project = Project.init(tmp_path / "shop", answers, monkeypatch)
    assert profile(project) == {
        "type": "headrace",
        "url": "http://lake.example.com:8642",
        "token": "a-token",
        "workspace": "lake",
        "schema": "dbt_dev",
        "vcluster": "default",
        "threads": 4,
    }
