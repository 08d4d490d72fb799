"""The child's columns and window functions over them, all with the same PARTITION BY."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from headrace.algebra.expressions import Expr, Item, aliased, column_of, select
from headrace.algebra.relation import Relation, Unary, require_distinct, require_known


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

    def evaluates(self, wanted: Set[str]) -> Iterable[Expr]:
        items = self._items(wanted)
        return (*(self.partition if items else ()), *(expression for _, expression in items))

    def only(self, wanted: Set[str], children: tuple[Relation, ...]) -> Relation:
        (child,) = children
        items = self._items(wanted)
        return Window(child, self.partition, items) if items else child

    def _items(self, wanted: Set[str]) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item[0] in wanted)

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        (child,) = inputs
        return select([*map(column_of, self.child.columns), *aliased(self.items)], child)
