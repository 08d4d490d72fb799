"""One process in three runs no test that uses Spark in the process itself: a parallel run inside this one."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

FIXTURES = """
import pytest

@pytest.fixture
def lake(own_spark): pass
"""
TEST = """
import os
from pathlib import Path

def test_one({fixture}):
    with Path({place!r}).open("a") as place:
        print({kind!r}, os.environ["PYTEST_XDIST_WORKER"], file=place)
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    pytester.makeconftest(FIXTURES)
    return pytester


def ran(suite: pytest.Pytester, **files: int) -> dict[str, set[str]]:
    """By which processes the tests of each kind were run."""
    place = suite.path / "ran"
    for kind, number in files.items():
        for at in range(number):
            fixture = "lake" if kind == "spark" else ""
            text = TEST.format(fixture=fixture, kind=kind, place=str(place))
            (suite.path / f"test_{at}_{kind}.py").write_text(text)
    result = suite.runpytest_subprocess(
        "-p", "tests.workers", "-n", "3", "--dist", "loadfile", "--no-loadscope-reorder"
    )
    result.assert_outcomes(passed=sum(files.values()))
    lines = [line.split() for line in place.read_text().splitlines()]
    return {kind: {worker for found, worker in lines if found == kind} for kind in files}


def test_files_in_spark_are_left_to_two_thirds(suite: pytest.Pytester) -> None:
    by_kind = ran(suite, spark=9, others=9)
    assert by_kind["spark"] <= {"gw0", "gw1"}
    assert "gw2" in by_kind["others"]


def test_all_take_part_where_there_is_nothing_else(suite: pytest.Pytester) -> None:
    assert ran(suite, spark=9) == {"spark": {"gw0", "gw1", "gw2"}}
