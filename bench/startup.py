"""From the start of a process to the first result: Headrace beside a bare Spark with an Iceberg catalog.

Each side runs in processes of its own, in turns, and each phase is the least of all runs: other work on the
machine only ever adds to it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from bench.measures import Measure

RUNS = 3
GOAL = 1.6
PHASES = (
    "imports",
    "JVM",
    "SparkContext",
    "SparkSession",
    "catalogs",
    "first query",
    "other",
)

_CLOCK = """
import functools, json, sys, time
phases = {}
def timed(phase, function):
    @functools.wraps(function)
    def run(*arguments, **options):
        start, inside = time.time(), sum(phases.values())
        try:
            return function(*arguments, **options)
        finally:
            nested = sum(phases.values()) - inside
            phases[phase] = phases.get(phase, 0) + time.time() - start - nested
    return run
def report():
    print(json.dumps(phases | {"total": time.time() - float(sys.argv[1])}), flush=True)
"""

HEADRACE = (
    _CLOCK
    + """
def imported():
    import headrace.embedded, headrace.lake.spark.engine
timed("imports", imported)()
import headrace
from headrace.commands.open_lake import OpenLake
from headrace.lake.spark import engine
engine.launch_gateway = timed("JVM", engine.launch_gateway)
for phase, kind, name in (
    ("SparkContext", engine.SparkContext, "__init__"),
    ("SparkSession", engine.SparkSession, "__init__"),
):
    setattr(kind, name, timed(phase, getattr(kind, name)))
OpenLake._start = timed("catalogs", OpenLake._start)
lake = headrace.connect(sys.argv[2])
timed("first query", lambda: lake.sql("SELECT 1").fetchall())()
report()
lake.close()
"""
)

PLAIN = (
    _CLOCK
    + """
def imported():
    import pyspark.sql
timed("imports", imported)()
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession
conf = SparkConf().setMaster("local[*]").setAppName("plain").setAll(json.loads(sys.argv[3]).items())
gateway = timed("JVM", launch_gateway)(conf)
context = timed("SparkContext", SparkContext)(gateway=gateway, conf=conf)
spark = timed("SparkSession", SparkSession)(context)
timed("catalogs", spark.sql)("CREATE NAMESPACE IF NOT EXISTS lake.public")
timed("first query", lambda: spark.sql("SELECT 1").collect())()
report()
spark.stop()
"""
)


def startup(directory: Path) -> list[Measure]:
    ours, theirs = zip(*(_pair(directory) for _ in range(RUNS)), strict=True)
    phases = [_measure(phase, [*ours], [*theirs], "", None) for phase in PHASES]
    whole = _measure("total", [*ours], [*theirs], f"at most {GOAL}", GOAL)
    return [*phases, whole]


def _pair(directory: Path) -> tuple[dict[str, float], dict[str, float]]:
    plain = json.dumps(_plain_settings(directory / "plain"))
    return _run(HEADRACE, str(directory / "lake")), _run(PLAIN, str(directory / "plain"), plain)


def _run(script: str, *arguments: str) -> dict[str, float]:
    """Seconds of each phase, and of the whole from before the process was started."""
    command = [sys.executable, "-c", script, str(time.time()), *arguments]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    found: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    total = found["total"]
    return found | {"other": total - sum(seconds for phase, seconds in found.items() if phase != "total")}


def _measure(
    name: str, ours: list[dict[str, float]], theirs: list[dict[str, float]], goal: str, at_most: float | None
) -> Measure:
    least = [min(run.get(name, 0.0) for run in side) for side in (ours, theirs)]
    return Measure(name, "s", least[0], least[1] or None, goal, at_most)


def _plain_settings(warehouse: Path) -> dict[str, str]:
    from headrace.install.jars import JARS, jars_directory

    return {
        "spark.driver.extraClassPath": ":".join(str(jars_directory() / jar.file_name) for jar in JARS),
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "jdbc",
        "spark.sql.catalog.lake.uri": f"jdbc:sqlite:{warehouse}.db",
        "spark.sql.catalog.lake.warehouse": str(warehouse),
    }
