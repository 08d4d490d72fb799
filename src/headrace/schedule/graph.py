"""Which dynamic tables read which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import TopologicalSorter

from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName

Graph = Mapping[TableName, frozenset[TableName]]
"""Each table with those among the others that it reads."""


def graph_of(tables: Iterable[DynamicTable]) -> Graph:
    listed = list(tables)
    names = {table.name for table in listed}
    return {
        table.name: frozenset(source.name for source in table.definition.sources) & names for table in listed
    }


def components(graph: Graph) -> list[frozenset[TableName]]:
    """Tables that are tied to each other, directly or through others."""
    neighbours: dict[TableName, set[TableName]] = {name: set(sources) for name, sources in graph.items()}
    for name, sources in graph.items():
        for source in sources:
            neighbours[source].add(name)
    found: list[frozenset[TableName]] = []
    seen: set[TableName] = set()
    for name in graph:
        if name in seen:
            continue
        component, frontier = {name}, [name]
        while frontier:
            new = neighbours[frontier.pop()] - component
            component |= new
            frontier += new
        seen |= component
        found.append(frozenset(component))
    return found


class Order:
    """The chosen tables, each once those that it reads have ended; ties through tables left out count too."""

    def __init__(self, graph: Graph, chosen: frozenset[TableName]) -> None:
        self._chosen = chosen
        self._sorter = TopologicalSorter({name: graph[name] for name in graph})
        self._sorter.prepare()
        self._graph = graph
        self._spoilt: set[TableName] = set()

    def ready(self) -> list[TableName]:
        """Those that may start now; empty also while others still run."""
        found: list[TableName] = []
        while newly := self._sorter.get_ready():
            for name in newly:
                if name in self._chosen and not self._is_spoilt(name):
                    found.append(name)
                else:
                    if name in self._chosen:
                        self._spoilt.add(name)
                    self._sorter.done(name)
        return found

    def done(self, name: TableName, *, failed: bool = False) -> None:
        if failed:
            self._spoilt.add(name)
        self._sorter.done(name)

    @property
    def skipped(self) -> frozenset[TableName]:
        """Chosen ones that wait for the next round, as something they read did not get through this one."""
        return frozenset(name for name in self._spoilt if self._is_spoilt(name))

    def __bool__(self) -> bool:
        return self._sorter.is_active()

    def _is_spoilt(self, name: TableName) -> bool:
        return bool(self._graph[name] & self._spoilt)
