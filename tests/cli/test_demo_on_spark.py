from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def run_demo(lake: Path) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "headrace", "demo", str(lake)],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "starting Spark\n")
    return ran.stdout


def leaders(shown: str) -> list[str]:
    """Category, GMV and average price of the first row of each leaderboard."""
    rows = [line.split("|") for line in shown.splitlines() if line.startswith("| 1  ")]
    return [" ".join(row[index].strip() for index in (2, 3, 5, 6)) for row in rows]


def assert_as_told(shown: str) -> None:
    assert leaders(shown) == ["Sports & Outdoors 4 1570.00 196.25", "Electronics 5 1841.00 231.00"]
    assert (shown.count("| SUCCEED | FULL"), shown.count("| SUCCEED | INCREMENTAL")) == (3, 3)


def test_the_demo_on_spark(tmp_path: Path) -> None:
    shown = run_demo(tmp_path / "demo lake")
    assert_as_told(shown)
    assert "headrace sql --lake '" in shown


@pytest.mark.share(0.2, suite="single tests")
def test_once_more(tmp_path: Path) -> None:
    run_demo(tmp_path / "demo lake")
    again = run_demo(tmp_path / "demo lake")
    assert_as_told(again)
    assert "Start over" in again
