"""UNION ALL.

    d (X + Y) = dX + dY

Its rows are identified by the number of the part, and as those of the part.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from headrace.algebra.expressions import Expr, Item, column_of, positional
from headrace.algebra.names import Names
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.scan import SourceVersion
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.relation import Relation
from headrace.algebra.walk import versions_of
from headrace.delta.change import Change, Context
from headrace.delta.description import Description
from headrace.delta.identity import Id, Identified, IdentityContext
from headrace.delta.rule import Rule


class UnionAllRule(Rule[UnionAll]):
    def change(self, node: UnionAll, context: Context) -> Change | None:
        changes = [change for part in node.parts if (change := context.change_of(part)) is not None]
        if not changes:
            return None
        return context.sum([context.positioned(change) for change in changes], node.columns)

    def key_columns(self, node: UnionAll) -> tuple[Mapping[str, str], ...]:
        return tuple(dict(zip(node.columns, part.columns, strict=True)) for part in node.parts)

    def identity(self, node: UnionAll, context: IdentityContext) -> Identified | None:
        found = [context.identity_of(part) for part in node.parts]
        parts = [part for part in found if part is not None]
        if len(parts) < len(found):
            return None
        shared = max((sum(i.is_row_id for i in part.ids) for part in parts), default=0)
        places, width = _places(parts, shared)
        names = context.names
        tagged = [
            _tagged(original, part.relation, tag, place, width, names)
            for tag, (original, part, place) in enumerate(zip(node.parts, parts, places, strict=True))
        ]
        tag = Id(names.new(), False)
        ids = tuple(Id(names.new(), position < shared) for position in range(width))
        columns = (*node.columns, tag.column, *(i.column for i in ids))
        return Identified(UnionAll(tuple(tagged), columns), (tag, *ids))

    def obstacle(self, node: UnionAll) -> str | None:
        return None

    def describe(self, node: UnionAll, description: Description) -> str:
        if not is_change(node):
            return "union all"
        signs = {description.sign_of(part) for part in node.parts}
        return "after (+) minus before (-)" if signs == {1, -1} else "sum of changes"

    def has_line(self, node: UnionAll, description: Description) -> bool:
        return len(node.parts) > 1

    def computed(self, node: UnionAll) -> tuple[Item, ...]:
        return positional(node.columns, node.parts[0].columns)


def is_change(union: UnionAll) -> bool:
    """Whether it adds up the terms of a change; else it is one of the query."""
    versions = versions_of(union)
    return len(versions) > 1 or SourceVersion.CHANGE in versions


def _places(parts: list[Identified], shared: int) -> tuple[list[dict[int, str]], int]:
    """For each part the places of its ids among those of the union, and how many there are.

    Row ids of the parts share the first places; other ids, of any type, have their own.
    """
    places, width = [], shared
    for part in parts:
        row_ids = iter(range(shared))
        place: dict[int, str] = {}
        for i in part.ids:
            if i.is_row_id:
                place[next(row_ids)] = i.column
            else:
                place[width] = i.column
                width += 1
        places.append(place)
    return places, width


def _tagged(
    original: Relation, part: Relation, tag: int, places: dict[int, str], width: int, names: Names
) -> Project:
    own: list[Expr] = [column_of(column) for column in original.columns]
    ids: list[Expr] = [column_of(places[p]) if p in places else exp.null() for p in range(width)]
    return Project(part, tuple((names.new(), item) for item in (*own, exp.convert(tag), *ids)))
