"""Requests of Iceberg's REST protocol, as far as the server itself reads them; the rest is Iceberg's."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from headrace.errors import NotFound
from headrace.model.names import DEFAULT_WORKSPACE, TableName
from headrace.model.quoting import show_identifier

SEPARATOR = "\x1f"
"""Between the parts of a namespace in a path."""
Properties = Annotated[dict[str, str], Field(default_factory=dict)]


class CreateNamespace(BaseModel):
    namespace: list[str]
    properties: Properties


class Identifier(BaseModel):
    namespace: list[str]
    name: Annotated[str, Field(min_length=1)]

    def table(self) -> TableName:
        return TableName(DEFAULT_WORKSPACE, schema_of(self.namespace), self.name)


class RenameTable(BaseModel):
    source: Identifier
    destination: Identifier


def schema_of(namespace: list[str]) -> str:
    """A namespace is a schema of the lake, and schemas contain no others."""
    if len(namespace) != 1 or not namespace[0]:
        shown = ".".join(show_identifier(part) for part in namespace)
        raise NotFound(f"schema {shown} does not exist", hint="a schema has a name of one part")
    return namespace[0]


def table_of(namespace: str, table: str) -> TableName:
    return TableName(DEFAULT_WORKSPACE, schema_of(namespace.split(SEPARATOR)), table)
