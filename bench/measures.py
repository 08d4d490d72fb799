"""What is measured, and against what."""

from __future__ import annotations

import itertools
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headrace.connection import Connection

ROWS = 1_000_000
ROUNDS = 7
WARM_UP = 3


@dataclass(frozen=True)
class Measure:
    name: str
    unit: str
    headrace: float
    plain: float | None
    goal: str
    at_most: float | None = None
    """Of the ratio where there is something to compare with, else of the figure itself."""

    @property
    def ratio(self) -> float | None:
        return None if self.plain is None else self.headrace / self.plain

    @property
    def met(self) -> bool | None:
        if self.at_most is None:
            return None
        return (self.headrace if self.ratio is None else self.ratio) <= self.at_most

    def show(self, figure: float | None) -> str:
        return "" if figure is None else f"{figure:.3g} {self.unit}".strip()


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def alternate(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """Medians of the two, measured in turns after warming both up."""
    for _ in range(WARM_UP):
        one()
        other()
    pairs = [(seconds(one), seconds(other)) for _ in range(ROUNDS)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


_HEADRACE_START = """
import sys, headrace
with headrace.connect(sys.argv[1]) as lake:
    assert lake.sql("SELECT 1").fetchall() == [(1,)]
"""

_PLAIN_START = """
import sys
from pyspark.sql import SparkSession
warehouse, jars = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[*]")
    .config("spark.driver.extraClassPath", jars)
    .config("spark.ui.enabled", "false")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.sql.extensions", "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
    .config("spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog")
    .config("spark.sql.catalog.lake.type", "jdbc")
    .config("spark.sql.catalog.lake.uri", f"jdbc:sqlite:{warehouse}.db")
    .config("spark.sql.catalog.lake.warehouse", warehouse)
    .getOrCreate()
)
spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.public")
assert spark.sql("SELECT 1").collect()[0][0] == 1
spark.stop()
"""


def session_start(directory: Path) -> Measure:
    """A new process each time, from its start to its end, on a lake that exists already."""
    from headrace.install.jars import JARS, jars_directory

    jars = ":".join(str(jars_directory() / jar.file_name) for jar in JARS)

    def run(script: str, *arguments: str) -> None:
        subprocess.run(
            [sys.executable, "-c", script, *arguments], check=True, capture_output=True, timeout=120
        )

    def with_headrace() -> None:
        run(_HEADRACE_START, str(directory / "start"))

    def plainly() -> None:
        run(_PLAIN_START, str(directory / "plain"), jars)

    with_headrace()
    plainly()
    pairs = [(seconds(with_headrace), seconds(plainly)) for _ in range(3)]
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    return Measure("process start to first result", "s", ours, theirs, "")


def no_data(lake: Connection) -> list[Measure]:
    lake.sql("CREATE TABLE quiet (id BIGINT); INSERT INTO quiet VALUES (1)")
    lake.sql("CREATE DYNAMIC TABLE echo AS SELECT id FROM quiet; REFRESH DYNAMIC TABLE echo")
    refresh = "REFRESH DYNAMIC TABLE echo"
    for _ in range(WARM_UP):
        lake.run(refresh)
    before = jobs_so_far(lake)
    times = [seconds(lambda: lake.run(refresh)) for _ in range(50)]
    jobs = jobs_so_far(lake) - before
    modes = {mode for (mode,) in lake.sql(_LAST_MODES)}
    if modes != {"NO_DATA"}:
        raise RuntimeError(f"not a NO_DATA refresh: {modes}")
    return [
        Measure("NO_DATA refresh, median of 50", "ms", 1000 * statistics.median(times), None, "< 20 ms", 20),
        Measure("Spark jobs of these 50 refreshes", "", jobs, None, "0", 0),
    ]


_LAST_MODES = (
    "SELECT refresh_mode FROM (SELECT * FROM information_schema.dynamic_table_refresh_history "
    "WHERE name = 'echo' ORDER BY start_time DESC LIMIT 50)"
)


def jobs_so_far(lake: Connection) -> int:
    return int(lake.sql("SELECT 1").spark().sparkSession.sparkContext._jsc.sc().dagScheduler().numTotalJobs())


def bytes_so_far(lake: Connection) -> int | None:
    """Read by Spark's process from files of any kind since it started; None if the system does not count.

    Unlike Spark's own metrics, this includes what other threads than those of tasks read in advance, and what
    the driver reads.
    """
    context: Any = lake.sql("SELECT 1").spark().sparkSession.sparkContext
    counts = Path(f"/proc/{context._gateway.proc.pid}/io")
    if not counts.exists():
        return None
    lines = (line.split(": ") for line in counts.read_text().splitlines())
    return int(dict(lines)["rchar"])


PROJECTION = "SELECT id, upper(category) AS category, amount * 2 AS doubled FROM facts"
AGGREGATE = "SELECT category, count(*) AS n, sum(amount) AS total FROM facts GROUP BY category"


def full_refresh(lake: Connection) -> list[Measure]:
    lake.sql(
        "CREATE TABLE facts (id BIGINT, category STRING, amount DECIMAL(10,2)); INSERT INTO facts "
        f"SELECT id, concat('c', id % 1000), CAST(id % 977 AS DECIMAL(10,2)) FROM range({ROWS})"
    )
    measures = []
    for name, query in (("projection", PROJECTION), ("aggregate", AGGREGATE)):
        measures.append(first_refresh(lake, name, query))
        measures.append(repeated_refresh(lake, name, query))
    return measures


def first_refresh(lake: Connection, name: str, query: str) -> Measure:
    """Each round fills a table of its own; making it is not part of the time."""
    numbers = itertools.count()
    targets: list[int] = []

    def make() -> int:
        number = next(numbers)
        lake.sql(f"CREATE DYNAMIC TABLE dt_{name}_{number} AS {query}")
        lake.sql(f"CREATE TABLE plain_{name}_{number} AS SELECT * FROM ({query}) WHERE false")
        return number

    def fill_dynamic() -> None:
        lake.run(f"REFRESH DYNAMIC TABLE dt_{name}_{targets[-1]}")

    def fill_plain() -> None:
        spark = lake.sql("SELECT 1").spark().sparkSession
        spark.sql(f"INSERT INTO plain_{name}_{targets[-1]} {query}")

    pairs = []
    for _ in range(WARM_UP + ROUNDS):
        targets.append(make())
        pairs.append((seconds(fill_dynamic), seconds(fill_plain)))
    ours, theirs = (statistics.median(side) for side in zip(*pairs[WARM_UP:], strict=True))
    return Measure(f"first FULL, {name} of {ROWS:,} rows", "s", ours, theirs, "<= 1.1x INSERT", 1.1)


def repeated_refresh(lake: Connection, name: str, query: str) -> Measure:
    table = f"again_{name}"
    lake.sql(f"CREATE DYNAMIC TABLE {table} AS {query}; REFRESH DYNAMIC TABLE {table}")
    lake.sql(f"CREATE TABLE plain_{table} AS {query}")
    spark = lake.sql("SELECT 1").spark().sparkSession
    ours, theirs = alternate(
        lambda: lake.run(f"REFRESH DYNAMIC TABLE {table} FULL"),
        lambda: spark.sql(f"INSERT OVERWRITE plain_{table} {query}"),
    )
    return Measure(f"repeated FULL, {name} of {ROWS:,} rows", "s", ours, theirs, "<= 1.1x OVERWRITE", 1.1)
