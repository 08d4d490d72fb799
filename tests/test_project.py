"""What people expect of a project: that it says truly what it runs on, how it is changed and why it is so."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from trove_classifiers import classifiers as known_classifiers

import headrace
from headrace.install.java import SUPPORTED

from .distributions import PROJECTS, ROOT, declaration

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
RECORDS = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
PYTHON = "Programming Language :: Python :: 3."


def matrix() -> dict[str, list[str]]:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    job: dict[str, Any] = workflow["jobs"]["run"]
    assert job["steps"][-1]["run"] == ".ci/run"
    versions: dict[str, list[str]] = job["strategy"]["matrix"]
    return versions


def declared_pythons(project: str) -> list[str]:
    listed: Any = declaration(project)["classifiers"]
    return [f"3.{line.removeprefix(PYTHON)}" for line in listed if line.startswith(PYTHON)]


@pytest.mark.parametrize("project", PROJECTS)
def test_declared_pythons_are_those_that_are_tested(project: str) -> None:
    wanted = SpecifierSet(str(declaration(project)["requires-python"]))
    assert declared_pythons(project) == [version for version in matrix()["python"] if version in wanted]


def test_the_engine_is_tested_on_every_java_that_it_takes() -> None:
    assert matrix()["java"] == [str(version) for version in SUPPORTED]


@pytest.mark.parametrize("project", PROJECTS)
def test_what_a_registry_shows(project: str) -> None:
    declared: Any = declaration(project)
    assert set(declared["classifiers"]) <= known_classifiers
    assert {"Homepage", "Documentation", "Changelog", "Issues"} == set(declared["urls"])
    assert (declared["license"], declared["license-files"]) == ("Apache-2.0", ["LICENSE"])


def test_the_changelog_has_the_version() -> None:
    versions = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert versions[:2] == ["Unreleased", headrace.__version__]


@pytest.mark.parametrize(
    "named", sorted(set(re.findall(r"`((?:src|tests|docs|scripts)/[^` ]+)`", CONTRIBUTING)))
)
def test_files_that_contributors_are_sent_to_exist(named: str) -> None:
    assert (ROOT / named).exists()


def test_code_that_contributors_are_shown_is_the_code() -> None:
    blocks = re.findall(r"^ *```python\n(.*?)^ *```$", CONTRIBUTING, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        first, code = textwrap.dedent(block).split("\n", 1)
        assert code in (ROOT / first.removeprefix("# ")).read_text()


def test_every_decision_is_listed() -> None:
    index = (ROOT / "docs" / "decisions" / "README.md").read_text()
    assert re.findall(r"\]\((0.+?)\)", index) == [record.name for record in RECORDS]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.stem)
def test_a_record_has_its_parts(record: Path) -> None:
    text = record.read_text()
    parts = re.findall(r"^(?:# \d+\. |\*\*(\w+)\.\*\*)", text, re.MULTILINE)
    assert parts == ["", "Context", "Decision", "Measured", "Consequences"]
    assert len(text.splitlines()) <= 40
