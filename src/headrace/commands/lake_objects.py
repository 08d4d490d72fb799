"""All tables, views, dynamic tables and streams of a workspace, and their columns, as rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import pyarrow as pa

from headrace.commands.statement_context import StatementContext
from headrace.errors import OperationalError
from headrace.features.streams.model import TableStream
from headrace.features.streams.staged_rows import stream_columns, visible_fields
from headrace.lake.table.pin import sql_type
from headrace.lake.table.tables import Table, View
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName
from headrace.views.arrow import to_arrow
from headrace.views.objects import SchemaColumnRow, SchemaTableRow


@dataclass(frozen=True)
class _Column:
    name: str
    type: str
    is_nullable: bool = True
    comment: str | None = None


@dataclass(frozen=True)
class _Object:
    """The ways to its facts are its own: a table that cannot be read keeps none of the others from view."""

    name: TableName
    loaded: Table | View | None
    dynamic: DynamicTable | None = None
    stream: TableStream | None = None

    @property
    def type(self) -> str:
        if self.stream is not None:
            return "TABLE STREAM"
        if isinstance(self.loaded, View):
            return "VIEW"
        return "BASE TABLE" if self.dynamic is None else "DYNAMIC TABLE"

    @property
    def comment(self) -> str | None:
        if self.stream is not None or self.dynamic is not None:
            return (self.stream or self.dynamic).comment  # type: ignore[union-attr]
        if isinstance(self.loaded, View):
            return self.loaded.comment
        return self.loaded.properties.get("comment") if self.loaded else None

    @property
    def creator(self) -> str | None:
        known = self.stream or self.dynamic
        return known.creator if known else None

    @property
    def size(self) -> tuple[int, int, datetime | None] | tuple[None, None, None]:
        """Rows, bytes, and when they last changed; of a table."""
        if self.stream is not None or not isinstance(self.loaded, Table):
            return None, None, None
        snapshot = self.loaded.snapshot
        return (snapshot.rows, snapshot.bytes, snapshot.made_at) if snapshot else (0, 0, None)

    @property
    def columns(self) -> list[_Column]:
        if self.loaded is None:
            return []
        if self.stream is not None and isinstance(self.loaded, Table):
            return [_Column(name, kind) for name, kind in stream_columns(self.loaded)]
        fields = visible_fields(self.loaded) if isinstance(self.loaded, Table) else self.loaded.fields
        return [_Column(f.name, sql_type(f.type), not f.is_required, f.comment) for f in fields]


def all_tables(context: StatementContext, workspace: str) -> pa.Table:
    rows = [_table_row(each) for each in _objects(context, workspace)]
    return to_arrow(SchemaTableRow, rows, context.lake.settings.zone)


def all_columns(context: StatementContext, workspace: str) -> pa.Table:
    """Of a view, those that it was created with."""
    types: dict[str, str] = {}
    rows = []
    for each in _objects(context, workspace):
        for position, column in enumerate(each.columns, 1):
            if column.type not in types:
                types[column.type] = context.session.canonical_type(column.type)
            rows.append(_column_row(each, position, column, types[column.type]))
    return to_arrow(SchemaColumnRow, rows, context.lake.settings.zone)


def _objects(context: StatementContext, workspace: str) -> Iterator[_Object]:
    catalog, store = context.session.catalog, context.lake.store
    for schema in catalog.schemas(workspace):
        dynamic = {table.name.table: table for table in store.definitions.in_schema(workspace, schema)}
        for table in catalog.tables(workspace, schema):
            name = TableName(workspace, schema, table)
            yield _Object(name, _loaded(name, context), dynamic=dynamic.get(table))
        for view in catalog.views(workspace, schema):
            name = TableName(workspace, schema, view)
            if (found := catalog.view(name)) is not None:
                yield _Object(name, found)
        for stream in store.streams.in_schema(workspace, schema):
            yield _Object(stream.name, _loaded(stream.source, context), stream=stream)


def _loaded(name: TableName, context: StatementContext) -> Table | None:
    try:
        return context.session.catalog.table(name)
    except OperationalError:
        return None


def _table_row(each: _Object) -> SchemaTableRow:
    rows, size, changed_at = each.size
    return SchemaTableRow(
        *each.name.parts,
        table_type=each.type,
        comment=each.comment,
        creator=each.creator,
        row_count=rows,
        bytes=size,
        last_altered=changed_at,
    )


def _column_row(each: _Object, position: int, column: _Column, data_type: str) -> SchemaColumnRow:
    return SchemaColumnRow(
        *each.name.parts,
        column_name=column.name,
        ordinal_position=position,
        data_type=data_type,
        is_nullable="YES" if column.is_nullable else "NO",
        comment=column.comment,
    )
