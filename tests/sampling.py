"""The seed of a run, and the share of each marked suite that the run takes. See docs/testing.md.

Every process of a run collects the same tests: the first one draws the seed, its xdist workers are given it.
"""

from __future__ import annotations

import math
import os
import secrets
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings

VARIABLE = "HEADRACE_SEED"
LARGEST = 1_000_000
KEPT_SEEDS = Path(__file__).with_name("kept_seeds.toml")


def run_seed() -> int:
    """In the environment, so that the processes which a run starts know it, too."""
    return int(os.environ.setdefault(VARIABLE, str(secrets.randbelow(LARGEST))))


def run_random(suite: str) -> Random:
    """Random choices of a suite: other ones in every run, the same in all processes of one run."""
    return Random(f"{run_seed()} {suite}")


def kept_seeds(suite: str) -> list[int]:
    """Seeds that once failed; they are part of every run."""
    kept = tomllib.loads(KEPT_SEEDS.read_text()).get(suite, {})
    return [int(seed) for seed in kept]


def fresh_seeds(suite: str, number: int, share: float = 1.0) -> list[object]:
    """Parameters of a test: the suite's kept seeds, and ``number`` new ones, of which a run takes a share."""
    drawn = run_random(suite).sample(range(LARGEST), number)
    return [*kept_seeds(suite), *(_shared(seed, share) for seed in drawn)]


def fresh_batches(suite: str, number: int, size: int, share: float = 1.0) -> list[object]:
    """The same, where a test takes ``size`` seeds that follow each other."""
    first = run_random(suite).sample(range(LARGEST), number)
    kept = [pytest.param(range(seed, seed + 1), id=str(seed)) for seed in kept_seeds(suite)]
    return [*kept, *(_shared(range(seed, seed + size), share) for seed in first)]


def _shared(seeds: int | range, share: float) -> object:
    name = str(seeds) if isinstance(seeds, int) else f"{seeds.start}-{seeds.stop - 1}"
    return pytest.param(seeds, marks=() if share == 1 else pytest.mark.share(share), id=name)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-shares", action="store_true", help="run all tests of suites that are sampled")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    seed = run_seed()
    settings.register_profile("headrace", derandomize=False, database=None, deadline=None, print_blob=True)
    settings.load_profile("headrace")
    if getattr(config.option, "hypothesis_seed", "") is None:
        config.option.hypothesis_seed = str(seed)


def pytest_sessionstart(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and not hasattr(session.config, "workerinput"):
        reporter.write_line(f"{VARIABLE}={run_seed()} repeats the random choices of this run")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Who names a test by ``file::test`` gets all of it."""
    if config.option.all_shares or any("::" in argument for argument in config.args):
        return
    left_out = set(_left_out(items))
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def _left_out(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    suites: dict[tuple[str, float], dict[str, list[pytest.Item]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        if (mark := item.get_closest_marker("share")) is not None:
            share, suite, unit = _place(item, *mark.args, **mark.kwargs)
            suites[suite, share][unit].append(item)
    for (suite, share), units in suites.items():
        taken = math.ceil(len(units) * share)
        for unit in run_random(f"{suite} {share}").sample(sorted(units), len(units) - taken):
            yield from units[unit]


def _place(
    item: pytest.Item, share: float, suite: str = "", whole_classes: bool = False
) -> tuple[float, str, str]:
    """The share, the suite, and what is taken or left out as one."""
    unit = item.nodeid.rpartition("::")[0] if whole_classes else item.nodeid
    return share, suite or item.nodeid.split("::")[0], unit


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if report.failed:  # type: ignore[attr-defined]
        again = f"{VARIABLE}={run_seed()} .venv/bin/python -m pytest '{item.nodeid}'"
        report.sections.append(("To repeat it", again))  # type: ignore[attr-defined]
    return report
