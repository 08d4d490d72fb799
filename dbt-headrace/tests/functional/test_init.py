"""dbt init, started as a user starts it: what it asks, what it writes, and that its starter project runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

import headrace
from dbt_commands import DBT, Project
from headrace.connection import Connection
from headrace.lake.directory import make_lake


def written_targets(project: Project) -> dict[str, object]:
    written = yaml.safe_load(project.read("profiles.yml"))["shop"]
    assert written["target"] == "dev"
    targets: dict[str, object] = written["outputs"]
    return targets


def test_dbt_lists_the_adapter(adapter_environment: Path, tmp_path: Path) -> None:
    """As make installs it, and as pip does."""
    for dbt in (DBT, adapter_environment / "bin" / "dbt"):
        listed = subprocess.run([dbt, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert "- headrace: 0.1.0" in listed.stdout


def test_a_lake(dbt_lake: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_lake(tmp_path / "lake")
    answers = {
        "Desired connection option": "1",
        "lake (": "../lake",
        "workspace (": "",
        "schema (": "dbt_ann",
        "vcluster (": "",
        "threads (": "2",
    }
    project = Project.init(tmp_path / "shop", answers)
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
    monkeypatch.chdir(project.directory)
    for target, schema in (("dev", "dbt_ann"), ("prod", "dbt_prod")):
        assert project.dbt("debug", "--target", target).succeeded
        built = project.dbt("run", "--target", target)
        assert built.statuses == {"my_first_dbt_model": "success", "my_second_dbt_model": "success"}
        with headrace.connect(tmp_path / "lake") as lake:
            assert lake.sql(f"SELECT id FROM {schema}.my_second_dbt_model").fetchall() == [(1,)]


def test_a_server(adapter_environment: Path, tmp_path: Path) -> None:
    """With the adapter as pip installs it; the test of a lake has it as make does."""
    answers = {
        "Desired connection option": "2",
        "url (": "http://lake.example.com:8642",
        "token (": "a-token",
        "workspace (": "",
        "schema (": "",
        "vcluster (": "",
        "threads (": "",
    }
    project = Project.init(tmp_path / "shop", answers, adapter_environment / "bin" / "dbt")
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
