"""Pipes and syncs: what they have loaded, and what their sources still have."""

from __future__ import annotations

from fastapi import APIRouter

from headrace.model.names import TableName
from headrace.server.dependencies import KnownPipes
from headrace.server.paging import Listed, Order, Page
from headrace.server.view_route import ViewRoute
from headrace.views.pipes import PipeRow
from headrace.views.syncs import SyncRow

routes = APIRouter(route_class=ViewRoute, tags=["lake"])
_BY_NAME = Order[PipeRow](lambda each: (each.schema_name, each.name), (str, str))
_SYNCS_BY_NAME = Order[SyncRow](lambda each: (each.schema_name, each.name), (str, str))


@routes.get("/pipes", summary="List the pipes")
def pipes(queries: KnownPipes, listing: Listed) -> Page[PipeRow]:
    return listing.page_of_all(map(PipeRow.of, queries.pipes()), _BY_NAME, lambda each: each.name)


@routes.get("/pipes/{workspace}/{schema}/{name}", summary="Describe one pipe")
def pipe(workspace: str, schema: str, name: str, queries: KnownPipes) -> PipeRow:
    return PipeRow.of(queries.pipe(TableName(workspace, schema, name)))


@routes.get("/syncs", summary="List the syncs")
def syncs(queries: KnownPipes, listing: Listed) -> Page[SyncRow]:
    """As of the last run of each."""
    return listing.page_of_all(map(SyncRow.of, queries.syncs()), _SYNCS_BY_NAME, lambda each: each.name)


@routes.get("/syncs/{workspace}/{schema}/{name}", summary="Describe one sync")
def sync(workspace: str, schema: str, name: str, queries: KnownPipes) -> SyncRow:
    return SyncRow.of(queries.sync(TableName(workspace, schema, name)))
