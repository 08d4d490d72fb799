"""The server's HTTP API, put together."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import SimpleNamespace

from anyio import CapacityLimiter
from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from fastapi_offline import FastAPIOffline
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

import headrace
from headrace.errors import Error
from headrace.server import (
    alert_routes,
    backfill_routes,
    catalog_routes,
    editor_routes,
    error_responses,
    event_routes,
    file_routes,
    health,
    lake_routes,
    metrics,
    pipe_routes,
    script_routes,
    sign_in,
    statement_routes,
    stream_writer_routes,
    task_routes,
    token_routes,
)
from headrace.server.access import Access
from headrace.server.dependencies import PARTS, TimeOfLake
from headrace.server.gate import Gate
from headrace.server.iceberg_rest.app import iceberg_api
from headrace.server.iceberg_rest.errors import PREFIX
from headrace.server.iceberg_rest.served_lake import ServedLake
from headrace.server.iceberg_rest.table_changes import TableChanges
from headrace.server.limits import SizeLimit
from headrace.server.rights import check_request
from headrace.server.service import Service
from headrace.server.studio_pages import BUILT_FILES, StudioFiles, studio_routes
from headrace.views.catalog_queries import CatalogQueries

_DESCRIPTION = """Dynamic tables on Spark and Iceberg.

Open a session, submit statements in it, wait for them and fetch their rows as JSON or as an Arrow stream.
All other requests describe the lake and its activity, and do not start a cluster."""
_TAGS = [
    {"name": "statements", "description": "Sessions, statements and their rows."},
    {"name": "lake", "description": "Objects, refreshes, jobs, lineage and costs."},
    {"name": "ingestion", "description": "Rows that clients stream into tables."},
    {"name": "tasks", "description": "Tasks and their runs."},
    {"name": "files", "description": "Development files, their versions, drafts and deployment."},
    {"name": "operation", "description": "Clusters, health and metrics."},
]


_FLUSHES = 16
"""That wait for a commit at the same time; others wait for their turn."""

API_MODULES = (
    statement_routes,
    lake_routes,
    catalog_routes,
    task_routes,
    backfill_routes,
    file_routes,
    editor_routes,
    script_routes,
    token_routes,
    alert_routes,
    pipe_routes,
    stream_writer_routes,
    event_routes,
)


def make_app(service: Service, access: Access, studio: Path = BUILT_FILES) -> ASGIApp:
    """What serves one server. ``studio`` is the directory of the web pages, which anybody may read."""
    parts, api = _parts(service, access), http_api(studio)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scope[PARTS] = parts
        await api(scope, receive, send)

    return app


@cache
def http_api(studio: Path = BUILT_FILES) -> FastAPI:
    """All routes, which find the parts of their server in the scope of a request.

    Built once in a process: the models of the routes take a quarter of a second.
    """
    api = FastAPIOffline(
        redoc_url=None,
        static_url="/docs/static",
        swagger_ui_parameters={"validatorUrl": None},
        title="Headrace",
        version=headrace.__version__,
        description=_DESCRIPTION,
        openapi_tags=_TAGS,
        responses=error_responses.FAILURES,
        dependencies=[
            Depends(HTTPBearer(auto_error=False, description="`headrace token create NAME`")),
            Depends(check_request),
        ],
    )
    api.add_middleware(SizeLimit)
    api.add_middleware(Gate)
    api.add_exception_handler(Error, error_responses.of_headrace)
    api.add_exception_handler(RequestValidationError, error_responses.of_request)
    api.add_exception_handler(HTTPException, error_responses.of_route)
    api.add_exception_handler(Exception, error_responses.of_ours)
    for module in API_MODULES:
        api.include_router(module.routes, prefix="/api/v1")
    api.include_router(health.routes)
    api.include_router(metrics.routes)
    api.include_router(sign_in.routes)
    api.mount(PREFIX, iceberg_api())
    api.include_router(studio_routes(StudioFiles(studio)))
    return api


def _parts(service: Service, access: Access) -> SimpleNamespace:
    """What routes and the gate ask for by name."""
    parts = SimpleNamespace()
    parts.access = access
    parts.time_zone = service.directory.settings.zone.key
    parts.queries = service.queries
    parts.catalog = CatalogQueries(service.queries, service.queries.metadata)
    parts.next_refreshes = service.background.scheduler.next_refreshes
    parts.clusters = service.pool.clusters
    parts.sessions = service.sessions
    parts.statements = service.statements
    parts.stream_writes = service.stream_writes
    parts.flush_limit = CapacityLimiter(_FLUSHES)
    parts.execution = service.runner
    parts.cancel_job = service.runner.cancel_job
    parts.end_session = service.runner.end_session
    parts.task_queries = service.task_control.queries
    parts.task_control = service.task_control
    parts.editing = service.editing
    parts.deployment = service.deployment
    parts.scripts = service.scripts
    parts.alerts = service.store.alerts
    parts.alert_settings = service.directory.settings.alerts
    parts.tokens = service.store.tokens
    parts.served_lake = ServedLake(
        service.queries.heads, service.store.definitions.names, service.directory.warehouse
    )
    parts.table_changes = TableChanges(parts.served_lake, service.pool, service.runner.run_as, service.clock)
    parts.lake_time = TimeOfLake(service.directory.settings.zone, service.clock)
    parts.events = service.events
    parts.problems = service.background.problems
    return parts
