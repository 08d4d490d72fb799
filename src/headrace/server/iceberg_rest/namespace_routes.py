"""Schemas of the lake as namespaces."""

from __future__ import annotations

from typing import Any

from anyio import to_thread
from fastapi import APIRouter, Response

from headrace.server.dependencies import FlushLimit, User
from headrace.server.iceberg_rest.models import SEPARATOR, CreateNamespace, schema_of
from headrace.server.iceberg_rest.parts import Changes, Lake, Prefix

routes = APIRouter(prefix="/v1/{prefix}", dependencies=[Prefix])
_NAMESPACE = "/namespaces/{namespace}"


@routes.get("/namespaces")
def namespaces(lake: Lake, parent: str | None = None) -> dict[str, Any]:
    """A schema contains no others."""
    if parent:
        lake.schema(schema_of(parent.split(SEPARATOR)))
    return {"namespaces": [] if parent else [[schema] for schema in lake.schemas()]}


@routes.post("/namespaces", summary="Create a schema")
async def create(asked: CreateNamespace, changes: Changes, user: User, waiting: FlushLimit) -> dict[str, Any]:
    schema = schema_of(asked.namespace)
    properties = await to_thread.run_sync(
        changes.create_schema, user, schema, asked.properties, limiter=waiting
    )
    return {"namespace": [schema], "properties": properties}


@routes.get(_NAMESPACE)
def load(namespace: str, lake: Lake) -> dict[str, Any]:
    schema = schema_of(namespace.split(SEPARATOR))
    return {"namespace": [schema], "properties": lake.schema(schema)}


@routes.head(_NAMESPACE, status_code=204)
def exists(namespace: str, lake: Lake) -> Response:
    lake.schema(schema_of(namespace.split(SEPARATOR)))
    return Response(status_code=204)


@routes.delete(_NAMESPACE, status_code=204, summary="Drop a schema")
async def drop(namespace: str, changes: Changes, user: User, waiting: FlushLimit) -> Response:
    schema = schema_of(namespace.split(SEPARATOR))
    await to_thread.run_sync(changes.drop_schema, user, schema, limiter=waiting)
    return Response(status_code=204)
