"""Columns that tell the rows of a result apart, and that a row keeps while its other columns change.

    table                            the row id that Iceberg keeps for each row
    filter, project, window, EXISTS  those of the rows below
    join                             those of both sides; LEFT JOIN without a match: NULL on the right
    explode                          those of the row exploded, and the position
    UNION ALL                        the number of the part, and those of the part
    GROUP BY                         its keys: the rows below need no identity
    DISTINCT, INTERSECT, EXCEPT      all columns

Rows of INTERSECT ALL and EXCEPT ALL, of VALUES, and of tables without row ids have none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import assert_never

from sqlglot import exp

from headrace.algebra.names import Names, column_of
from headrace.algebra.relation import (
    Aggregate,
    Constant,
    Expr,
    Filter,
    Generate,
    Item,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    SetOperation,
    UnionAll,
    Window,
)
from headrace.model.names import TableName

ROW_ID = "_row_id"
"""Iceberg's column of a table whose rows have an identity."""


@dataclass(frozen=True)
class Id:
    column: str
    is_row_id: bool


@dataclass(frozen=True)
class Identified:
    relation: Relation
    """With all columns of the relation that was identified, in any order, and those of the identity."""
    ids: tuple[Id, ...]


def identified(
    relation: Relation, names: Names, has_row_ids: Callable[[TableName], bool]
) -> Identified | None:
    return _Identifying(names, has_row_ids).of(relation)


class _Identifying:
    def __init__(self, names: Names, has_row_ids: Callable[[TableName], bool]) -> None:
        self._names = names
        self._has_row_ids = has_row_ids
        self._known: dict[int, Identified | None] = {}

    def of(self, relation: Relation) -> Identified | None:
        if id(relation) not in self._known:
            self._known[id(relation)] = self._by_rule(relation)
        return self._known[id(relation)]

    def _by_rule(self, relation: Relation) -> Identified | None:
        match relation:
            case Scan():
                return self._scan(relation)
            case Constant():
                rows = relation.source.expressions if isinstance(relation.source, exp.Values) else ()
                return Identified(relation, ()) if len(rows) == 1 else None
            case Project():
                return self._project(relation)
            case Filter() | Window():
                child = self.of(relation.child)
                return child and Identified(replace(relation, child=child.relation), child.ids)
            case Generate():
                return self._generate(relation)
            case Join():
                return self._join(relation)
            case UnionAll():
                return self._union(relation)
            case Aggregate():
                return Identified(relation, tuple(Id(column, False) for column, _ in relation.keys))
            case SetOperation():
                ids = tuple(Id(column, False) for column in relation.columns)
                return None if relation.every else Identified(relation, ids)
            case _:
                assert_never(relation)

    def _scan(self, scan: Scan) -> Identified | None:
        if not self._has_row_ids(scan.table):
            return None
        column = self._names.new()
        return Identified(replace(scan, fields=(*scan.fields, (column, ROW_ID))), (Id(column, True),))

    def _project(self, project: Project) -> Identified | None:
        child = self.of(project.child)
        if child is None:
            return None
        shown = {item.name: column for column, item in project.items if isinstance(item, exp.Column)}
        ids = tuple(replace(i, column=shown.get(i.column) or self._names.new()) for i in child.ids)
        added = tuple(
            (new.column, column_of(old.column))
            for new, old in zip(ids, child.ids, strict=True)
            if old.column not in shown
        )
        return Identified(Project(child.relation, (*project.items, *added)), ids)

    def _generate(self, generate: Generate) -> Identified | None:
        child = self.of(generate.child)
        if child is None:
            return None
        if type(generate.generator) is exp.Posexplode:
            ids = (*child.ids, Id(generate.generated[0], False))
            return Identified(replace(generate, child=child.relation), ids)
        if type(generate.generator) is not exp.Explode or len(generate.generated) > 2:
            return None
        position = self._names.new()
        with_position = Generate(
            child.relation,
            exp.Posexplode(this=generate.generator.this.copy()),
            generate.outer,
            (position, *generate.generated),
        )
        return Identified(with_position, (*child.ids, Id(position, False)))

    def _join(self, join: Join) -> Identified | None:
        left = self.of(join.left)
        if left is None:
            return None
        if join.kind in (JoinKind.SEMI, JoinKind.ANTI):
            return Identified(replace(join, left=left.relation), left.ids)
        right = self.of(join.right)
        if right is None:
            return None
        return Identified(replace(join, left=left.relation, right=right.relation), (*left.ids, *right.ids))

    def _union(self, union: UnionAll) -> Identified | None:
        """Row ids of the parts share columns; other parts of an identity, of any type, have their own."""
        found = [self.of(part) for part in union.parts]
        parts = [part for part in found if part is not None]
        if len(parts) < len(found):
            return None
        shared = max((sum(i.is_row_id for i in part.ids) for part in parts), default=0)
        places, number = [], shared
        for part in parts:
            row_ids = iter(range(shared))
            place: dict[int, str] = {}
            for i in part.ids:
                if i.is_row_id:
                    place[next(row_ids)] = i.column
                else:
                    place[number] = i.column
                    number += 1
            places.append(place)
        tagged = [
            self._tagged(original, part.relation, tag, place, number)
            for tag, (original, part, place) in enumerate(zip(union.parts, parts, places, strict=True))
        ]
        tag = Id(self._names.new(), False)
        ids = tuple(Id(self._names.new(), position < shared) for position in range(number))
        columns = (*union.columns, tag.column, *(i.column for i in ids))
        return Identified(UnionAll(tuple(tagged), columns), (tag, *ids))

    def _tagged(
        self, original: Relation, part: Relation, tag: int, places: dict[int, str], width: int
    ) -> Project:
        own: list[Expr] = [column_of(column) for column in original.columns]
        ids: list[Expr] = [column_of(places[p]) if p in places else exp.null() for p in range(width)]
        items: list[Item] = [(self._names.new(), item) for item in (*own, exp.convert(tag), *ids)]
        return Project(part, tuple(items))
