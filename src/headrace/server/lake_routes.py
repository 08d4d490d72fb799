"""What the lake holds and what happened in it, without waking a cluster."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

from fastapi import APIRouter, Query

from headrace.commands.costs import costs as costs_of
from headrace.commands.job_rows import all_jobs, job_facts, job_row
from headrace.commands.lake_facts import table_facts
from headrace.errors import InterfaceError, NotFound
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName
from headrace.schedule.due import next_due
from headrace.server.asked import Served
from headrace.server.service import Service
from headrace.wire import json_value

routes = APIRouter()
Limit = Annotated[int, Query(ge=1, le=10_000)]
_LAKE: list[str | Enum] = ["lake"]
_OPERATION: list[str | Enum] = ["operation"]


@routes.get("/schemas", tags=_LAKE, summary="List the schemas that hold something")
def schemas(service: Served) -> dict[str, Any]:
    names = {(name.workspace, name.schema) for name in service.facts.objects()}
    return {"schemas": [{"workspace": workspace, "schema": schema} for workspace, schema in sorted(names)]}


@routes.get(
    "/schemas/{workspace}/{schema}/objects", tags=_LAKE, summary="List tables, dynamic tables and views"
)
def objects(workspace: str, schema: str, service: Served) -> dict[str, Any]:
    found = {
        name: kind
        for name, kind in service.facts.objects().items()
        if (name.workspace, name.schema) == (workspace, schema)
    }
    return {"objects": [{"name": name.table, "kind": kind} for name, kind in sorted(found.items())]}


@routes.get("/dynamic-tables", tags=_LAKE, summary="List the dynamic tables")
def dynamic_tables(service: Served) -> dict[str, Any]:
    return {"dynamic_tables": _dynamic_tables(service.store.all(), service)}


@routes.get("/dynamic-tables/{workspace}/{schema}/{table}", tags=_LAKE, summary="Describe one dynamic table")
def dynamic_table(workspace: str, schema: str, table: str, service: Served) -> dict[str, Any]:
    found = service.store.find(TableName(workspace, schema, table))
    if found is None:
        raise NotFound(f"dynamic table {workspace}.{schema}.{table} does not exist")
    (facts,) = _dynamic_tables([found], service)
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
        raise InterfaceError("workspace, schema and table go together", hint="give all three, or none")
    name = TableName(workspace, schema, table) if workspace and schema and table else None
    return {"refreshes": json_value(service.facts.refreshes(name, limit))}


@routes.get("/jobs", tags=_LAKE, summary="List statements, refreshes and task runs, newest first")
def jobs(service: Served, limit: Limit = 100) -> dict[str, Any]:
    return {"jobs": [json_value(job_row(job)) for job in all_jobs(service.store, limit)]}


@routes.get("/jobs/{job_id}", tags=_LAKE, summary="Describe one job, with its profile")
def job(job_id: str, service: Served) -> dict[str, Any]:
    facts: dict[str, Any] = json_value(job_facts(job_id, service.store))
    return facts


@routes.post("/jobs/{job_id}/cancel", status_code=202, tags=_LAKE, summary="Cancel a job")
def cancel_job(job_id: str, service: Served) -> None:
    """One that has ended is left alone."""
    service.cancel_job(job_id)


@routes.get("/lineage", tags=_LAKE, summary="Tell which table is made from which")
def lineage(service: Served) -> dict[str, Any]:
    facts: dict[str, Any] = json_value(service.facts.lineage())
    return facts


@routes.get("/costs", tags=_LAKE, summary="Tell what each dynamic table has cost on each day")
def costs(service: Served) -> dict[str, Any]:
    """Cluster seconds, rows and bytes of its refreshes, and the bytes it keeps now."""
    found = {name: service.facts.head(at) for name, at in service.heads.locations().items()}
    heads = {name: head for name, head in found.items() if head is not None}
    return {"costs": json_value(costs_of(service.store, heads, service.directory.settings.zone))}


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


@routes.get("/health", tags=_OPERATION, summary="Tell whether the server and its parts work")
def health(service: Served) -> dict[str, Any]:
    parts = {
        "scheduler": service.scheduler.trouble,
        "tasks": service.tasks.trouble,
        "cleaning": service.cleaning.trouble,
        "alerts": service.alerts.trouble or service.delivery.trouble,
    }
    is_well = not any(parts.values())
    return {"status": "ok" if is_well else "degraded"} | {part: said or "ok" for part, said in parts.items()}


def _dynamic_tables(tables: list[DynamicTable], service: Service) -> list[dict[str, Any]]:
    store = service.store
    starts, locations = store.last_starts(), service.heads.locations()
    facts: list[dict[str, Any]] = json_value(
        [
            table_facts(
                table,
                service.facts.head(locations.get(table.name)),
                store.latest(table.id),
                next_due(table, starts.get(table.id)),
            )
            for table in tables
        ]
    )
    return facts
