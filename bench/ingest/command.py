"""``python -m bench ingest``: pipes and syncs, against plain Spark in the same JVM.

Files, a topic of Kafka, first rows and changes of PostgreSQL and MariaDB; with ``--latency``, how long a row
that is committed in PostgreSQL takes until a third dynamic table has it. Servers are those of the tests.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import headrace
from bench.ingest.files import small_files
from bench.ingest.latency import latency
from bench.ingest.mysql import mysql
from bench.ingest.postgres import postgres
from bench.ingest.topics import topic
from bench.measures import Measure
from bench.results import save
from headrace.connection import Connection
from headrace.lake.directory import make_lake
from headrace.model.text_table import text_table

PARTS: dict[str, Callable[[Connection, argparse.Namespace], list[Measure]]] = {
    "files": small_files,
    "kafka": topic,
    "postgres": postgres,
    "mysql": mysql,
}


def ingest(arguments: Sequence[str]) -> int:
    options = _options().parse_args(arguments)
    with tempfile.TemporaryDirectory() as directory:
        measures = _measured(Path(directory), options)
    print(
        text_table(
            ["measure", "headrace", "plain", "ratio", "goal", "met"], [_row(each) for each in measures]
        )
    )
    figures = [asdict(each) | {"ratio": each.ratio, "met": each.met} for each in measures]
    print(f"saved in {save({'ingest': figures})}")
    return 0 if all(each.met is not False for each in measures) else 1


def _measured(directory: Path, options: argparse.Namespace) -> list[Measure]:
    if options.latency:
        return latency(directory / "lake", options.latency)
    lake = directory / "lake"
    make_lake(lake)
    with (lake / "lake.toml").open("a") as settings:
        settings.write('features = ["kafka"]\n')
    measures = []
    with headrace.connect(lake) as connection:
        for name in options.parts or PARTS:
            print(name, file=sys.stderr)
            connection.sql(f"CREATE SCHEMA bench_{name}; USE bench_{name}")
            measures += PARTS[name](connection, options)
    return measures


def _row(measure: Measure) -> list[str]:
    ratio = "" if measure.ratio is None else f"{measure.ratio:.2f}"
    met = {True: "yes", False: "NO", None: ""}[measure.met]
    return [
        measure.name,
        measure.show(measure.headrace),
        measure.show(measure.plain),
        ratio,
        measure.goal,
        met,
    ]


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench ingest", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all, unless some are named")
    parser.add_argument("--files", type=int, default=10_000, help="files, of 100 rows each")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=1_000_000, help="first rows of a database")
    parser.add_argument(
        "--changes", type=int, default=100_000, help="rows inserted, half as many are updated"
    )
    parser.add_argument("--latency", type=int, default=0, help="rows of which to measure when they are seen")
    return parser
