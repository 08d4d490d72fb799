"""WHERE, HAVING, QUALIFY: the rows for which a condition is true."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from headrace.algebra.expressions import Expr, column_of, select
from headrace.algebra.relation import Unary, require_known


@dataclass(frozen=True, eq=False)
class Filter(Unary):
    condition: Expr

    def __post_init__(self) -> None:
        require_known(self.condition, self.child.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns

    def evaluates(self, wanted: Set[str]) -> Iterable[Expr]:
        return (self.condition,)

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        (child,) = inputs
        return select(map(column_of, self.columns), child).where(self.condition.copy(), copy=False)
