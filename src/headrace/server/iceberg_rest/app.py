"""The routes of the catalog, as an application of their own: its paths and errors are Iceberg's."""

from __future__ import annotations

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from headrace.errors import Error
from headrace.server.iceberg_rest import config_routes, errors, namespace_routes, table_routes, view_routes
from headrace.server.rights import check_request


def iceberg_api() -> FastAPI:
    api = FastAPI(openapi_url=None, dependencies=[Depends(check_request)])
    api.add_exception_handler(Error, errors.of_headrace)
    api.add_exception_handler(RequestValidationError, errors.of_request)
    api.add_exception_handler(HTTPException, errors.of_route)
    api.add_exception_handler(Exception, errors.of_ours)
    for module in (config_routes, namespace_routes, table_routes, view_routes):
        api.include_router(module.routes)
    return api
