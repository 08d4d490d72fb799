"""Views, whose text is Spark's."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from headrace.server.iceberg_rest.models import SEPARATOR, schema_of, table_of
from headrace.server.iceberg_rest.parts import Lake, Prefix
from headrace.server.iceberg_rest.served_lake import load_response

routes = APIRouter(prefix="/v1/{prefix}", dependencies=[Prefix])
_VIEWS = "/namespaces/{namespace}/views"
_VIEW = f"{_VIEWS}/{{view}}"


@routes.get(_VIEWS)
def views(namespace: str, lake: Lake) -> dict[str, Any]:
    schema = schema_of(namespace.split(SEPARATOR))
    return {"identifiers": [{"namespace": [schema], "name": name} for name in lake.names(schema, "VIEW")]}


@routes.get(_VIEW)
def load(namespace: str, view: str, lake: Lake) -> JSONResponse:
    return JSONResponse(load_response(lake.load(table_of(namespace, view), "VIEW")))


@routes.head(_VIEW, status_code=204)
def exists(namespace: str, view: str, lake: Lake) -> Response:
    lake.location(table_of(namespace, view), "VIEW")
    return Response(status_code=204)
