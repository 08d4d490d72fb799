"""All that the page of one table, view or dynamic table shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from headrace.lake.table.object_metadata import MetadataColumn, TableMetadata, ViewMetadata
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName
from headrace.sql.queries.hiding import is_hidden
from headrace.views.ddl import (
    create_statement,
    create_table_statement,
    create_view_statement,
    user_properties,
)
from headrace.views.graph import GraphNode, LakeGraph, NodeKind
from headrace.views.objects import ObjectType


@dataclass(frozen=True)
class ObjectColumn:
    name: str
    type: str
    comment: str | None
    nullable: bool


@dataclass(frozen=True)
class Neighbour:
    id: str
    kind: NodeKind
    name: str
    state: str | None

    @staticmethod
    def of(node: GraphNode) -> Neighbour:
        return Neighbour(node.id, node.kind, node.name, node.state)


@dataclass(frozen=True)
class ObjectDetails:
    id: str
    """The full name."""
    workspace: str
    schema: str
    name: str
    kind: ObjectType
    comment: str | None
    columns: tuple[ObjectColumn, ...]
    ddl: str
    properties: Mapping[str, str]
    partitioned_by: tuple[str, ...]
    creator: str | None
    """Of a dynamic table."""
    created_time: datetime | None
    modified_time: datetime | None
    """Of the last change of rows, columns or properties."""
    rows: int | None
    bytes: int | None
    version: int | None
    """The current one; null of a view and of a table that was never written."""
    versions: int | None
    """How many are kept."""
    format_version: int | None
    location: str | None
    fed_by: tuple[Neighbour, ...]
    """What it is made from, and tasks that write it."""
    read_by: tuple[Neighbour, ...]

    @staticmethod
    def of_table(
        name: TableName, table: TableMetadata, dynamic: DynamicTable | None, graph: LakeGraph
    ) -> ObjectDetails:
        current = table.current
        return ObjectDetails(
            id=str(name),
            workspace=name.workspace,
            schema=name.schema,
            name=name.table,
            kind="table" if dynamic is None else "dynamic table",
            comment=table.properties.get("comment") if dynamic is None else dynamic.comment,
            columns=tuple(map(_column, table_columns(table, dynamic))),
            ddl=create_table_statement(name, table)
            if dynamic is None
            else create_statement(dynamic, dynamic.definition.query),
            properties=user_properties(table.properties) if dynamic is None else dynamic.properties,
            partitioned_by=table.partitioned_by,
            creator=None if dynamic is None else dynamic.creator,
            created_time=None if dynamic is None else dynamic.created_at,
            modified_time=table.modified_at,
            rows=current.rows if current else 0,
            bytes=current.bytes if current else 0,
            version=current.id if current else None,
            versions=len(table.versions),
            format_version=table.format_version,
            location=table.location,
            fed_by=_neighbours(graph, str(name), "to", "from"),
            read_by=_neighbours(graph, str(name), "from", "to"),
        )

    @staticmethod
    def of_view(name: TableName, view: ViewMetadata, graph: LakeGraph) -> ObjectDetails:
        return ObjectDetails(
            id=str(name),
            workspace=name.workspace,
            schema=name.schema,
            name=name.table,
            kind="view",
            comment=view.properties.get("comment"),
            columns=tuple(map(_column, view.columns)),
            ddl=create_view_statement(name, view),
            properties=user_properties(view.properties),
            partitioned_by=(),
            creator=None,
            created_time=None,
            modified_time=view.modified_at,
            rows=None,
            bytes=None,
            version=None,
            versions=None,
            format_version=None,
            location=None,
            fed_by=_neighbours(graph, str(name), "to", "from"),
            read_by=_neighbours(graph, str(name), "from", "to"),
        )


def table_columns(table: TableMetadata, dynamic: DynamicTable | None) -> list[MetadataColumn]:
    """Without those that Headrace adds to dynamic tables."""
    return [each for each in table.columns if dynamic is None or not is_hidden(each.name)]


def _column(column: MetadataColumn) -> ObjectColumn:
    return ObjectColumn(column.name, column.type, column.comment, not column.is_required)


def _neighbours(graph: LakeGraph, own: str, here: str, there: str) -> tuple[Neighbour, ...]:
    found = {edge[there] for edge in graph.edges if edge[here] == own}  # type: ignore[literal-required]
    return tuple(Neighbour.of(node) for node in graph.nodes if node.id in found)
