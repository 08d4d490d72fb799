"""A select list: columns computed from each row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from headrace.algebra.expressions import Expr, Item, aliased, select
from headrace.algebra.relation import Relation, Unary, require_distinct, require_known


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

    def evaluates(self, wanted: Set[str]) -> Iterable[Expr]:
        return (expression for _, expression in self._items(wanted))

    def only(self, wanted: Set[str], children: tuple[Relation, ...]) -> Relation:
        (child,) = children
        return Project(child, self._items(wanted))

    def _items(self, wanted: Set[str]) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item[0] in wanted)

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        (child,) = inputs
        return select(aliased(self.items), child)
