"""UNION ALL of any number of parts, whose columns correspond by position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from sqlglot import exp

from headrace.algebra.expressions import Expr, aliased, positional
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

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        first, *others = [
            exp.select(*aliased(positional(self.columns, part.columns))).from_(source)
            for part, source in zip(self.parts, inputs, strict=True)
        ]
        query: Expr = first
        for other in others:
            query = exp.Union(this=query, expression=other, distinct=False)
        return query
