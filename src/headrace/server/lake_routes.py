"""What the lake holds and what happened in it, without waking a cluster."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

from fastapi import APIRouter, Query

from headrace.errors import InterfaceError
from headrace.model.json_value import json_value
from headrace.model.names import TableName
from headrace.server.asked import Served, User
from headrace.views.jobs import JobRow, all_jobs, job_details

routes = APIRouter()
Limit = Annotated[int, Query(ge=1, le=10_000)]
_LAKE: list[str | Enum] = ["lake"]
_OPERATION: list[str | Enum] = ["operation"]


@routes.get("/schemas", tags=_LAKE, summary="List the schemas that hold something")
def schemas(service: Served) -> dict[str, Any]:
    return {"schemas": json_value(service.facts.schemas())}


@routes.get(
    "/schemas/{workspace}/{schema}/objects", tags=_LAKE, summary="List tables, dynamic tables and views"
)
def objects(workspace: str, schema: str, service: Served) -> dict[str, Any]:
    return {"objects": json_value(service.facts.objects_in(workspace, schema))}


@routes.get("/dynamic-tables", tags=_LAKE, summary="List the dynamic tables")
def dynamic_tables(service: Served) -> dict[str, Any]:
    return {"dynamic_tables": json_value(service.facts.dynamic_tables(service.scheduler.next_refreshes))}


@routes.get("/dynamic-tables/{workspace}/{schema}/{table}", tags=_LAKE, summary="Describe one dynamic table")
def dynamic_table(workspace: str, schema: str, table: str, service: Served) -> dict[str, Any]:
    name = TableName(workspace, schema, table)
    facts: dict[str, Any] = json_value(service.facts.dynamic_table(name, service.scheduler.next_refreshes))
    return facts


@routes.get("/history", tags=_LAKE, summary="List refreshes, newest first")
def history(
    service: Served,
    workspace: str | None = None,
    schema: str | None = None,
    table: str | None = None,
    limit: Limit = 100,
) -> dict[str, Any]:
    """Of one table where workspace, schema and table are given; of all without them."""
    given = (workspace, schema, table)
    if any(given) and not all(given):
        raise InterfaceError(
            "workspace, schema and table must be given together", hint="give all three, or none"
        )
    name = TableName(workspace, schema, table) if workspace and schema and table else None
    return {"refreshes": json_value(service.facts.refreshes(name, limit))}


@routes.get("/jobs", tags=_LAKE, summary="List statements, refreshes and task runs, newest first")
def jobs(service: Served, user: User, limit: Limit = 100) -> dict[str, Any]:
    """Of the statements of others not what they say."""
    return {"jobs": [json_value(JobRow.of(job, user)) for job in all_jobs(service.store, limit)]}


@routes.get("/jobs/{job_id}", tags=_LAKE, summary="Describe one job, with its profile")
def job(job_id: str, service: Served, user: User) -> dict[str, Any]:
    facts: dict[str, Any] = json_value(job_details(job_id, service.store, user))
    return facts


@routes.post("/jobs/{job_id}/cancel", status_code=202, tags=_LAKE, summary="Cancel a job")
def cancel_job(job_id: str, service: Served, user: User) -> None:
    """One that has ended is left alone."""
    service.cancel_job(job_id, user)


@routes.get("/lineage", tags=_LAKE, summary="Show which tables each dynamic table reads")
def lineage(service: Served) -> dict[str, Any]:
    facts: dict[str, Any] = json_value(service.facts.lineage())
    return facts


@routes.get("/costs", tags=_LAKE, summary="Show the cost of each dynamic table by day")
def costs(service: Served) -> dict[str, Any]:
    """Cluster seconds, rows and bytes of its refreshes, and the bytes it keeps now."""
    return {"costs": json_value(service.facts.costs())}


@routes.get("/clusters", tags=_OPERATION, summary="List the virtual clusters and what they do")
def clusters(service: Served) -> dict[str, Any]:
    return {
        "clusters": [
            {
                "name": cluster.spec.name,
                "type": cluster.spec.type,
                "size": cluster.spec.size_name,
                "state": cluster.state,
                "running": cluster.running,
                "queued": cluster.queued,
                "max_concurrency": cluster.spec.max_concurrency,
                "auto_suspend_seconds": cluster.spec.auto_suspend_seconds,
                "auto_resume": cluster.spec.auto_resume,
                "process": cluster.pid,
            }
            for cluster in service.pool.clusters()
        ]
    }
