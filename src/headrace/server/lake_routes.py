"""What the lake holds and what happened in it, without waking a cluster."""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import Annotated

from fastapi import APIRouter, Query

from headrace.cluster.cluster import Cluster
from headrace.errors import InterfaceError
from headrace.model.history import Refresh, RefreshMode, RefreshState
from headrace.model.job import Job
from headrace.model.names import TableName
from headrace.model.role import Privilege
from headrace.model.vcluster import VclusterState
from headrace.refresh.condition import TableState
from headrace.server.dependencies import (
    CancelJob,
    Clusters,
    DynamicTables,
    Graph,
    History,
    NextRefreshes,
    Objects,
    Overview,
    User,
)
from headrace.server.job_filter import FilteredJobs
from headrace.server.paging import Listed, Order, Page
from headrace.server.rights import requires
from headrace.server.selecting import Selected
from headrace.server.statement_views import CancelRequested
from headrace.server.time_range import TimeRange, aware
from headrace.server.view_route import ViewRoute
from headrace.views.clusters import ClusterView
from headrace.views.column_lineage import ColumnLineage, Direction
from headrace.views.costs import CostRow
from headrace.views.dynamic_tables import DynamicTableView
from headrace.views.graph import LakeGraph
from headrace.views.jobs import JobDetails, JobRow, job_position
from headrace.views.key_indexes import KeyIndexRow
from headrace.views.lineage import Lineage
from headrace.views.objects import ObjectView, SchemaView
from headrace.views.refreshes import RefreshView

routes = APIRouter(route_class=ViewRoute)
_LAKE: list[str | Enum] = ["lake"]
_OPERATION: list[str | Enum] = ["operation"]
_BY_SCHEMA = Order[SchemaView](lambda each: (each.workspace, each.schema), (str, str))
_BY_DAY = Order[CostRow](
    lambda row: (-row.day.toordinal(), row.workspace_name, row.schema_name, row.name), (int, str, str, str)
)
_BY_TABLE_AND_KEY = Order[KeyIndexRow](
    lambda row: (
        row.table_name is None,
        row.workspace_name or "",
        row.schema_name or "",
        row.table_name or "",
        row.columns,
    ),
    (bool, str, str, str, str),
)
_NEWEST_REFRESH = Order[Refresh](lambda row: (row.start_time, row.job_id), (datetime, str))
_NEWEST_JOB = Order[Job](job_position, (datetime, str))


@routes.get("/schemas", tags=_LAKE, summary="List the schemas")
def schemas(queries: Objects, listing: Listed) -> Page[SchemaView]:
    return listing.page_of_all(queries.schemas(), _BY_SCHEMA, lambda each: each.schema)


@routes.get(
    "/schemas/{workspace}/{schema}/objects", tags=_LAKE, summary="List tables, dynamic tables and views"
)
def objects(workspace: str, schema: str, queries: Objects, listing: Listed) -> Page[ObjectView]:
    found = queries.objects_in(workspace, schema)
    return listing.page_of_all(found, Order(lambda each: (each.name,)), lambda each: each.name)


@routes.get("/dynamic-tables", tags=_LAKE, summary="List the dynamic tables")
def dynamic_tables(
    queries: DynamicTables,
    graph: Graph,
    due: NextRefreshes,
    listing: Listed,
    selected: Selected,
    state: TableState | None = None,
) -> Page[DynamicTableView]:
    meant = None if selected is None else {node.id for node in graph.graph().selected(selected).nodes}
    return listing.page_of_all(
        queries.dynamic_tables(due),
        Order(lambda each: (each.name,)),
        lambda each: each.name.rpartition(".")[2],
        lambda each: state in (None, each.state) and (meant is None or each.name in meant),
    )


@routes.get("/dynamic-tables/{workspace}/{schema}/{table}", tags=_LAKE, summary="Describe one dynamic table")
def dynamic_table(
    workspace: str, schema: str, table: str, queries: DynamicTables, due: NextRefreshes
) -> DynamicTableView:
    return queries.dynamic_table(TableName(workspace, schema, table), due)


@routes.get("/history", tags=_LAKE, summary="List refreshes, newest first")
def history(
    queries: History,
    listing: Listed,
    workspace: str | None = None,
    schema: str | None = None,
    table: str | None = None,
    state: RefreshState | None = None,
    mode: RefreshMode | None = None,
    since: Annotated[datetime | None, Query(description="Only refreshes that started then or later.")] = None,
    until: Annotated[datetime | None, Query(description="Only refreshes that started before.")] = None,
) -> Page[RefreshView]:
    """Of one table where workspace, schema and table are given; of all without them."""
    given = (workspace, schema, table)
    if any(given) and not all(given):
        raise InterfaceError(
            "workspace, schema and table must be given together", hint="give all three, or none"
        )
    name = TableName(workspace, schema, table) if workspace and schema and table else None
    return listing.page_of(
        TimeRange(since, until).applied(queries.refreshes_of(name), _started_at, ("",)),
        _NEWEST_REFRESH,
        _refreshed_table,
        lambda row: state in (None, row.state) and mode in (None, row.mode),
    ).map(RefreshView.of)


@routes.get("/jobs", tags=_LAKE, summary="List statements, refreshes and task runs, newest first")
def jobs(queries: History, user: User, listing: Listed, filtered: FilteredJobs) -> Page[JobRow]:
    """Of the statements of others not what they say. The name of a job is its id."""
    fetch = filtered.times.applied(queries.jobs, _submitted_at, ("",))
    return listing.page_of(fetch, _NEWEST_JOB, _job_id, lambda job: filtered.is_selected(job, user)).map(
        lambda job: JobRow.of(job, user)
    )


@routes.get("/jobs/{job_id}", tags=_LAKE, summary="Describe one job, with its profile")
def job(job_id: str, queries: History, user: User) -> JobDetails:
    return queries.job(job_id, user)


@routes.post(
    "/jobs/{job_id}/cancel",
    status_code=202,
    tags=_LAKE,
    summary="Cancel a job",
    openapi_extra=requires(Privilege.OPERATE),
)
def cancel_job(job_id: str, cancel: CancelJob, user: User) -> CancelRequested:
    """One that has ended is left alone."""
    cancel(job_id, user)
    return CancelRequested(job_id)


@routes.get("/lineage", tags=_LAKE, summary="Show which tables each dynamic table reads")
def lineage(queries: Overview) -> Lineage:
    return queries.lineage()


@routes.get("/graph", tags=_LAKE, summary="Show tables, dynamic tables, streams and tasks as a graph")
def graph(queries: Graph, selected: Selected) -> LakeGraph:
    """The nodes that are selected, and the edges between them."""
    found = queries.graph()
    return found if selected is None else found.selected(selected)


@routes.get(
    "/lineage/columns/{workspace}/{schema}/{table}",
    tags=_LAKE,
    summary="Show where the values of columns come from and where they go",
)
def column_lineage(
    workspace: str,
    schema: str,
    table: str,
    queries: Graph,
    column: str | None = None,
    direction: Direction = Direction.BOTH,
) -> ColumnLineage:
    """Of one column, or of all columns of the table."""
    return queries.column_lineage(TableName(workspace, schema, table), column, direction)


@routes.get("/costs", tags=_LAKE, summary="Show the cost of each dynamic table by day, newest first")
def costs(
    queries: Overview,
    listing: Listed,
    since: Annotated[datetime | None, Query(description="Only refreshes that started then or later.")] = None,
) -> Page[CostRow]:
    """Cluster seconds, rows and bytes of its refreshes, and the bytes it keeps now."""
    return listing.page_of_all(
        queries.costs(aware(since)),
        _BY_DAY,
        lambda row: row.name,
    )


@routes.get("/key-indexes", tags=_LAKE, summary="List the indexes by which refreshes find rows")
def key_indexes(
    queries: Overview,
    listing: Listed,
    workspace: str | None = None,
    schema: str | None = None,
    table: str | None = None,
) -> Page[KeyIndexRow]:
    """By table and key columns. The name of an index is that of its table."""
    return listing.page_of_all(
        queries.key_indexes(),
        _BY_TABLE_AND_KEY,
        lambda row: row.table_name or "",
        lambda row: (
            workspace in (None, row.workspace_name)
            and schema in (None, row.schema_name)
            and table in (None, row.table_name)
        ),
    )


@routes.get("/clusters", tags=_OPERATION, summary="List the virtual clusters and what they do")
def clusters(found: Clusters, listing: Listed, state: VclusterState | None = None) -> Page[ClusterView]:
    return listing.page_of_all(
        map(_cluster, found()),
        Order(lambda each: (each.name,)),
        lambda each: each.name,
        lambda each: state in (None, each.state),
    )


def _started_at(row: Refresh) -> datetime:
    return row.start_time


def _refreshed_table(row: Refresh) -> str:
    return row.table.table


def _submitted_at(job: Job) -> datetime:
    return job.submitted_at


def _job_id(job: Job) -> str:
    return job.job_id


def _cluster(cluster: Cluster) -> ClusterView:
    spec = cluster.spec
    return ClusterView(
        name=spec.name,
        type=spec.type,
        size=spec.size_name,
        state=cluster.state,
        running=cluster.running,
        queued=cluster.queued,
        max_concurrency=spec.max_concurrency,
        auto_suspend_seconds=spec.auto_suspend_seconds,
        auto_resume=spec.auto_resume,
        process=cluster.pid,
    )
