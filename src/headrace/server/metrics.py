"""The server in figures, as Prometheus reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from headrace.model.history import RefreshState
from headrace.server.asked import Served
from headrace.server.service import Service

routes = APIRouter(tags=["operation"])


@routes.get("/metrics", summary="Figures for Prometheus", response_class=PlainTextResponse)
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
        tables = service.store.all()
        yield _gauge("headrace_dynamic_tables", "Dynamic tables.", len(tables))
        suspended = sum(table.suspended for table in tables)
        yield _gauge("headrace_dynamic_tables_suspended", "Those whose schedule is suspended.", suspended)
        yield _gauge("headrace_sessions", "Open sessions.", len(service.sessions))
        running = len(service.statements.running())
        yield _gauge("headrace_statements_running", "Statements that run or wait.", running)
        yield _gauge(
            "headrace_scheduler_up", "1 while scheduling works.", int(service.scheduler.trouble is None)
        )
        yield self._clusters()
        yield self._uptime()
        yield self._refreshes()

    def _clusters(self) -> Metric:
        jobs = GaugeMetricFamily("headrace_cluster_jobs", "Jobs of a cluster.", labels=["cluster", "state"])
        for cluster in self._service.pool.clusters():
            jobs.add_metric([cluster.spec.name, "running"], cluster.running)
            jobs.add_metric([cluster.spec.name, "queued"], cluster.queued)
        return jobs

    def _uptime(self) -> Metric:
        up = GaugeMetricFamily("headrace_cluster_up", "1 while its process runs.", labels=["cluster"])
        for cluster in self._service.pool.clusters():
            up.add_metric([cluster.spec.name], int(cluster.pid is not None))
        return up

    def _refreshes(self) -> Metric:
        found = self._service.store.history(limit=1000)
        counted = Counter((row.state, row.mode or "") for row in found)
        family = GaugeMetricFamily(
            "headrace_recent_refreshes", "Of the last 1,000 refreshes.", labels=["state", "mode"]
        )
        for (state, mode), count in counted.items():
            family.add_metric([RefreshState(state).value, str(mode)], count)
        return family


def _gauge(name: str, said: str, value: float) -> Metric:
    gauge = GaugeMetricFamily(name, said)
    gauge.add_metric([], value)
    return gauge
