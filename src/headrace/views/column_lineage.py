"""Where the values of a column come from, and where they go, over all dynamic tables of the lake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from headrace.errors import NotFound
from headrace.model.dynamic_table import Definition, DynamicTable
from headrace.model.names import TableName
from headrace.model.selection import reachable
from headrace.sql.queries.column_origins import OriginKind, Origins, column_origins


class Direction(StrEnum):
    UPSTREAM = "upstream"
    DOWNSTREAM = "downstream"
    BOTH = "both"


@dataclass(frozen=True)
class ColumnNode:
    id: str
    """The table's name, `#` and the column's."""
    table: str
    column: str


@dataclass(frozen=True)
class ColumnEdge:
    source: str
    """The id of a column."""
    target: str
    kind: OriginKind


@dataclass(frozen=True)
class ColumnLineage:
    nodes: tuple[ColumnNode, ...]
    edges: tuple[ColumnEdge, ...]
    unknown: tuple[str, ...]
    """Dynamic tables whose queries cannot be followed to columns."""


@dataclass(frozen=True)
class ColumnGraph:
    """Of the whole lake."""

    edges: tuple[ColumnEdge, ...]
    unknown: frozenset[TableName]
    columns: frozenset[str]
    """All ids."""

    def lineage(self, start: Iterable[str], direction: Direction) -> ColumnLineage:
        chosen = self._reached(set(start), direction)
        edges = tuple(edge for edge in self.edges if edge.source in chosen and edge.target in chosen)
        return ColumnLineage(
            tuple(_node(each) for each in sorted(chosen)),
            edges,
            tuple(sorted(map(str, self.unknown))),
        )

    def _reached(self, start: set[str], direction: Direction) -> set[str]:
        pairs = [(edge.source, edge.target) for edge in self.edges]
        found = set(start)
        if direction is not Direction.DOWNSTREAM:
            found |= reachable(start, [(target, source) for source, target in pairs])
        if direction is not Direction.UPSTREAM:
            found |= reachable(start, pairs)
        return found

    def start(self, table: str, column: str | None) -> list[str]:
        """The columns that are meant, whatever the case of their names."""
        wanted = f"{table}#".lower() if column is None else f"{table}#{column}".lower()
        found = [
            each
            for each in self.columns
            if each.lower() == wanted or (column is None and each.lower().startswith(wanted))
        ]
        if not found:
            what = f"column {column} of {table}" if column else f"table {table}"
            raise NotFound(
                f"the lineage of {what} is not known", hint="dynamic tables and their sources have one"
            )
        return found


def column_graph(tables: Iterable[DynamicTable]) -> ColumnGraph:
    listed = list(tables)
    unknown = frozenset(table.name for table in listed if _origins(table) is None)
    edges = tuple(edge for table in listed for edge in _edges(table))
    own = {column_id(table.name, column.name) for table in listed for column in table.columns}
    read = {
        column_id(source.name, column)
        for table in listed
        for source in table.definition.sources
        for column in source.columns
    }
    return ColumnGraph(edges, unknown, frozenset(own | read))


def column_id(table: TableName, column: str) -> str:
    return f"{table}#{column}"


def _edges(table: DynamicTable) -> Iterator[ColumnEdge]:
    for column, origins in zip(table.columns, _origins(table) or (), strict=False):
        target = column_id(table.name, column.name)
        for origin in sorted(origins):
            yield ColumnEdge(column_id(origin.table, origin.column), target, origin.kind)


def _origins(table: DynamicTable) -> tuple[Origins, ...] | None:
    found = _origins_of(table.definition)
    return found if found is not None and len(found) == len(table.columns) else None


@lru_cache(maxsize=2000)
def _origins_of(definition: Definition) -> tuple[Origins, ...] | None:
    columns = {source.name: source.columns for source in definition.sources}
    return column_origins(definition.expanded, columns)


def _node(id_: str) -> ColumnNode:
    table, _, column = id_.partition("#")
    return ColumnNode(id_, table, column)
