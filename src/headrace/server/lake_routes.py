"""What the lake holds and what happened in it, without waking a cluster."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from headrace.commands.job_rows import job_facts, job_row, refresh_job
from headrace.errors import NotFound
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import Refresh
from headrace.model.names import DROPPED_SCHEMA, TableName
from headrace.refresh.record import REFRESH_ID
from headrace.schedule.due import next_due
from headrace.server.asked import Served, User
from headrace.server.service import Service
from headrace.wire import json_value

routes = APIRouter(tags=["lake"])
Limit = Annotated[int, Query(ge=1, le=10_000)]


@routes.get("/schemas")
def schemas(service: Served, user: User) -> dict[str, Any]:
    names = {(name.workspace, name.schema) for name in _objects(service)}
    return {"schemas": [{"workspace": workspace, "schema": schema} for workspace, schema in sorted(names)]}


@routes.get("/schemas/{workspace}/{schema}/objects")
def objects(workspace: str, schema: str, service: Served, user: User) -> dict[str, Any]:
    found = {
        name: kind
        for name, kind in _objects(service).items()
        if (name.workspace, name.schema) == (workspace, schema)
    }
    return {"objects": [{"name": name.table, "kind": kind} for name, kind in sorted(found.items())]}


@routes.get("/dynamic-tables")
def dynamic_tables(service: Served, user: User) -> dict[str, Any]:
    starts = service.store.last_starts()
    return {"dynamic_tables": [_dynamic_table(table, starts, service) for table in service.store.all()]}


@routes.get("/dynamic-tables/{workspace}/{schema}/{table}")
def dynamic_table(workspace: str, schema: str, table: str, service: Served, user: User) -> dict[str, Any]:
    found = service.store.find(TableName(workspace, schema, table))
    if found is None:
        raise NotFound(f"dynamic table {workspace}.{schema}.{table} does not exist")
    return _dynamic_table(found, service.store.last_starts(), service)


@routes.get("/history")
def history(
    service: Served,
    user: User,
    workspace: str | None = None,
    schema: str | None = None,
    table: str | None = None,
    limit: Limit = 100,
) -> dict[str, Any]:
    """Refreshes, newest first; of one table where it is named in full."""
    name = TableName(workspace, schema, table) if workspace and schema and table else None
    return {"refreshes": [refresh_row(row) for row in service.store.history(name, limit)]}


@routes.get("/jobs")
def jobs(service: Served, user: User, limit: Limit = 100) -> dict[str, Any]:
    store = service.store
    found = [*store.jobs.history(limit), *map(refresh_job, store.history(limit=limit))]
    found.sort(key=lambda job: (job.submitted_at, job.job_id), reverse=True)
    return {"jobs": [json_value(job_row(job)) for job in found[:limit]]}


@routes.get("/jobs/{job_id}")
def job(job_id: str, service: Served, user: User) -> dict[str, Any]:
    """With its profile."""
    facts: dict[str, Any] = json_value(job_facts(job_id, service.store))
    return facts


@routes.post("/jobs/{job_id}/cancel", status_code=202)
def cancel_job(job_id: str, service: Served, user: User) -> None:
    service.cancel_job(job_id)


@routes.get("/lineage")
def lineage(service: Served, user: User) -> dict[str, Any]:
    """Which table is made from which."""
    tables = {table.name: table for table in service.store.all()}
    sources = {source.name for table in tables.values() for source in table.definition.sources}
    return {
        "nodes": [
            {"name": str(name), "kind": "dynamic table" if name in tables else "table"}
            for name in sorted(tables.keys() | sources)
        ],
        "edges": [
            {"from": str(source.name), "to": str(table.name)}
            for table in tables.values()
            for source in table.definition.sources
        ],
    }


@routes.get("/clusters")
def clusters(service: Served, user: User) -> dict[str, Any]:
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


@routes.get("/health")
def health(service: Served, user: User) -> dict[str, Any]:
    parts = {
        "scheduler": service.scheduler.trouble,
        "tasks": service.tasks.trouble,
        "alerts": service.alerts.trouble or service.delivery.trouble,
    }
    is_well = not any(parts.values())
    return {"status": "ok" if is_well else "degraded"} | {part: said or "ok" for part, said in parts.items()}


def refresh_row(row: Refresh) -> dict[str, Any]:
    return {
        "job_id": row.job_id,
        "table": str(row.table),
        "cluster": row.cluster,
        "state": row.state,
        "trigger": row.trigger,
        "mode": row.mode,
        "mode_reason": row.mode_reason,
        "start_time": json_value(row.start_time),
        "end_time": json_value(row.end_time),
        "rows_inserted": row.stats.rows_inserted if row.stats else None,
        "rows_deleted": row.stats.rows_deleted if row.stats else None,
        "rows_read": row.rows_read,
        "bytes_read": row.bytes_read,
        "cluster_seconds": row.cluster_seconds,
        "error_message": row.error_message,
        "suspended_reason": row.suspended_reason,
        "source_versions": {str(name): str(version) for name, version in row.source_versions.items()},
    }


def _objects(service: Service) -> dict[TableName, str]:
    dynamic = service.store.names()
    found = {
        name: "dynamic table" if name in dynamic else "table"
        for name in service.heads.locations()
        if name.schema != DROPPED_SCHEMA
    }
    return found | dict.fromkeys(service.heads.locations("VIEW"), "view")


def _dynamic_table(table: DynamicTable, starts: dict[str, Any], service: Service) -> dict[str, Any]:
    location = service.heads.locations().get(table.name)
    head = service.files.head(location, REFRESH_ID) if location is not None else None
    last = service.store.latest(table.id)
    return {
        "name": str(table.name),
        "query": table.definition.query,
        "sources": [str(source.name) for source in table.definition.sources],
        "columns": [{"name": column.name, "type": column.type} for column in table.columns],
        "interval_seconds": table.schedule.interval_seconds,
        "cluster": table.cluster,
        "mode": table.mode,
        "suspended": table.suspended,
        "creator": table.creator,
        "next_refresh": json_value(next_due(table, starts.get(table.id))),
        "last_refresh": refresh_row(last) if last is not None else None,
        "rows": head.rows if head else None,
        "bytes": head.bytes if head else None,
    }
