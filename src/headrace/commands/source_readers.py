"""What reads a table or view: dynamic tables, streams and views, and which of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.errors import Error, Refused
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import View
from headrace.model.names import DEFAULT_WORKSPACE, TableName
from headrace.model.quoting import show_identifier
from headrace.refresh.arguments import with_some_values
from headrace.sql.parsed import ParsedStatement
from headrace.sql.queries.column_use import reads_column
from headrace.sql.spark.breaking import Break, breaks_in
from headrace.sql.spark.relations import TableReading
from headrace.sql.tokens.positions import splice

PROTECT = "headrace.protect_sources"
"""A setting of the session, before that of the lake."""


@dataclass(frozen=True)
class Reader:
    kind: str
    name: TableName
    columns: tuple[str, ...]
    """Those that it reads, of those that matter."""

    def __str__(self) -> str:
        columns = f" ({', '.join(map(show_identifier, self.columns))})" if self.columns else ""
        return f"{self.kind} {self.name}{columns}"


def check_breaks(statement: ParsedStatement, context: StatementContext) -> tuple[str, ...]:
    """A notice for each table, view or column that the statement takes away from those who read it."""
    notices: tuple[str, ...] = ()
    for found in breaks_in(statement.effects):
        if not context.session.is_temporary_view(found.target):
            with pointing_at(statement.text, found.span):
                notices += check_break(found, context)
    return notices


def check_break(found: Break, context: StatementContext) -> tuple[str, ...]:
    """An error where sources are protected."""
    if not 0 < len(found.target) <= 3:
        return ()
    name = context.session.resolve(found.target)
    readers = list(readers_of(name, found.columns, context))
    if not readers:
        return ()
    what = ", ".join(f"column {show_identifier(column)}" for column in found.columns or ())
    said = f"{what} of {name}" if what else str(name)
    listed = ", ".join(map(str, readers))
    if _is_protected(context):
        raise Refused(
            f"{said} is read by {listed}",
            hint=f"change or drop what reads it first, or SET {PROTECT} = false",
        )
    return (f"this statement {found.verb} {said}, which is read by {listed}",)


def _is_protected(context: StatementContext) -> bool:
    given = context.session.setting(PROTECT)
    return context.lake.settings.protect_sources if given is None else given.lower() == "true"


def readers_of(name: TableName, columns: Sequence[str] | None, context: StatementContext) -> Iterator[Reader]:
    """Where columns are given, those that read one of them."""
    wanted = _columns_of(name, context.session) if columns is None else tuple(columns)
    for found in (*_dynamic_tables(name, wanted, context), *_views(name, wanted, context.session)):
        if found.columns or columns is None:
            yield found
    for stream in context.lake.store.streams.all():
        if stream.source == name:
            yield Reader("table stream", stream.name, tuple(columns or ()))


def _columns_of(name: TableName, session: LakeSession) -> tuple[str, ...]:
    table = session.catalog.table(name)
    if table is not None:
        return table.columns
    view = session.catalog.view(name)
    return () if view is None else view.columns


def _dynamic_tables(name: TableName, columns: tuple[str, ...], context: StatementContext) -> Iterator[Reader]:
    for table in context.lake.store.definitions.all():
        known = {source.name: source.columns for source in table.definition.sources}
        if name in known:
            query = with_some_values(table.definition.expanded, {})
            used = tuple(column for column in columns if reads_column(query, known, name, column))
            yield Reader("dynamic table", table.name, used)
        elif any(
            _is_meant(relation, name, table.name, context)
            for relation in ParsedStatement(table.definition.query).relations
        ):
            yield Reader("dynamic table", table.name, ())


def _is_meant(relation: TableReading, view: TableName, reader: TableName, context: StatementContext) -> bool:
    """Whether a query of ``reader`` names the view, which its definition has replaced by the view's query."""
    parts = relation.parts
    if parts is None or parts[-1].lower() != view.table.lower():
        return False
    return TableName.resolve(parts[-3:], reader.workspace, reader.schema) == view


def _views(name: TableName, columns: tuple[str, ...], session: LakeSession) -> Iterator[Reader]:
    catalog = session.catalog
    for schema in catalog.schemas(DEFAULT_WORKSPACE):
        for each in catalog.views(DEFAULT_WORKSPACE, schema):
            view = catalog.view(TableName(DEFAULT_WORKSPACE, schema, each))
            if (
                view is not None
                and view.name != name
                and (used := _used(view, name, columns, session)) is not None
            ):
                yield Reader("view", view.name, used)


def _used(
    view: View, name: TableName, columns: tuple[str, ...], session: LakeSession
) -> tuple[str, ...] | None:
    """The columns that a view reads; None if it does not read the table at all."""
    known: dict[TableName, tuple[str, ...]] = {}
    edits = []
    for relation in ParsedStatement(view.sql).relations:
        if relation.parts is None or len(relation.parts) > 3:
            continue
        try:
            found = session.resolve(relation.parts, view.workspace, view.schema)
        except Error:
            continue
        known[found] = _columns_of(found, session)
        edits.append((relation.span, found.sql))
    if name not in known:
        return None
    query = splice(view.sql, edits)
    return tuple(column for column in columns if reads_column(query, known, name, column))
