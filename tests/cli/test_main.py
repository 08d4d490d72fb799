from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import headrace as package
from headrace.cli import doctor
from headrace.cli import main as command
from headrace.cli.doctor import Check
from headrace.cli.output import OUTPUTS
from headrace.lake.directory import is_lake

Headrace = Callable[..., Result]


def test_version(headrace: Headrace) -> None:
    assert headrace("--version").stdout == f"headrace {package.__version__}\n"


def test_output_formats_of_the_option_are_those_there_are() -> None:
    assert tuple(sorted(OUTPUTS)) == command.OUTPUT_FORMATS


def test_init_makes_a_lake_and_says_how_to_go_on(headrace: Headrace, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    ran = headrace("init", str(lake))
    assert ran.exit_code == 0
    assert is_lake(lake)
    assert f"sql --lake {lake}" in ran.stdout
    again = headrace("init", str(lake))
    assert (again.exit_code, again.stderr) == (1, f"error: {lake} is already a lake\n")


def test_doctor_shows_a_remedy_for_what_fails(headrace: Headrace, monkeypatch: pytest.MonkeyPatch) -> None:
    findings = [Check("Java", True, "17"), Check("Disk", False, "0.1 GB free", "free 1 GB")]
    monkeypatch.setattr(doctor, "diagnose", lambda lake: findings)
    ran = headrace("doctor")
    assert ran.exit_code == 1
    assert ran.stdout == "ok    Java: 17\nFAIL  Disk: 0.1 GB free\n      free 1 GB\n"
    findings.pop()
    assert headrace("doctor").exit_code == 0


def test_doctor_looks_at_the_lake_it_is_given(
    headrace: Headrace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[Path] = []
    monkeypatch.setattr(doctor, "diagnose", lambda lake: seen.append(lake) or [])
    headrace("doctor")
    headrace("doctor", "--lake", str(tmp_path))
    headrace("doctor", env={"HEADRACE_LAKE": "elsewhere"})
    assert seen == [Path("lake"), tmp_path, Path("elsewhere")]
