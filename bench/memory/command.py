"""``python -m bench memory``: changes and results larger than the heap, with a heap of 1 GB.

Each scenario has a lake of its own. It fails if a statement does, or the process of Spark ends, or a dynamic
table is not exact afterwards.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import headrace
from bench.heap import HEAP, make_lake_with_heap
from bench.measures import seconds
from bench.memory.scenarios import SCENARIOS, Scenario
from bench.results import save
from headrace.connection import Connection
from headrace.errors import Error
from headrace.model.text_table import text_table

MEGABYTE = 2**20


@dataclass(frozen=True)
class Outcome:
    scenario: str
    seconds: float
    heap_mb: float
    """The most that a heap of this size had in its old generation."""
    problem: str = ""


def memory(arguments: Sequence[str]) -> int:
    """0 if all scenarios succeed, else 1."""
    options = _options().parse_args(arguments)
    with tempfile.TemporaryDirectory() as directory:
        found = []
        for name in options.scenarios:
            path = Path(directory) / name
            make_lake_with_heap(path, options.heap)
            found.append(_outcome(path, name, options.rows))
            print(found[-1], file=sys.stderr, flush=True)
    shown = [
        [each.scenario, f"{each.seconds:.1f}", f"{each.heap_mb:.0f}", each.problem or "ok"] for each in found
    ]
    print(text_table(["scenario", "seconds", "old generation MB", "outcome"], shown))
    print(f"saved in {save({'memory': [asdict(each) for each in found]})}")
    return 1 if any(each.problem for each in found) else 0


def _outcome(path: Path, name: str, rows: int) -> Outcome:
    problems: list[str] = []
    peaks = [0.0]

    def work() -> None:
        try:
            with headrace.connect(path) as lake:
                problems.extend(_problems(lake, SCENARIOS[name], rows))
                peaks.append(_peak(lake))
        except (Error, RuntimeError) as error:
            problems.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")

    took = seconds(work)
    return Outcome(name, took, max(peaks), "; ".join(problems))


def _problems(lake: Connection, scenario: Scenario, rows: int) -> list[str]:
    found = []
    for table in scenario(lake, rows):
        result = lake.run(f"VERIFY DYNAMIC TABLE {table}")
        (row,) = result.fetchall()
        verdict = dict(zip(result.columns, row, strict=True))["result"]
        if verdict != "exact":
            found.append(f"{table} is {verdict}")
    return found


def _peak(lake: Connection) -> float:
    jvm: Any = lake.sql("SELECT 1").spark().sparkSession.sparkContext._jvm
    pools = jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
    peaks = [pool.getPeakUsage().getUsed() for pool in pools if "Old Gen" in pool.getName()]
    for pool in pools:
        pool.resetPeakUsage()
    return float(max(peaks, default=0)) / MEGABYTE


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench memory", description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000, help="of the table that changes")
    parser.add_argument("--heap", default=HEAP, help="of the JVM")
    parser.add_argument("--scenarios", type=_scenarios, default=list(SCENARIOS), help=", ".join(SCENARIOS))
    return parser


def _scenarios(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in SCENARIOS:
            raise argparse.ArgumentTypeError(f"{name} is not one of {', '.join(SCENARIOS)}")
    return names
