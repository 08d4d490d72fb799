"""Views in the graph of the lake: what each reads, and which dynamic tables read it.

A dynamic table is stored with its views replaced by their queries, so that its sources are tables. Which
views it reads is seen by its query as it was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from headrace.errors import SqlSyntaxError
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName
from headrace.sql.parsed import ParsedStatement
from headrace.sql.tokens.split import split

Folded = tuple[str, ...]


@dataclass(frozen=True)
class ViewText:
    """The query of a view, and the schema that it was created in."""

    sql: str
    schema: str


@dataclass(frozen=True)
class ViewReads:
    views: Mapping[TableName, ViewText]
    known: Mapping[Folded, TableName]
    """Everything that can be read, by its name in lower case."""

    def of_view(self, view: TableName) -> frozenset[TableName]:
        """Tables and views; what does not exist is left out."""
        text = self.views[view]
        return self._known(relations_of(text.sql, view.workspace, text.schema)) - {view}

    def of_table(self, table: DynamicTable) -> tuple[frozenset[TableName], frozenset[TableName]]:
        """The views that it reads by name, and its sources that it reads only through them."""
        if not self.views:
            return frozenset(), frozenset()
        named = self._known(relations_of(table.definition.query, table.name.workspace, table.name.schema))
        read = frozenset(name for name in named if name in self.views)
        return read, frozenset(self._below(read)) - named

    def _below(self, views: Iterable[TableName]) -> Iterator[TableName]:
        waiting, seen = list(views), set[TableName]()
        while waiting:
            for name in self.of_view(waiting.pop()) - seen:
                seen.add(name)
                yield name
                if name in self.views:
                    waiting.append(name)

    def _known(self, names: Iterable[TableName]) -> frozenset[TableName]:
        found = (self.known.get(folded(name)) for name in names)
        return frozenset(name for name in found if name is not None)


@lru_cache(maxsize=5000)
def relations_of(text: str, workspace: str, schema: str) -> frozenset[TableName]:
    """The tables and views that a query names, seen from a schema; none of a text that cannot be read."""
    try:
        readings = [reading for each in split(text) for reading in ParsedStatement.of(each).relations]
    except SqlSyntaxError:
        return frozenset()
    parts = (reading.parts for reading in readings)
    return frozenset(
        TableName.resolve(each, workspace, schema) for each in parts if each is not None and len(each) <= 3
    )


def folded(name: TableName) -> Folded:
    return tuple(part.lower() for part in name.parts)
