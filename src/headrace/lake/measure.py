"""Runs a statement and reads off what it took, from the metrics Spark has anyway."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from py4j.protocol import Py4JError

from headrace.lake.session import LakeSession
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors
from headrace.model.history import TableRead

_LISTENERS_MS = 10_000
CHANGE = "change"
T = TypeVar("T")


@dataclass(frozen=True)
class Execution:
    """Statements that have run."""

    statements: tuple[str, ...]
    plans: tuple[str, ...]
    reads: tuple[TableRead, ...]
    spark_jobs: tuple[int, ...]
    bytes_read: int
    bytes_written: int

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
        return measured(session, statement, plan, group, earlier)


def measured(
    session: LakeSession, statement: str, plan: Any, group: str, earlier: Collection[int] = ()
) -> Execution:
    """What has run has run: figures that cannot be had are left out."""
    no_jobs: tuple[int, ...] = ()
    no_reads: tuple[TableRead, ...] = ()
    jobs = _had(lambda: tuple(job for job in _jobs(session, group) if job not in earlier), no_jobs)
    bytes_read, bytes_written = _had(lambda: _stage_bytes(session, jobs), (0, 0))
    reads = _had(lambda: _table_reads(session, plan), no_reads)
    shown = _had(lambda: str(plan.toString()), "not known")
    return Execution((statement,), (shown,), reads, jobs, bytes_read, bytes_written)


def _had(figure: Callable[[], T], otherwise: T) -> T:
    try:
        return figure()
    except Py4JError:
        return otherwise


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
    )


def _jobs(session: LakeSession, group: str) -> tuple[int, ...]:
    context: Any = session.spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty(_LISTENERS_MS)
    return tuple(sorted(session.spark.sparkContext.statusTracker().getJobIdsForGroup(group)))


def _stage_bytes(session: LakeSession, jobs: tuple[int, ...]) -> tuple[int, int]:
    store: Any = session.spark.sparkContext._jsc.sc().statusStore()
    read = written = 0
    for job in jobs:
        stages = store.job(job).stageIds()
        for index in range(stages.size()):
            stage = store.lastStageAttempt(stages.apply(index))
            read += stage.inputBytes()
            written += stage.outputBytes()
    return read, written


def _table_reads(session: LakeSession, plan: Any) -> tuple[TableRead, ...]:
    """One entry per scan in the plan that really ran."""
    reads, nodes = [], [plan]
    while nodes:
        node = nodes.pop()
        match node.getClass().getSimpleName():
            case "AdaptiveSparkPlanExec":
                nodes.append(node.executedPlan())
            case "BatchScanExec":
                reads.append(_read(session, node))
            case stage if stage.endswith("QueryStageExec"):
                nodes.append(node.plan())
            case _:
                children = node.children()
                nodes.extend(children.apply(index) for index in range(children.size()))
                subqueries = node.subqueries()
                nodes.extend(subqueries.apply(index) for index in range(subqueries.size()))
    return tuple(reads)


def _read(session: LakeSession, scan: Any) -> TableRead:
    metrics, shown = scan.metrics(), str(scan.scan().toString())
    rows = _metric(metrics, "numOutputRows") or 0
    task_set = re.search(r"^IcebergStagedScan\(.*taskSetID=([^,)]+)", shown)
    if task_set:
        sizes = _staged_sizes(session, scan.table().table(), task_set[1])
    else:
        sizes = reported_sizes(rows, lambda name: _metric(metrics, name))
    return TableRead(str(scan.table().name()), rows, sizes.bytes, sizes.files, _side(shown))


def reported_sizes(rows: int, metric: Callable[[str], int | None]) -> ScanSizes:
    """By Iceberg's metrics of a scan; one that gives rows of no file has not reported any."""
    size, files = metric("totalDataFileSize"), metric("resultDataFiles")
    if size is None or files is None or (rows and not files):
        return ScanSizes()
    return ScanSizes(size + (metric("totalDeleteFileSize") or 0), files)


def _staged_sizes(session: LakeSession, table: Any, task_set: str) -> ScanSizes:
    staged = java_class(session.spark, "headrace.changes.StagedSizes")(table, task_set)
    return ScanSizes(staged.bytes(), staged.files()) if staged.isKnown() else ScanSizes()


def _side(scan: str) -> str:
    """``change``, or the id of the snapshot that is read."""
    snapshot = re.search(r"snapshotId=(\d+)", scan)
    return CHANGE if scan.startswith("IcebergStagedScan") else snapshot[1] if snapshot else ""


def _metric(metrics: Any, name: str) -> int | None:
    found = metrics.get(name)
    return int(found.get().value()) if found.isDefined() else None
