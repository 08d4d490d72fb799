"""The server in figures, as Prometheus reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from headrace.cluster.cluster import Cluster
from headrace.features.syncs.model import Sync
from headrace.ingest.stream_writers.stream_writes import StreamWrites
from headrace.model.names import TableName
from headrace.server.dependencies import (
    Clusters,
    Measured,
    MetricQueries,
    OpenSessions,
    Problems,
    StreamedWrites,
    SubmittedStatements,
)
from headrace.server.error_responses import FAILURES_BESIDE_TEXT

routes = APIRouter(tags=["operation"])


@routes.get(
    "/metrics",
    summary="Metrics for Prometheus",
    response_class=PlainTextResponse,
    responses=FAILURES_BESIDE_TEXT,
)
def metrics(
    queries: Measured,
    clusters: Clusters,
    sessions: OpenSessions,
    statements: SubmittedStatements,
    problems: Problems,
    stream_writes: StreamedWrites,
) -> Response:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_LakeFigures(queries))
    registry.register(_ClusterFigures(clusters))
    registry.register(_StreamFigures(stream_writes))
    registry.register(_ServerFigures(len(sessions), len(statements.running()), problems()))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


@dataclass(frozen=True, eq=False)
class _ServerFigures(Collector):
    sessions: int
    running: int
    problems: Mapping[str, str | None]

    def collect(self) -> Iterable[Metric]:
        yield _gauge("headrace_sessions", "Open sessions.", self.sessions)
        yield _gauge("headrace_statements_running", "Statements that are running or waiting.", self.running)
        is_scheduling = self.problems["scheduler"] is None
        yield _gauge("headrace_scheduler_up", "1 if the scheduler works.", int(is_scheduling))
        yield _parts(self.problems)


@dataclass(frozen=True, eq=False)
class _ClusterFigures(Collector):
    clusters: Callable[[], list[Cluster]]

    def collect(self) -> Iterable[Metric]:
        jobs = GaugeMetricFamily(
            "headrace_cluster_jobs", "Jobs of a cluster by state.", labels=["cluster", "state"]
        )
        up = GaugeMetricFamily(
            "headrace_cluster_up", "1 if the process of the cluster is running.", labels=["cluster"]
        )
        for cluster in self.clusters():
            jobs.add_metric([cluster.spec.name, "running"], cluster.running)
            jobs.add_metric([cluster.spec.name, "queued"], cluster.queued)
            up.add_metric([cluster.spec.name], int(cluster.pid is not None))
        return [jobs, up]


@dataclass(frozen=True, eq=False)
class _StreamFigures(Collector):
    writes: StreamWrites

    def collect(self) -> Iterable[Metric]:
        """Of each table that was written to since the server was started."""
        gauges = {
            "pending_rows": "Rows of stream writers that are not in the table yet.",
            "pending_bytes": "Bytes of these rows.",
            "pending_seconds": "Age of the oldest one of them.",
        }
        now = self.writes.now()
        values = {
            name: (amount.rows, amount.bytes, 0 if amount.oldest is None else now - amount.oldest)
            for name, amount in self.writes.amounts().items()
        }
        return _gauges("stream_writer", gauges, values, label="table")


@dataclass(frozen=True, eq=False)
class _LakeFigures(Collector):
    queries: MetricQueries

    def collect(self) -> Iterable[Metric]:
        tables = self.queries.definitions()
        yield _gauge("headrace_dynamic_tables", "Dynamic tables.", len(tables))
        suspended = sum(table.suspended for table in tables)
        yield _gauge(
            "headrace_dynamic_tables_suspended", "Dynamic tables whose schedule is suspended.", suspended
        )
        yield self._refreshes()
        yield from self._conditions()
        yield from self._key_indexes()
        yield from self._pipes()
        yield from self._syncs()

    def _conditions(self) -> Iterable[Metric]:
        """The lag of a table is left out where it is not known."""
        lags = GaugeMetricFamily(
            "headrace_dynamic_table_lag_seconds",
            "Age of the oldest change upstream that the table does not contain.",
            labels=["table"],
        )
        failures = GaugeMetricFamily(
            "headrace_dynamic_table_consecutive_failures",
            "Refreshes that failed since the last success.",
            labels=["table"],
        )
        for name, found in self.queries.conditions().items():
            failures.add_metric([str(name)], found.consecutive_failures)
            if found.lag is not None:
                lags.add_metric([str(name)], found.lag.total_seconds())
        return [lags, failures]

    def _key_indexes(self) -> Iterable[Metric]:
        used = self.queries.index_usage()
        yield _gauge("headrace_key_index_files", "Indexes by which refreshes find rows.", used.files)
        yield _gauge("headrace_key_index_bytes", "Bytes of these indexes.", used.bytes)

    def _pipes(self) -> Iterable[Metric]:
        """As of the last run of each."""
        gauges = {
            "lag_records": "Files or messages of the source that are not loaded.",
            "lag_bytes": "Bytes of the source that are not loaded.",
            "lag_seconds": "Age of the oldest one of them.",
            "consecutive_failures": "Runs that failed since the last success.",
        }
        found = {pipe.name: pipe.progress for pipe in self.queries.pipes()}
        values = {
            name: (of.lag_records, of.lag_bytes, of.lag_seconds, of.failures) for name, of in found.items()
        }
        return _gauges("pipe", gauges, values)

    def _syncs(self) -> Iterable[Metric]:
        """As of the last run of each."""
        gauges = {
            "lag_bytes": "Log of the database that the tables do not have.",
            "lag_seconds": "Since when the tables are not up to date.",
            "held_bytes": "Log that the database keeps for the sync.",
            "stopped_tables": "Tables that do not follow their source any more.",
            "consecutive_failures": "Runs that failed since the last success.",
        }
        values = {sync.name: _sync_values(sync) for sync in self.queries.syncs()}
        return _gauges("sync", gauges, values)

    def _refreshes(self) -> Metric:
        counted = Counter((row.state, row.mode or "") for row in self.queries.refreshes(None, 1000))
        family = GaugeMetricFamily(
            "headrace_recent_refreshes",
            "The last 1,000 refreshes by state and mode.",
            labels=["state", "mode"],
        )
        for (state, mode), count in counted.items():
            family.add_metric([state.value, str(mode)], count)
        return family


def _parts(problems: Mapping[str, str | None]) -> Metric:
    up = GaugeMetricFamily("headrace_part_up", "1 if a background part works.", labels=["part"])
    for part, problem in problems.items():
        up.add_metric([part], int(problem is None))
    return up


def _sync_values(sync: Sync) -> tuple[float | None, ...]:
    of, stopped = sync.progress, sum(table.error is not None for table in sync.tables)
    return of.lag_bytes, of.lag_seconds, of.held_bytes, stopped, of.failures


def _gauges(
    kind: str,
    said: Mapping[str, str],
    found: Mapping[TableName, Sequence[float | None]],
    *,
    label: str | None = None,
) -> Iterable[Metric]:
    """Of each ``kind``, by its name: the values in the order of ``said``; None is left out."""
    families = [
        GaugeMetricFamily(f"headrace_{kind}_{name}", text, labels=[label or kind])
        for name, text in said.items()
    ]
    for name, values in found.items():
        for family, value in zip(families, values, strict=True):
            if value is not None:
                family.add_metric([str(name)], value)
    return families


def _gauge(name: str, said: str, value: float) -> Metric:
    gauge = GaugeMetricFamily(name, said)
    gauge.add_metric([], value)
    return gauge
