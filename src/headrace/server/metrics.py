"""The server in figures, as Prometheus reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from headrace.cluster.cluster import Cluster
from headrace.server.dependencies import (
    Clusters,
    Measured,
    MetricQueries,
    OpenSessions,
    Problems,
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
) -> Response:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_LakeFigures(queries))
    registry.register(_ClusterFigures(clusters))
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


def _gauge(name: str, said: str, value: float) -> Metric:
    gauge = GaugeMetricFamily(name, said)
    gauge.add_metric([], value)
    return gauge
