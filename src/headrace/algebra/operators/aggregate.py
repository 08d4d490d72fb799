"""GROUP BY. Without keys: exactly one row. Without measures: DISTINCT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from headrace.algebra.expressions import Expr, Item, aliased
from headrace.algebra.relation import Unary, require_distinct, require_known


@dataclass(frozen=True, eq=False)
class Aggregate(Unary):
    keys: tuple[Item, ...]
    measures: tuple[Item, ...]

    def __post_init__(self) -> None:
        require_distinct(self.columns)
        for _, expression in (*self.keys, *self.measures):
            require_known(expression, self.child.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column for column, _ in (*self.keys, *self.measures))

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        (child,) = inputs
        query = exp.select(*aliased((*self.keys, *self.measures))).from_(child)
        return query.group_by(*(key.copy() for _, key in self.keys)) if self.keys else query
