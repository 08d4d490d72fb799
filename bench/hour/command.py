"""``python -m bench hour``: a pipeline that is refreshed all the time, on tables that grow.

Each round changes the sources and refreshes all dynamic tables, once a second or as often as they allow.
Refreshes compact and expire as they do by default; the sources get OPTIMIZE each minute, which is left to the
owner of a table. The exit status is 1 if time, files, metadata or memory grow, or a table is not exact.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import headrace
from bench.heap import HEAP, make_lake_with_heap
from bench.hour.flat import Verdict, verdicts
from bench.hour.pipeline import SOURCES, TABLES, Pipeline
from bench.hour.sample import COLUMNS, Sample, Took, measured, take
from bench.results import save
from headrace.model.text_table import text_table

ROUND_SECONDS = 1.0


def hour(arguments: Sequence[str]) -> int:
    options = _options().parse_args(arguments)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "lake"
        make_lake_with_heap(path, options.heap)
        with headrace.connect(path) as lake:
            pipeline = Pipeline(lake)
            pipeline.create()
            samples = [_minute(path, pipeline) for _ in range(options.minutes)]
            not_exact = pipeline.not_exact()
    found = verdicts(samples, len(SOURCES) + len(TABLES))
    print(text_table(["minute", *COLUMNS], [_row(*each) for each in enumerate(samples, 1)]))
    print(text_table(["measure", "before", "after", "at most", "flat"], [*map(_verdict_row, found)]))
    print(f"tables that are not exact: {', '.join(not_exact) or 'none'}")
    print(f"saved in {save({'hour': [asdict(sample) for sample in samples]})}")
    return 1 if not_exact or not all(verdict.is_flat for verdict in found) else 0


def _minute(path: Path, pipeline: Pipeline) -> Sample:
    rounds: list[Took] = []
    until = time.monotonic() + 60
    while time.monotonic() < until:
        start = time.monotonic()
        pipeline.change()
        rounds.append(measured(pipeline.lake, pipeline.refresh))
        time.sleep(max(0.0, start + ROUND_SECONDS - time.monotonic()))
    pipeline.optimize()
    sample = take(path, pipeline.lake, [*SOURCES, *TABLES], rounds)
    line = ", ".join(f"{name} {value}" for name, value in zip(COLUMNS, sample.cells(), strict=True))
    print(line, file=sys.stderr, flush=True)
    return sample


def _row(minute: int, sample: Sample) -> list[str]:
    return [str(minute), *sample.cells()]


def _verdict_row(verdict: Verdict) -> list[str]:
    figures = (f"{figure:.2f}" for figure in (verdict.before, verdict.after, verdict.limit))
    return [verdict.measure.replace("_", " "), *figures, "yes" if verdict.is_flat else "NO"]


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench hour", description=__doc__)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--heap", default=HEAP, help="of the JVM")
    return parser
