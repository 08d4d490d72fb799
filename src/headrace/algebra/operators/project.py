"""A select list: columns computed from each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from headrace.algebra.expressions import Expr, Item, aliased
from headrace.algebra.relation import Unary, require_distinct, require_known


@dataclass(frozen=True, eq=False)
class Project(Unary):
    items: tuple[Item, ...]

    def __post_init__(self) -> None:
        require_distinct(self.columns)
        for _, expression in self.items:
            require_known(expression, self.child.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column for column, _ in self.items)

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        (child,) = inputs
        return exp.select(*aliased(self.items)).from_(child)
