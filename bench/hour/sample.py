"""What a lake and its processes take at one moment."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import psutil

from bench.measures import seconds
from headrace.connection import Connection

MEGABYTE = 2**20
_COUNTS = {
    "data files": "files WHERE content = 0",
    "delete files": "files WHERE content <> 0",
    "manifests": "manifests",
    "snapshots": "snapshots",
}


@dataclass(frozen=True)
class Sample:
    """Of one minute; files and snapshots are those of all tables together."""

    median_s: float
    p95_s: float
    processor_s: float
    """Of both processes, by round: unlike the time, it hardly depends on other work of the machine."""
    rounds: int
    data_files: int
    delete_files: int
    manifests: int
    snapshots: int
    metadata_mb: float
    """Of the files in the metadata directories of tables."""
    history_mb: float
    """Of the metadata database, which has a row and a profile of each refresh for days."""
    index_files: int
    jvm_mb: float
    """Resident memory."""
    heap_mb: float
    """Used after a garbage collection."""
    python_mb: float
    """Resident memory."""

    def cells(self) -> list[str]:
        values = [getattr(self, field.name) for field in fields(self)]
        return [f"{value:.2f}" if isinstance(value, float) else str(value) for value in values]


COLUMNS = [field.name.replace("_", " ") for field in fields(Sample)]


@dataclass(frozen=True)
class Took:
    seconds: float
    processor_seconds: float


def measured(lake: Connection, work: Callable[[], object]) -> Took:
    processes = psutil.Process(), psutil.Process(_context(lake)._gateway.proc.pid)

    def used() -> float:
        return sum(each.cpu_times().user + each.cpu_times().system for each in processes)

    before = used()
    took = seconds(work)
    return Took(took, used() - before)


def take(path: Path, lake: Connection, tables: Sequence[str], rounds: Sequence[Took]) -> Sample:
    """``rounds`` are those since the sample before."""
    context = _context(lake)
    counts = _counts(lake, tables)
    times = sorted(each.seconds for each in rounds)
    return Sample(
        statistics.median(times),
        times[int(len(times) * 0.95)],
        statistics.median(each.processor_seconds for each in rounds),
        len(times),
        counts["data files"],
        counts["delete files"],
        counts["manifests"],
        counts["snapshots"],
        _megabytes(path.glob("warehouse/**/metadata/*")),
        _megabytes(path.glob("metadata.db*")),
        sum(1 for file in (path / "indexes").rglob("*") if file.is_file()),
        _resident(context._gateway.proc.pid),
        _heap(context._jvm),
        _resident(None),
    )


def _context(lake: Connection) -> Any:
    return lake.sql("SELECT 1").spark().sparkSession.sparkContext


def _counts(lake: Connection, tables: Sequence[str]) -> dict[str, int]:
    parts = [
        f"SELECT '{what}' AS what, count(*) AS n FROM lake.public.{table}.{rows}"
        for what, rows in _COUNTS.items()
        for table in tables
    ]
    query = f"SELECT what, sum(n) FROM ({' UNION ALL '.join(parts)}) GROUP BY what"
    return {what: int(count) for what, count in lake.sql(query).fetchall()}


def _megabytes(files: Any) -> float:
    return sum(file.stat().st_size for file in files if file.is_file()) / MEGABYTE


def _resident(process: int | None) -> float:
    return float(psutil.Process(process).memory_info().rss) / MEGABYTE


def _heap(jvm: Any) -> float:
    jvm.java.lang.System.gc()
    memory = jvm.java.lang.management.ManagementFactory.getMemoryMXBean()
    return float(memory.getHeapMemoryUsage().getUsed()) / MEGABYTE
