"""What something new in the lake may be called: names become directories of the warehouse."""

from __future__ import annotations

from headrace.commands.statement_context import StatementContext
from headrace.errors import NotFound, Refused
from headrace.model.names import TableName
from headrace.model.quoting import show_identifier
from headrace.sql.parsing.statements import Name

_LONGEST = 200
"""Bytes; Iceberg adds 33 to the name of a table, and file systems take 255."""


def expect_possible(name: str) -> None:
    """One with a slash would lie inside of another table, or outside of the lake."""
    if "/" in name or name in (".", ".."):
        raise Refused(
            f"{show_identifier(name)} is not a valid name: it would refer to another directory",
            hint="use a name without slashes that does not consist only of dots",
        )
    if len(name.encode()) > _LONGEST:
        raise Refused(f"the name is longer than {_LONGEST} bytes", hint="choose a shorter one")


def new_name(name: Name, context: StatementContext) -> TableName:
    """Of a pipe or the like, in a schema that exists."""
    found = context.session.resolve_new(name.parts)
    expect_schema(found.workspace, found.schema, context)
    expect_possible(found.table)
    return found


def expect_schema(workspace: str, schema: str, context: StatementContext) -> None:
    if not context.session.catalog.has_schema(workspace, schema):
        shown = ".".join(show_identifier(part) for part in (workspace, schema))
        raise NotFound(f"schema {shown} does not exist", hint="create it with CREATE SCHEMA")
