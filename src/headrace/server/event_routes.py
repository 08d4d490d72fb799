"""What happens in the lake, as it happens."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query

from headrace.errors import InterfaceError
from headrace.model.names import DEFAULT_SCHEMA, DEFAULT_WORKSPACE, TableName
from headrace.server.dependencies import Events, IsAdmitted, User
from headrace.server.error_responses import FAILURES_BESIDE_TEXT
from headrace.server.event_models import EventData, EventType
from headrace.server.event_stream import EventSource, EventStream
from headrace.server.event_view import EventView
from headrace.sql.tokens.dotted_name import dotted_parts

routes = APIRouter(tags=["lake"])
_TYPES = f"Of {', '.join(EventType)}, separated by commas."
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "model": EventData,
        "description": "Server-sent events. `event` is the type, `data` one of these objects as JSON, "
        "`id` what `Last-Event-ID` accepts.",
    },
    **FAILURES_BESIDE_TEXT,
}
_SCHEMA = {"responses": {"200": {"content": {"text/event-stream": {"schema": {"type": "object"}}}}}}
"""FastAPI declares what is not JSON as a string."""


@routes.get(
    "/events",
    summary="Follow what happens in the lake",
    response_class=EventSource,
    responses=_RESPONSES,
    openapi_extra=_SCHEMA,
)
async def events(
    feed: Events,
    user: User,
    is_admitted: IsAdmitted,
    types: Annotated[str | None, Query(description=_TYPES)] = None,
    table: Annotated[str | None, Query(description="Only refreshes and changes of this table.")] = None,
    after: Annotated[str | None, Query(description="The same as Last-Event-ID.")] = None,
    last_event_id: Annotated[str | None, Header(description="Only events after the one of this id.")] = None,
) -> EventStream:
    """Without an id, from now on. A client that receives `reset` has missed events and must reload."""
    view = EventView(user, _types(types), None if table is None else _name(table))
    return EventStream(feed, view, last_event_id or after, is_admitted)


def _types(text: str | None) -> frozenset[EventType]:
    if text is None:
        return frozenset(EventType)
    try:
        return frozenset(EventType(each.strip()) for each in text.split(","))
    except ValueError as error:
        raise InterfaceError(f"types: {error}", hint=f"the types are {', '.join(EventType)}") from None


def _name(text: str) -> TableName:
    parts = dotted_parts(text)
    if parts is None or len(parts) > 3:
        raise InterfaceError(f"{text} is not a valid table name", hint="names are workspace.schema.table")
    return TableName.resolve(parts, DEFAULT_WORKSPACE, DEFAULT_SCHEMA)
