"""Pipes: what they have loaded, and what their sources still have."""

from __future__ import annotations

from fastapi import APIRouter

from headrace.model.names import TableName
from headrace.server.dependencies import KnownPipes
from headrace.server.paging import Listed, Order, Page
from headrace.server.view_route import ViewRoute
from headrace.views.pipes import PipeRow

routes = APIRouter(route_class=ViewRoute, tags=["lake"])
_BY_NAME = Order[PipeRow](lambda each: (each.schema_name, each.name), (str, str))


@routes.get("/pipes", summary="List the pipes")
def pipes(queries: KnownPipes, listing: Listed) -> Page[PipeRow]:
    return listing.page_of_all(map(PipeRow.of, queries.pipes()), _BY_NAME, lambda each: each.name)


@routes.get("/pipes/{workspace}/{schema}/{name}", summary="Describe one pipe")
def pipe(workspace: str, schema: str, name: str, queries: KnownPipes) -> PipeRow:
    return PipeRow.of(queries.pipe(TableName(workspace, schema, name)))
