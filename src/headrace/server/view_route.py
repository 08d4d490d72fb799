"""Routes that return views.

OpenAPI declares what the function of a route returns, and ``json_value`` writes it. By itself FastAPI lets
pydantic do so, which writes numbers that are not finite, and bytes, in another way than results have them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from fastapi import Response
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from headrace.model.json_value import json_value


class ViewRoute(APIRoute):
    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, _responding(endpoint, options.get("status_code") or 200), **options)


def _responding(endpoint: Callable[..., Any], status: int) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(endpoint):

        @wraps(endpoint)
        async def respond_later(*args: Any, **named: Any) -> Response:
            return _response(await endpoint(*args, **named), status)

        return respond_later

    @wraps(endpoint)
    def respond(*args: Any, **named: Any) -> Response:
        return _response(endpoint(*args, **named), status)

    return respond


def _response(view: Any, status: int) -> Response:
    if isinstance(view, Response):
        return view
    return Response(status_code=status) if status == 204 else JSONResponse(json_value(view), status)
