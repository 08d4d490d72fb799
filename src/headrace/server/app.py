"""The server's HTTP API, put together."""

from __future__ import annotations

from pathlib import Path

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from fastapi_offline import FastAPIOffline
from starlette.exceptions import HTTPException

import headrace
from headrace.errors import Error
from headrace.lake.table.object_metadata import ObjectMetadata
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
    sign_in,
    statement_routes,
    task_routes,
    token_routes,
)
from headrace.server.access import Access
from headrace.server.dependencies import TimeOfLake
from headrace.server.gate import Gate
from headrace.server.limits import SizeLimit
from headrace.server.service import Service
from headrace.server.studio_pages import BUILT_FILES, StudioFiles, studio_routes
from headrace.views.catalog_queries import CatalogQueries

_DESCRIPTION = """Dynamic tables on Spark and Iceberg.

Open a session, submit statements in it, wait for them and fetch their rows as JSON or as an Arrow stream.
All other requests describe the lake and its activity, and do not start a cluster."""
_TAGS = [
    {"name": "statements", "description": "Sessions, statements and their rows."},
    {"name": "lake", "description": "Objects, refreshes, jobs, lineage and costs."},
    {"name": "tasks", "description": "Tasks and their runs."},
    {"name": "files", "description": "Development files, their versions, drafts and deployment."},
    {"name": "operation", "description": "Clusters, health and metrics."},
]


API_MODULES = (
    statement_routes,
    lake_routes,
    catalog_routes,
    task_routes,
    backfill_routes,
    file_routes,
    editor_routes,
    token_routes,
    alert_routes,
    event_routes,
)


def make_app(service: Service, access: Access, studio: Path = BUILT_FILES) -> FastAPI:
    """``studio`` is the directory of the web pages, which anybody may read."""
    app = FastAPIOffline(
        redoc_url=None,
        static_url="/docs/static",
        swagger_ui_parameters={"validatorUrl": None},
        title="Headrace",
        version=headrace.__version__,
        description=_DESCRIPTION,
        openapi_tags=_TAGS,
        responses=error_responses.FAILURES,
        dependencies=[Depends(HTTPBearer(auto_error=False, description="`headrace token create NAME`"))],
    )
    _give_parts(app, service, access)
    app.add_middleware(SizeLimit)
    app.add_middleware(Gate, access=access)
    app.add_exception_handler(Error, error_responses.of_headrace)
    app.add_exception_handler(RequestValidationError, error_responses.of_request)
    app.add_exception_handler(HTTPException, error_responses.of_route)
    app.add_exception_handler(Exception, error_responses.of_ours)
    for module in API_MODULES:
        app.include_router(module.routes, prefix="/api/v1")
    app.include_router(health.routes)
    app.include_router(metrics.routes)
    app.include_router(sign_in.routes)
    app.include_router(studio_routes(StudioFiles(studio)))
    return app


def _give_parts(app: FastAPI, service: Service, access: Access) -> None:
    """What ``asked`` finds for the routes."""
    parts = app.state
    parts.access = access
    parts.time_zone = service.directory.settings.zone.key
    parts.queries = service.queries
    parts.catalog = CatalogQueries(service.queries, ObjectMetadata())
    parts.next_refreshes = service.background.scheduler.next_refreshes
    parts.clusters = service.pool.clusters
    parts.sessions = service.sessions
    parts.statements = service.statements
    parts.execution = service.runner
    parts.cancel_job = service.runner.cancel_job
    parts.end_session = service.runner.end_session
    parts.task_queries = service.task_control.queries
    parts.task_control = service.task_control
    parts.editing = service.editing
    parts.deployment = service.deployment
    parts.alerts = service.store.alerts
    parts.alert_settings = service.directory.settings.alerts
    parts.tokens = service.store.tokens
    parts.lake_time = TimeOfLake(service.directory.settings.zone, service.clock)
    parts.events = service.events
    parts.problems = service.background.problems
