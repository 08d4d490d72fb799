"""INTERSECT and EXCEPT, with ALL or without; the columns of both sides correspond by position."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp

from headrace.algebra.expressions import Expr, aliased, positional, select
from headrace.algebra.relation import Binary


class SetKind(StrEnum):
    INTERSECT = "intersect"
    EXCEPT = "except"


@dataclass(frozen=True, eq=False)
class SetOperation(Binary):
    kind: SetKind
    every: bool
    """ALL: duplicates count."""
    output: tuple[str, ...]

    def __post_init__(self) -> None:
        if not len(self.left.columns) == len(self.right.columns) == len(self.output):
            raise ValueError("both sides of a set operation have the same number of columns")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.output

    def needed(self, wanted: Set[str]) -> tuple[Set[str], ...]:
        """Rows are compared in all columns."""
        return tuple(set(side.columns) for side in self.children)

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        kinds = {SetKind.INTERSECT: exp.Intersect, SetKind.EXCEPT: exp.Except}
        left, right = (
            select(aliased(positional(self.columns, side.columns)), source)
            for side, source in zip(self.children, inputs, strict=True)
        )
        return kinds[self.kind](this=left, expression=right, distinct=not self.every)
