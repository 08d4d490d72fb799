"""The server in figures, as Prometheus reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from headrace.model.history import RefreshState
from headrace.server.asked import Served
from headrace.server.service import Service

routes = APIRouter(tags=["operation"])


@routes.get("/metrics", summary="Metrics for Prometheus", response_class=PlainTextResponse)
def metrics(service: Served) -> Response:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Figures(service))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


class _Figures(Collector):
    """Taken when they are asked for."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterable[Metric]:
        service = self._service
        tables = service.store.definitions.all()
        yield _gauge("headrace_dynamic_tables", "Dynamic tables.", len(tables))
        suspended = sum(table.suspended for table in tables)
        yield _gauge(
            "headrace_dynamic_tables_suspended", "Dynamic tables whose schedule is suspended.", suspended
        )
        yield _gauge("headrace_sessions", "Open sessions.", len(service.sessions))
        running = len(service.statements.running())
        yield _gauge("headrace_statements_running", "Statements that are running or waiting.", running)
        problems = service.problems()
        is_scheduling = problems["scheduler"] is None
        yield _gauge("headrace_scheduler_up", "1 if the scheduler works.", int(is_scheduling))
        yield _parts(problems)
        yield self._clusters()
        yield self._uptime()
        yield self._refreshes()
        yield from self._tables()

    def _clusters(self) -> Metric:
        jobs = GaugeMetricFamily(
            "headrace_cluster_jobs", "Jobs of a cluster by state.", labels=["cluster", "state"]
        )
        for cluster in self._service.pool.clusters():
            jobs.add_metric([cluster.spec.name, "running"], cluster.running)
            jobs.add_metric([cluster.spec.name, "queued"], cluster.queued)
        return jobs

    def _uptime(self) -> Metric:
        up = GaugeMetricFamily(
            "headrace_cluster_up", "1 if the process of the cluster is running.", labels=["cluster"]
        )
        for cluster in self._service.pool.clusters():
            up.add_metric([cluster.spec.name], int(cluster.pid is not None))
        return up

    def _tables(self) -> Iterable[Metric]:
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
        for name, found in self._service.facts.conditions().items():
            failures.add_metric([str(name)], found.consecutive_failures)
            if found.lag is not None:
                lags.add_metric([str(name)], found.lag.total_seconds())
        return [lags, failures]

    def _refreshes(self) -> Metric:
        found = self._service.store.refreshes.history(limit=1000)
        counted = Counter((row.state, row.mode or "") for row in found)
        family = GaugeMetricFamily(
            "headrace_recent_refreshes",
            "The last 1,000 refreshes by state and mode.",
            labels=["state", "mode"],
        )
        for (state, mode), count in counted.items():
            family.add_metric([RefreshState(state).value, str(mode)], count)
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
