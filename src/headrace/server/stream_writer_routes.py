"""Rows that clients stream into tables."""

from __future__ import annotations

import asyncio
import base64
from functools import partial
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Header, Query, Request

from headrace.errors import InterfaceError
from headrace.ingest.stream_writers.requests import WriteRequest, from_arrow_stream, from_json_lines
from headrace.lake.write_ahead.segment import WriteMode
from headrace.model.names import DEFAULT_SCHEMA, DEFAULT_WORKSPACE, TableName
from headrace.server.dependencies import FlushLimit, StreamedWrites, User
from headrace.server.paging import Listed, Order, Page
from headrace.server.view_route import ViewRoute
from headrace.sql.tokens.dotted_name import dotted_parts
from headrace.views.stream_writers import StreamWriterRow, WriterStateView, WrittenView
from headrace.wire import ARROW_STREAM

routes = APIRouter(route_class=ViewRoute, tags=["ingestion"])
_JSON_LINES = ("application/x-ndjson", "application/jsonl", "application/json-lines")
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            ARROW_STREAM: {"schema": {"type": "string", "format": "binary"}},
            _JSON_LINES[0]: {"schema": {"type": "string"}},
        },
    }
}
_BY_NAME = Order[StreamWriterRow](
    lambda each: (each.schema_name, each.table_name, each.client), (str, str, str)
)
Client = Annotated[str, Query(description="Who writes: up to 128 letters, digits and . _ : @ -")]


@routes.get("/stream-writers", summary="List the clients that stream rows into tables")
def stream_writers(writes: StreamedWrites, listing: Listed) -> Page[StreamWriterRow]:
    """Those that have written since the server was started, and what of it is not committed yet."""
    return listing.page_of_all(writes.rows(), _BY_NAME, lambda each: each.table_name)


@routes.get("/stream-writers/{table}", summary="Show the state of a stream writer")
def writer_state(table: str, client: Client, writes: StreamedWrites) -> WriterStateView:
    state = writes.state(table_named(table), client)
    columns = base64.b64encode(bytes(state.target.schema.serialize())).decode()
    return WriterStateView(str(state.table), client, state.last_sequence, columns)


@routes.post("/stream-writers/{table}", summary="Write rows into a table", openapi_extra=_BODY)
async def write(
    table: str,
    client: Client,
    sequence: Annotated[int, Query(ge=1, description="1, 2, 3, ...: the number of the request")],
    writes: StreamedWrites,
    user: User,
    request: Request,
    content_type: Annotated[str, Header()] = ARROW_STREAM,
    mode: WriteMode = WriteMode.APPEND,
    key: Annotated[list[str] | None, Query(description="The key columns of mode upsert")] = None,
) -> WrittenView:
    """The answer comes when the rows are durable. They are committed to the table within its interval, and
    before the next statement on this server that reads it.

    A request that is sent again with the same number is kept once. 429: too many rows wait for their commit.
    """
    body = await request.body()
    asked = WriteRequest(client, sequence, mode, tuple(key or ()))
    kind = content_type.partition(";")[0].strip().lower()
    if kind != ARROW_STREAM and kind not in _JSON_LINES:
        raise InterfaceError(
            f"rows cannot be read as {kind}", hint=f"the content type is {ARROW_STREAM} or {_JSON_LINES[0]}"
        )
    read = partial(from_arrow_stream if kind == ARROW_STREAM else from_json_lines, body)
    rows, is_duplicate = await asyncio.to_thread(writes.write, table_named(table), asked, read)
    return WrittenView(client, sequence, rows, is_duplicate)


@routes.post("/stream-writers/{table}/flush", status_code=204, summary="Commit the rows of a table")
async def flush(table: str, writes: StreamedWrites, waiting: FlushLimit) -> None:
    """All that came before are in the Iceberg table when the answer comes."""
    name = table_named(table)
    await anyio.to_thread.run_sync(writes.flush, name, limiter=waiting)


@routes.delete("/stream-writers/{table}", status_code=204, summary="End a client")
def end(table: str, client: Client, writes: StreamedWrites) -> None:
    """It will not write again, and is forgotten soon."""
    writes.end(table_named(table), client)


def table_named(text: str) -> TableName:
    """``schema.table`` as it is written in SQL."""
    parts = dotted_parts(text)
    if parts is None or len(parts) > 3:
        raise InterfaceError(f"{text!r} is not the name of a table", hint="write schema.table")
    return TableName.resolve(parts, DEFAULT_WORKSPACE, DEFAULT_SCHEMA)
