"""Objects of the lake: their pages, their versions, a preview of their rows, and search."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from headrace.model.names import TableName
from headrace.model.role import Privilege
from headrace.server.dependencies import Catalog, Execution, OpenSessions, Sender
from headrace.server.paging import Listed, Order, Page
from headrace.server.rights import requires
from headrace.server.statement_views import StatementView
from headrace.server.view_route import ViewRoute
from headrace.views.object_details import ObjectDetails
from headrace.views.pending_changes import StreamView
from headrace.views.search import SearchHits
from headrace.views.versions import VersionView

routes = APIRouter(tags=["lake"], route_class=ViewRoute)
_PREVIEW_ROWS = 100
_NEWEST = Order[VersionView](lambda row: (-row.time.timestamp(), -row.version), (float, int))


class PreviewAsked(BaseModel):
    session: str
    version: int | None = Field(None, description="Of the table; without it, the current one.")
    limit: int = Field(_PREVIEW_ROWS, ge=1, le=10_000)


@routes.get("/objects/{workspace}/{schema}/{name}", summary="Describe a table, view or dynamic table")
def object_details(workspace: str, schema: str, name: str, catalog: Catalog) -> ObjectDetails:
    return catalog.object(TableName(workspace, schema, name))


@routes.get(
    "/objects/{workspace}/{schema}/{name}/versions", summary="List the versions of a table, newest first"
)
def versions(workspace: str, schema: str, name: str, catalog: Catalog, listing: Listed) -> Page[VersionView]:
    """The name of a version is its operation."""
    found = catalog.versions(TableName(workspace, schema, name))
    return listing.page_of_all(found, _NEWEST, lambda row: row.operation)


@routes.post(
    "/objects/{workspace}/{schema}/{name}/preview",
    status_code=202,
    summary="Read the first rows of a table or view",
    openapi_extra=requires(Privilege.SELECT),
)
async def preview(
    workspace: str,
    schema: str,
    name: str,
    asked: PreviewAsked,
    sessions: OpenSessions,
    execution: Execution,
    sender: Sender,
) -> StatementView:
    """By a statement of the session, whose rows are fetched as those of any other."""
    session = sessions.find(asked.session, sender)
    version = "" if asked.version is None else f" VERSION AS OF {asked.version}"
    text = f"SELECT * FROM {TableName(workspace, schema, name).sql}{version} LIMIT {asked.limit}"
    statement = await asyncio.to_thread(execution.submit, session, text, None)
    return StatementView.of(statement, None)


@routes.get("/streams", summary="List table streams with their offsets and pending changes")
def streams(catalog: Catalog, listing: Listed) -> Page[StreamView]:
    return listing.page_of_all(catalog.streams(), Order(lambda each: (each.id,)), lambda each: each.name)


@routes.get("/search", summary="Search names of objects, columns, tasks and files")
def search(
    catalog: Catalog,
    text: Annotated[
        str, Query(max_length=200, description="Words that must all be part of a name or its place.")
    ],
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> SearchHits:
    return catalog.search(text, limit)
