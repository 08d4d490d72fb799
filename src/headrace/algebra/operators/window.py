"""The child's columns and window functions over them, all with the same PARTITION BY."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from headrace.algebra.expressions import Expr, Item, aliased, column_of
from headrace.algebra.relation import Unary, require_distinct, require_known


@dataclass(frozen=True, eq=False)
class Window(Unary):
    partition: tuple[Expr, ...]
    items: tuple[Item, ...]

    def __post_init__(self) -> None:
        require_distinct(self.columns)
        for expression in (*self.partition, *(e for _, e in self.items)):
            require_known(expression, self.child.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.child.columns, *(column for column, _ in self.items))

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        (child,) = inputs
        return exp.select(*map(column_of, self.child.columns), *aliased(self.items)).from_(child)
