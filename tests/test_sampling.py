"""Which tests a run takes, and how it is repeated: runs of pytest inside this one, without Spark."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.sampling import VARIABLE, kept_seeds

pytest_plugins = ["pytester"]

PLUGINS = ("-p", "tests.sampling", "-p", "no:hypothesispytest")
"""What Hypothesis is set to is of the process, and these runs are of this one."""

SUITE = """
import pytest
from tests.sampling import fresh_seeds

@pytest.mark.parametrize("seed", fresh_seeds("example", 10, share=0.2))
def test_random(seed): pass

@pytest.mark.share(0.3)
@pytest.mark.parametrize("moment", range(10))
def test_crash(moment): pass

def test_always(): pass

class TestOne:
    def test_a(self): pass
    def test_b(self): pass

@pytest.mark.share(0.1, suite="single tests")
def test_long(): pass
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    pytester.makeini("[pytest]\nmarkers = share")
    pytester.makepyfile(SUITE)
    return pytester


def collected(suite: pytest.Pytester, *arguments: str) -> list[str]:
    listed = suite.runpytest_inprocess(*PLUGINS, "--collect-only", "-q", *arguments)
    return [line for line in listed.outlines if "::" in line]


def test_a_run_takes_a_share_of_each_suite(suite: pytest.Pytester) -> None:
    taken = Counter(re.split(r"::|\[", name)[1] for name in collected(suite))
    assert taken == {"test_random": 2, "test_crash": 3, "test_always": 1, "TestOne": 2, "test_long": 1}


def test_all_of_them(suite: pytest.Pytester) -> None:
    assert len(collected(suite, "--all-shares")) == 24


def test_who_names_a_test_gets_all_of_it(suite: pytest.Pytester) -> None:
    (file,) = suite.path.glob("test_*.py")
    assert len(collected(suite, f"{file.name}::test_crash")) == 10


def test_another_run_takes_others_unless_it_is_given_the_seed(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = set()
    for _ in range(3):
        drawn.add(tuple(collected(suite)))
        monkeypatch.delenv(VARIABLE)
    assert len(drawn) > 1
    monkeypatch.setenv(VARIABLE, "12345")
    assert collected(suite) == collected(suite)


def test_the_seed_is_printed_and_stands_beside_a_failure(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.makepyfile("def test_fails(): assert False")
    monkeypatch.setenv(VARIABLE, "12345")
    printed = suite.runpytest_inprocess(*PLUGINS, "-q").outlines
    assert printed[0] == "HEADRACE_SEED=12345 repeats the random choices of this run"
    assert any(line.startswith("HEADRACE_SEED=12345 ") and "::test_fails" in line for line in printed[1:])


def test_processes_of_one_run_take_the_same(suite: pytest.Pytester) -> None:
    outcome = suite.runpytest_subprocess("-p", "tests.sampling", "-q", "--numprocesses", "2")
    outcome.assert_outcomes(passed=9)


def test_property_tests_follow_the_seed(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.makepyfile(
        """
        from hypothesis import given, settings, strategies as st

        @settings(max_examples=20)
        @given(st.integers())
        def test_prints(n): print("drawn", n)
        """
    )

    def drawn(seed: str) -> list[str]:
        monkeypatch.setenv(VARIABLE, seed)
        printed = suite.runpytest_subprocess("-p", "tests.sampling", "-s").outlines
        return [line for line in printed if "drawn" in line]

    assert drawn("1") == drawn("1") != drawn("2")


def test_kept_seeds_are_numbers() -> None:
    assert kept_seeds("no such suite") == []
