"""The 22 queries of TPC-H as dynamic tables: exact when refreshed incrementally, and what each mode takes.

``python -m bench tpch [SCALE]``; not part of ``make bench``: scale 1 takes far more than ten minutes on two
cores.

Each query is three tables that follow the same changes: one always INCREMENTAL, which is verified after each
refresh, one always FULL, and one that chooses (AUTO). Their times are of single refreshes, taken in turns
after a round that warms up.
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measures import Measure, seconds
from bench.tpch_data import change, load, queries
from headrace.connection import Connection
from headrace.errors import Error

MODES = ("INCREMENTAL", "FULL", "AUTO")
WARM_UP = 1
ROUNDS_PER_THOUSAND = (1, 1, 10)
"""Orders that come, that go and that change in each round; the first warms up."""


@dataclass(frozen=True)
class Refreshed:
    seconds: float
    mode: str
    reason: str


def tpch(lake: Connection, scale: float = 1) -> list[Measure]:
    with tempfile.TemporaryDirectory() as directory:
        load(lake, scale, Path(directory))
    made = [name for name, query in queries(scale).items() if _create(lake, name, query)]
    failures = len(queries(scale)) - len(made)
    measures, compared = [], []
    for number, per_thousand in enumerate(ROUNDS_PER_THOUSAND, 1):
        change(lake, number, per_thousand)
        for place, name in enumerate(made):
            found = {mode: _refresh(lake, f"{name}_{mode}") for mode in _in_turns(number + place)}
            failures += _is_wrong(lake, name, found["INCREMENTAL"])
            print(_told(name, per_thousand, found), file=sys.stderr)
            if number > WARM_UP:
                measures += _compared(name, per_thousand, found)
                compared.append((per_thousand, found))
    wrong = Measure("TPC-H refreshes not INCREMENTAL or not exact", "", failures, None, "0", 0)
    return [wrong, *_summary(compared), *measures]


def _summary(compared: list[tuple[int, dict[str, Refreshed]]]) -> list[Measure]:
    fewest = min(per_thousand for per_thousand, _ in compared)
    gains = [_gain(found) for per_thousand, found in compared if per_thousand == fewest]
    auto = [found["AUTO"].seconds / _better(found) for _, found in compared]
    of = f"of {len(gains)}, {fewest / 10:g}% changed"
    return [
        Measure(f"INCREMENTAL slower than FULL, {of}", "", sum(g < 1 for g in gains), None, "<= 4", 4),
        Measure(f"FULL divided by INCREMENTAL, median {of}", "", statistics.median(gains), None, ">= 2"),
        Measure(
            f"AUTO beyond 1.2x of the better mode, of {len(auto)}",
            "",
            sum(a > 1.2 for a in auto),
            None,
            "<= 4",
            4,
        ),
        Measure("AUTO divided by the better mode, worst", "", max(auto), None, "<= 1.5", 1.5),
    ]


def _gain(found: dict[str, Refreshed]) -> float:
    return found["FULL"].seconds / found["INCREMENTAL"].seconds


def _better(found: dict[str, Refreshed]) -> float:
    return min(found["FULL"].seconds, found["INCREMENTAL"].seconds)


def is_exact(lake: Connection, table: str) -> bool:
    return bool(_row(lake, f"VERIFY DYNAMIC TABLE {table}")["result"] == "exact")


def _create(lake: Connection, name: str, query: str) -> bool:
    try:
        for mode in MODES:
            lake.sql(f"CREATE DYNAMIC TABLE {name}_{mode} REFRESH_MODE = {mode} AS {query}")
            lake.run(f"REFRESH DYNAMIC TABLE {name}_{mode}")
    except Error as error:
        print(f"{name}: {error}", file=sys.stderr)
        return False
    return True


def _in_turns(number: int) -> Iterator[str]:
    return (MODES[(number + place) % len(MODES)] for place in range(len(MODES)))


def _refresh(lake: Connection, table: str) -> Refreshed:
    rows: list[dict[str, Any]] = []
    took = seconds(lambda: rows.append(_row(lake, f"REFRESH DYNAMIC TABLE {table}")))
    return Refreshed(took, rows[0]["refresh_mode"], rows[0]["refresh_mode_reason"])


def _row(lake: Connection, statement: str) -> dict[str, Any]:
    result = lake.run(statement)
    (row,) = result.fetchall()
    return dict(zip(result.columns, row, strict=True))


def _is_wrong(lake: Connection, name: str, incremental: Refreshed) -> bool:
    if incremental.mode != "INCREMENTAL":
        print(f"{name} was {incremental.mode}: {incremental.reason}", file=sys.stderr)
        return True
    if not is_exact(lake, f"{name}_INCREMENTAL"):
        print(f"{name} is not exact", file=sys.stderr)
        return True
    return False


def _told(name: str, per_thousand: int, found: dict[str, Refreshed]) -> str:
    times = ", ".join(f"{mode} {found[mode].seconds:.2f} s" for mode in MODES)
    auto = found["AUTO"]
    estimated = re.search("estimated [^;]+", auto.reason)
    reason = estimated.group() if estimated else auto.reason
    return f"{name} {per_thousand / 10:g}%: {times} ({auto.mode}: {reason})"


def _compared(name: str, per_thousand: int, found: dict[str, Refreshed]) -> list[Measure]:
    incremental, full, auto = (found[mode] for mode in MODES)
    what = f"TPC-H {name} {per_thousand / 10:g}%"
    return [
        Measure(f"{what}, INCREMENTAL", "s", incremental.seconds, full.seconds, ""),
        Measure(f"{what}, AUTO: {auto.mode}", "s", auto.seconds, _better(found), "<= 1.2x the better", 1.2),
    ]
