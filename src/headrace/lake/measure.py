"""Runs a statement and reads off what it took, from the metrics Spark has anyway."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError

from headrace.lake.session import LakeSession
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors
from headrace.model.history import OperatorMetric, PlanOperator, TableRead

CHANGE = "change"


@dataclass(frozen=True)
class Execution:
    """Statements that have run."""

    statements: tuple[str, ...]
    plans: tuple[str, ...]
    reads: tuple[TableRead, ...]
    spark_jobs: tuple[int, ...]
    bytes_read: int
    bytes_written: int
    operators: tuple[tuple[PlanOperator, ...], ...] = ()
    """Of each plan; none where they were not asked for."""

    @property
    def rows_read(self) -> int:
        return sum(read.rows for read in self.reads)


@dataclass(frozen=True)
class ScanSizes:
    """Of the files that a scan reads; None: not known."""

    bytes: int | None = None
    files: int | None = None


def execute_measured(
    session: LakeSession, statement: str, blame: str, earlier: Collection[int] = ()
) -> Execution:
    """Errors point into ``blame``, the part of the statement that the user wrote.

    ``earlier`` are Spark jobs that the same refresh has started before.
    """
    with session.jobs.group() as group:
        with spark_errors(blame):
            frame = session.spark.sql(statement)
        plan: Any = frame._jdf.queryExecution().commandExecuted().commandPhysicalPlan()
        metrics: Any = java_class(session.spark, "headrace.queries.QueryMetrics")
        context: Any = session.spark.sparkContext._jsc.sc()
        return measured(statement, lambda: metrics.withOperators(context, plan, group), earlier)


def measured(statement: str, metrics: Callable[[], str], earlier: Collection[int] = ()) -> Execution:
    """``metrics`` gives those of ``QueryMetrics``, as JSON.

    What has run has run: figures that cannot be had are left out.
    """
    try:
        found: dict[str, Any] = json.loads(metrics())
    except Py4JError:
        found = {"plan": None, "reads": None, "jobs": [], "bytes": None}
    jobs = tuple(job for job in found["jobs"] if job not in earlier)
    sizes = [(found["bytes"] or {}).get(str(job)) or (0, 0) for job in jobs]
    return Execution(
        (statement,),
        (found["plan"] or "not known",),
        tuple(_table_read(read) for read in found["reads"] or ()),
        jobs,
        sum(read for read, _ in sizes),
        sum(written for _, written in sizes),
        (tuple(map(_operator, found.get("operators") or ())),),
    )


def read_by_driver(reads: tuple[TableRead, ...]) -> Execution | None:
    """Without a statement: what was read is in no plan of Spark's."""
    if not reads:
        return None
    return Execution((), (), reads, (), sum(read.bytes or 0 for read in reads), 0)


def together(executions: Sequence[Execution]) -> Execution | None:
    """One after the other, as one; None if none has run."""
    if not executions:
        return None
    return Execution(
        tuple(s for e in executions for s in e.statements),
        tuple(p for e in executions for p in e.plans),
        tuple(r for e in executions for r in e.reads),
        tuple(sorted({j for e in executions for j in e.spark_jobs})),
        sum(e.bytes_read for e in executions),
        sum(e.bytes_written for e in executions),
        tuple(o for e in executions for o in e.operators),
    )


def _operator(entry: dict[str, Any]) -> PlanOperator:
    metrics = tuple(OperatorMetric(**metric) for metric in entry["metrics"])
    return PlanOperator(**{**entry, "metrics": metrics})


def _table_read(read: dict[str, Any]) -> TableRead:
    rows, scan = read["rows"] or 0, read["scan"]
    sizes = reported_sizes(rows, read["sizes"].get)
    return TableRead(read["table"], rows, sizes.bytes, sizes.files, _side(scan))


def reported_sizes(rows: int, metric: Callable[[str], int | None]) -> ScanSizes:
    """By Iceberg's metrics of a scan; one that gives rows of no file has not reported any."""
    size, files = metric("totalDataFileSize"), metric("resultDataFiles")
    if size is None or files is None or (rows and not files):
        return ScanSizes()
    return ScanSizes(size + (metric("totalDeleteFileSize") or 0), files)


def _side(scan: str) -> str:
    """``change``, or the id of the snapshot that is read."""
    snapshot = re.search(r"snapshotId=(\d+)", scan)
    return CHANGE if scan.startswith("IcebergStagedScan") else snapshot[1] if snapshot else ""
