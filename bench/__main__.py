"""``make bench``: what Headrace costs beyond the work itself, as ratios within one run.

``python -m bench NAME ...`` runs some of the parts; ``startup`` tells where the time up to the first result
goes, ``huge`` is the pipeline on 100 million orders, and ``tpch [SCALE]`` the queries of TPC-H.
``growth`` compares table sizes, ``peers`` engines, ``stream`` streamed rows with a bare loop, ``ingest``
pipes and syncs with plain Spark, ``flight`` Flight SQL with HTTP; they have options (``--help``) and
tables of their own.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path

import headrace
from bench.fixed_cost import fixed_cost
from bench.flight.command import flight
from bench.growth.command import growth
from bench.hour.command import hour
from bench.incremental import incremental
from bench.ingest.command import ingest
from bench.measures import Measure, full_refresh, no_data, session_start
from bench.memory.command import memory
from bench.peers.command import peers
from bench.pipeline import pipeline
from bench.results import save
from bench.rounds import rounds
from bench.startup import startup
from bench.stream.command import stream
from bench.tpch import tpch
from headrace.connection import Connection
from headrace.model.text_table import text_table


def huge(lake: Connection) -> list[Measure]:
    return pipeline(lake, orders=100_000_000, goal=30)


PARTS = {
    "no_data": no_data,
    "fixed_cost": fixed_cost,
    "full": full_refresh,
    "incremental": incremental,
    "pipeline": pipeline,
}
COMMANDS = {
    "flight": flight,
    "growth": growth,
    "hour": hour,
    "ingest": ingest,
    "memory": memory,
    "peers": peers,
    "rounds": rounds,
    "stream": stream,
}
"""Parts with options and a table of their own."""


def main(asked: list[str]) -> int:
    if asked[:1] and asked[0] in COMMANDS:
        return COMMANDS[asked[0]](asked[1:])
    with tempfile.TemporaryDirectory() as directory:
        measures = run(Path(directory), asked)
    print(text_table(["measure", "headrace", "plain", "ratio", "goal", "met"], [row(m) for m in measures]))
    figures = [asdict(m) | {"ratio": m.ratio, "met": m.met} for m in measures]
    print(f"saved in {save({'measures': figures})}")
    return 0


def run(directory: Path, asked: list[str]) -> list[Measure]:
    measures = []
    scale = float(asked.pop()) if asked[-2:-1] == ["tpch"] else 1
    parts = PARTS | {"huge": huge, "tpch": partial(tpch, scale=scale)}
    if not asked:
        print("session start to first result", file=sys.stderr)
        measures.append(session_start(directory))
    if "startup" in asked:
        print("start-up", file=sys.stderr)
        measures += startup(directory)
    for name in (each for each in asked or PARTS if each != "startup"):
        print(name.replace("_", " "), file=sys.stderr)
        with headrace.connect(directory / name) as lake:
            measures += parts[name](lake)
    return measures


def row(measure: Measure) -> list[str]:
    shown = [measure.name, measure.show(measure.headrace), measure.show(measure.plain)]
    ratio = "" if measure.ratio is None else f"{measure.ratio:.2f}"
    return [*shown, ratio, measure.goal, {True: "yes", False: "NO", None: ""}[measure.met]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
