"""Joins: inner, left outer, and those of EXISTS (semi) and NOT EXISTS (anti)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp

from headrace.algebra.expressions import Expr, column_of, select
from headrace.algebra.relation import Binary, require_distinct, require_known


class JoinKind(StrEnum):
    INNER = "inner"
    LEFT = "left"
    SEMI = "semi"
    ANTI = "anti"


@dataclass(frozen=True, eq=False)
class Join(Binary):
    kind: JoinKind
    condition: Expr | None = None
    """None: every pair matches."""

    def __post_init__(self) -> None:
        require_distinct((*self.left.columns, *self.right.columns))
        if self.condition is not None:
            require_known(self.condition, (*self.left.columns, *self.right.columns))

    @property
    def columns(self) -> tuple[str, ...]:
        if self.kind in (JoinKind.SEMI, JoinKind.ANTI):
            return self.left.columns
        return (*self.left.columns, *self.right.columns)

    def evaluates(self, wanted: Set[str]) -> Iterable[Expr]:
        return () if self.condition is None else (self.condition,)

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        left, right = inputs
        query = select(map(column_of, self.columns), left)
        condition = exp.true() if self.condition is None else self.condition.copy()
        if self.kind is JoinKind.INNER and self.condition is None:
            return query.join(right, join_type="cross", copy=False)
        if self.kind in (JoinKind.SEMI, JoinKind.ANTI):
            matches = exp.Exists(this=select([exp.convert(1)], right).where(condition, copy=False))
            return query.where(exp.not_(matches) if self.kind is JoinKind.ANTI else matches, copy=False)
        return query.join(right, on=condition, join_type=self.kind.value, copy=False)
