"""What reads a table or view: dynamic tables, streams and views, and which of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.errors import Error, Refused
from headrace.lake.tables import View
from headrace.model.names import DEFAULT_WORKSPACE, TableName
from headrace.model.quoting import show_identifier
from headrace.refresh.arguments import with_some_values
from headrace.sql.breaking import Break, breaks_in
from headrace.sql.column_use import reads_column
from headrace.sql.parsed import ParsedStatement
from headrace.sql.relations import Relation
from headrace.sql.text import splice

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


def check_breaks(statement: ParsedStatement, bench: Workbench) -> tuple[str, ...]:
    """A notice for each table, view or column that the statement takes away from those who read it."""
    notices: tuple[str, ...] = ()
    for found in breaks_in(statement.effects):
        if not bench.session.is_temporary_view(found.target):
            with pointing_at(statement.text, found.span):
                notices += check_break(found, bench)
    return notices


def check_break(found: Break, bench: Workbench) -> tuple[str, ...]:
    """An error where sources are protected."""
    if not 0 < len(found.target) <= 3:
        return ()
    name = bench.session.resolve(found.target)
    readers = list(readers_of(name, found.columns, bench))
    if not readers:
        return ()
    what = ", ".join(f"column {show_identifier(column)}" for column in found.columns or ())
    said = f"{what} of {name}" if what else str(name)
    listed = ", ".join(map(str, readers))
    if _is_protected(bench):
        raise Refused(
            f"{said} is read by {listed}",
            hint=f"change or drop what reads it first, or SET {PROTECT} = false",
        )
    return (f"this statement {found.verb} {said}, which is read by {listed}",)


def _is_protected(bench: Workbench) -> bool:
    given = bench.session.setting(PROTECT)
    return bench.lake.settings.protect_sources if given is None else given.lower() == "true"


def readers_of(name: TableName, columns: Sequence[str] | None, bench: Workbench) -> Iterator[Reader]:
    """Where columns are given, those that read one of them."""
    wanted = _columns_of(name, bench) if columns is None else tuple(columns)
    for found in (*_dynamic_tables(name, wanted, bench), *_views(name, wanted, bench)):
        if found.columns or columns is None:
            yield found
    for stream in bench.lake.store.streams.all():
        if stream.source == name:
            yield Reader("table stream", stream.name, tuple(columns or ()))


def _columns_of(name: TableName, bench: Workbench) -> tuple[str, ...]:
    table = bench.session.catalog.table(name)
    if table is not None:
        return table.columns
    view = bench.session.catalog.view(name)
    return () if view is None else view.columns


def _dynamic_tables(name: TableName, columns: tuple[str, ...], bench: Workbench) -> Iterator[Reader]:
    for table in bench.lake.store.definitions.all():
        known = {source.name: source.columns for source in table.definition.sources}
        if name in known:
            query = with_some_values(table.definition.expanded, {})
            used = tuple(column for column in columns if reads_column(query, known, name, column))
            yield Reader("dynamic table", table.name, used)
        elif any(
            _is_meant(relation, name, table.name, bench)
            for relation in ParsedStatement(table.definition.query).relations
        ):
            yield Reader("dynamic table", table.name, ())


def _is_meant(relation: Relation, view: TableName, reader: TableName, bench: Workbench) -> bool:
    """Whether a query of ``reader`` names the view, which its definition has replaced by the view's query."""
    parts = relation.parts
    if parts is None or parts[-1].lower() != view.table.lower():
        return False
    return TableName.resolve(parts[-3:], reader.workspace, reader.schema) == view


def _views(name: TableName, columns: tuple[str, ...], bench: Workbench) -> Iterator[Reader]:
    catalog = bench.session.catalog
    for schema in catalog.schemas(DEFAULT_WORKSPACE):
        for each in catalog.views(DEFAULT_WORKSPACE, schema):
            view = catalog.view(TableName(DEFAULT_WORKSPACE, schema, each))
            if (
                view is not None
                and view.name != name
                and (used := _used(view, name, columns, bench)) is not None
            ):
                yield Reader("view", view.name, used)


def _used(view: View, name: TableName, columns: tuple[str, ...], bench: Workbench) -> tuple[str, ...] | None:
    """The columns that a view reads; None if it does not read the table at all."""
    known: dict[TableName, tuple[str, ...]] = {}
    edits = []
    for relation in ParsedStatement(view.sql).relations:
        if relation.parts is None or len(relation.parts) > 3:
            continue
        try:
            found = bench.session.resolve(relation.parts, view.workspace, view.schema)
        except Error:
            continue
        known[found] = _columns_of(found, bench)
        edits.append((relation.span, found.sql))
    if name not in known:
        return None
    query = splice(view.sql, edits)
    return tuple(column for column in columns if reads_column(query, known, name, column))
