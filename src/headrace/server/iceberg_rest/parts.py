"""What the routes of the catalog need of the server."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request

from headrace.errors import NotFound
from headrace.model.names import DEFAULT_WORKSPACE
from headrace.model.quoting import show_identifier
from headrace.server.dependencies import PARTS
from headrace.server.iceberg_rest.served_lake import ServedLake
from headrace.server.iceberg_rest.table_changes import TableChanges


def _expect_workspace(request: Request) -> None:
    """The prefix of a path names it."""
    prefix = request.path_params["prefix"]
    if prefix != DEFAULT_WORKSPACE:
        raise NotFound(f"warehouse {show_identifier(prefix)} does not exist")


def _lake(request: Request) -> Any:
    return request.scope[PARTS].served_lake


def _changes(request: Request) -> Any:
    return request.scope[PARTS].table_changes


Prefix: Any = Depends(_expect_workspace)
Lake = Annotated[ServedLake, Depends(_lake)]
Changes = Annotated[TableChanges, Depends(_changes)]
