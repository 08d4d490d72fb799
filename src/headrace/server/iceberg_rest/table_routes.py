"""Tables: dynamic ones to be read, base tables to be written, too."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import APIRouter, Body, Header, Response
from fastapi.responses import JSONResponse

from headrace.server.dependencies import FlushLimit, User
from headrace.server.iceberg_rest.models import SEPARATOR, RenameTable, schema_of, table_of
from headrace.server.iceberg_rest.parts import Changes, Lake, Prefix
from headrace.server.iceberg_rest.served_lake import Loaded, load_response, with_named_snapshots

routes = APIRouter(prefix="/v1/{prefix}", dependencies=[Prefix])
_TABLES = "/namespaces/{namespace}/tables"
_TABLE = f"{_TABLES}/{{table}}"
Snapshots = Literal["all", "refs"]
Request = Annotated[dict[str, Any], Body()]
"""In the words of the protocol, which Iceberg reads."""


@routes.get(_TABLES)
def tables(namespace: str, lake: Lake) -> dict[str, Any]:
    schema = schema_of(namespace.split(SEPARATOR))
    names = lake.names(schema, "TABLE")
    return {"identifiers": [{"namespace": [schema], "name": name} for name in names]}


@routes.get(_TABLE)
def load(
    namespace: str,
    table: str,
    lake: Lake,
    snapshots: Snapshots = "all",
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """Nothing, if the table is as the client has it."""
    name = table_of(namespace, table)
    if if_none_match == _tag(lake.location(name, "TABLE"), snapshots):
        return Response(status_code=304, headers={"ETag": if_none_match})
    found = lake.table(name)
    tag = _tag(found.location, snapshots)
    if snapshots == "refs":
        found = Loaded(found.location, with_named_snapshots(found.metadata))
    return JSONResponse(load_response(found), headers={"ETag": tag})


@routes.head(_TABLE, status_code=204)
def exists(namespace: str, table: str, lake: Lake) -> Response:
    lake.location(table_of(namespace, table), "TABLE")
    return Response(status_code=204)


@routes.post(_TABLES, summary="Create a table")
async def create(
    namespace: str, asked: Request, changes: Changes, user: User, waiting: FlushLimit
) -> Response:
    schema = schema_of(namespace.split(SEPARATOR))
    return _json(await to_thread.run_sync(changes.create, user, schema, asked, limiter=waiting))


@routes.post(_TABLE, summary="Change a table")
async def commit(
    namespace: str, table: str, asked: Request, changes: Changes, user: User, waiting: FlushLimit
) -> Response:
    name = table_of(namespace, table)
    return _json(await to_thread.run_sync(changes.commit, user, name, asked, limiter=waiting))


@routes.delete(_TABLE, status_code=204, summary="Drop a table")
async def drop(namespace: str, table: str, changes: Changes, user: User, waiting: FlushLimit) -> Response:
    await to_thread.run_sync(changes.drop, user, table_of(namespace, table), limiter=waiting)
    return Response(status_code=204)


@routes.post("/namespaces/{namespace}/register", summary="Register a table")
async def register(
    namespace: str, asked: Request, changes: Changes, user: User, waiting: FlushLimit
) -> Response:
    schema = schema_of(namespace.split(SEPARATOR))
    return _json(await to_thread.run_sync(changes.register, user, schema, asked, limiter=waiting))


@routes.post("/tables/rename", status_code=204, summary="Rename a table")
async def rename(asked: RenameTable, changes: Changes, user: User, waiting: FlushLimit) -> Response:
    source, destination = asked.source.table(), asked.destination.table()
    await to_thread.run_sync(changes.rename, user, source, destination, limiter=waiting)
    return Response(status_code=204)


def _tag(location: str, snapshots: Snapshots) -> str:
    return f'"{sha256(f"{snapshots} {location}".encode()).hexdigest()}"'


def _json(answer: str) -> Response:
    return Response(answer, media_type="application/json")
