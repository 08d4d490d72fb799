"""WHERE, HAVING, QUALIFY: the rows for which a condition is true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from headrace.algebra.expressions import Expr
from headrace.algebra.relation import Unary, require_known


@dataclass(frozen=True, eq=False)
class Filter(Unary):
    condition: Expr

    def __post_init__(self) -> None:
        require_known(self.condition, self.child.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        (child,) = inputs
        return exp.select(*self.columns).from_(child).where(self.condition.copy())
