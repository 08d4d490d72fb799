"""``make bench``: what Headrace costs beyond the work itself, as ratios within one run."""

from __future__ import annotations

import json
import platform
import sys
import tempfile
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import headrace
from bench.measures import Measure, full_refresh, no_data, session_start
from headrace.model.text_table import text_table

RESULTS = Path(__file__).parent / "results"


def main() -> int:
    with tempfile.TemporaryDirectory() as directory:
        measures = run(Path(directory))
    print(text_table(["measure", "headrace", "plain", "ratio", "goal", "met"], [row(m) for m in measures]))
    print(f"kept in {keep(measures)}")
    return 0


def run(directory: Path) -> list[Measure]:
    print("session start to first result", file=sys.stderr)
    measures = [session_start(directory)]
    with headrace.connect(directory / "lake") as lake:
        for measure in (no_data, full_refresh):
            print(measure.__name__.replace("_", " "), file=sys.stderr)
            measures += measure(lake)
    return measures


def row(measure: Measure) -> list[str]:
    shown = [measure.name, measure.show(measure.headrace), measure.show(measure.plain)]
    ratio = "" if measure.ratio is None else f"{measure.ratio:.2f}"
    return [*shown, ratio, measure.goal, {True: "yes", False: "NO", None: ""}[measure.met]]


def keep(measures: list[Measure]) -> Path:
    RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    file = RESULTS / f"{now:%Y%m%dT%H%M%S}.json"
    facts = {
        "time": now.isoformat(timespec="seconds"),
        "version": headrace.__version__,
        "python": platform.python_version(),
        "measures": [asdict(m) | {"ratio": m.ratio, "met": m.met} for m in measures],
    }
    file.write_text(json.dumps(facts, indent=2) + "\n")
    return file


if __name__ == "__main__":
    sys.exit(main())
