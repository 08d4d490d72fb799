"""GROUP BY. Without keys: exactly one row. Without measures: DISTINCT."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from headrace.algebra.expressions import Expr, Item, aliased, select
from headrace.algebra.relation import Relation, Unary, require_distinct, require_known


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

    def evaluates(self, wanted: Set[str]) -> Iterable[Expr]:
        return (expression for _, expression in (*self.keys, *self._measures(wanted)))

    def only(self, wanted: Set[str], children: tuple[Relation, ...]) -> Relation:
        """Groups have their keys in any case."""
        (child,) = children
        return Aggregate(child, self.keys, self._measures(wanted))

    def _measures(self, wanted: Set[str]) -> tuple[Item, ...]:
        return tuple(item for item in self.measures if item[0] in wanted)

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        (child,) = inputs
        query = select(aliased((*self.keys, *self.measures)), child)
        return query.group_by(*(key.copy() for _, key in self.keys), copy=False) if self.keys else query
