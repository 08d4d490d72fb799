"""UNION ALL of any number of parts, whose columns correspond by position."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Self

from sqlglot import exp

from headrace.algebra.expressions import Expr, aliased, column_of, positional, select
from headrace.algebra.operators.project import Project
from headrace.algebra.relation import Relation


@dataclass(frozen=True, eq=False)
class UnionAll(Relation):
    parts: tuple[Relation, ...]
    output: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.parts or any(len(part.columns) != len(self.output) for part in self.parts):
            raise ValueError("the parts of a union have the same number of columns")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.output

    @property
    def children(self) -> tuple[Relation, ...]:
        return self.parts

    def rebuild(self, children: tuple[Relation, ...]) -> Self:
        return replace(self, parts=children)

    def needed(self, wanted: Set[str]) -> tuple[Set[str], ...]:
        return tuple(set(columns) for columns in self._parts_of(wanted))

    def only(self, wanted: Set[str], children: tuple[Relation, ...]) -> Relation:
        parts = [
            child if child.columns == columns else Project(child, tuple((c, column_of(c)) for c in columns))
            for child, columns in zip(children, self._parts_of(wanted), strict=True)
        ]
        return UnionAll(tuple(parts), tuple(column for column in self.output if column in wanted))

    def _parts_of(self, wanted: Set[str]) -> list[tuple[str, ...]]:
        """The columns of each part that correspond to those."""
        places = [place for place, column in enumerate(self.output) if column in wanted]
        return [tuple(part.columns[place] for place in places) for part in self.parts]

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        first, *others = [
            select(aliased(positional(self.columns, part.columns)), source)
            for part, source in zip(self.parts, inputs, strict=True)
        ]
        query: Expr = first
        for other in others:
            query = exp.Union(this=query, expression=other, distinct=False)
        return query
