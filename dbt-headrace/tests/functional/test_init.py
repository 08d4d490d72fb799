"""dbt init: what it asks, what it writes, and that its starter project runs."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import headrace
from dbt_commands import Project
from headrace.connection import Connection
from headrace.lake.directory import make_lake


def written_targets(project: Project) -> dict[str, object]:
    written = yaml.safe_load(project.read("profiles.yml"))["shop"]
    assert written["target"] == "dev"
    targets: dict[str, object] = written["outputs"]
    return targets


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
    answered = {
        "type": "headrace",
        "lake": "../lake",
        "workspace": "lake",
        "vcluster": "default",
        "threads": 2,
    }
    assert written_targets(project) == {
        "dev": {**answered, "schema": "dbt_ann"},
        "prod": {**answered, "schema": "dbt_prod"},
    }
    for target, schema in (("dev", "dbt_ann"), ("prod", "dbt_prod")):
        assert project.dbt("debug", "--target", target).succeeded
        built = project.dbt("run", "--target", target)
        assert built.statuses == {"my_first_dbt_model": "success", "my_second_dbt_model": "success"}
        with headrace.connect(tmp_path / "lake") as lake:
            assert lake.sql(f"SELECT id FROM {schema}.my_second_dbt_model").fetchall() == [(1,)]


def test_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click.termui.hidden_prompt_func", lambda prompt: "a-token")
    answers = ["2", "http://lake.example.com:8642", "", "", "", ""]
    project = Project.init(tmp_path / "shop", answers, monkeypatch)
    answered = {
        "type": "headrace",
        "url": "http://lake.example.com:8642",
        "token": "a-token",
        "workspace": "lake",
        "vcluster": "default",
        "threads": 4,
    }
    assert written_targets(project) == {
        "dev": {**answered, "schema": "dbt_dev"},
        "prod": {**answered, "schema": "dbt_prod"},
    }
