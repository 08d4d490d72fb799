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
from headrace.server.asked import Served, User
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
    return {"dynamic_tables": _dynamic_tables(service.store.definitions.all(), service)}


@routes.get("/dynamic-tables/{workspace}/{schema}/{table}", tags=_LAKE, summary="Describe one dynamic table")
def dynamic_table(workspace: str, schema: str, table: str, service: Served) -> dict[str, Any]:
    found = service.store.definitions.find(TableName(workspace, schema, table))
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
        raise InterfaceError(
            "workspace, schema and table must be given together", hint="give all three, or none"
        )
    name = TableName(workspace, schema, table) if workspace and schema and table else None
    return {"refreshes": json_value(service.facts.refreshes(name, limit))}


@routes.get("/jobs", tags=_LAKE, summary="List statements, refreshes and task runs, newest first")
def jobs(service: Served, user: User, limit: Limit = 100) -> dict[str, Any]:
    """Of the statements of others not what they say."""
    return {"jobs": [json_value(job_row(job, user)) for job in all_jobs(service.store, limit)]}


@routes.get("/jobs/{job_id}", tags=_LAKE, summary="Describe one job, with its profile")
def job(job_id: str, service: Served, user: User) -> dict[str, Any]:
    facts: dict[str, Any] = json_value(job_facts(job_id, service.store, user))
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
    found = {name: service.facts.head(at) for name, at in service.heads.locations().items()}
    heads = {name: head for name, head in found.items() if head is not None}
    store, zone = service.store, service.directory.settings.zone
    return {"costs": json_value(costs_of(store.refreshes, store.profiles, heads, zone))}


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


def _dynamic_tables(tables: list[DynamicTable], service: Service) -> list[dict[str, Any]]:
    store = service.store
    dues, locations = service.scheduler.next_refreshes(tables), service.heads.locations()
    found = service.facts.conditions([table.name for table in tables])
    facts: list[dict[str, Any]] = json_value(
        [
            table_facts(
                table,
                found[table.name],
                service.facts.head(locations.get(table.name)),
                store.refreshes.latest(table.id),
                dues[table.name],
            )
            for table in tables
        ]
    )
    return facts
