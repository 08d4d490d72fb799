"""LATERAL VIEW: each row of the child with each row that a generator makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from sqlglot import exp

from headrace.algebra.expressions import Expr, column_of, select
from headrace.algebra.relation import Unary, require_distinct, require_known


@dataclass(frozen=True, eq=False)
class Generate(Unary):
    generator: Expr
    outer: bool
    """Rows for which the generator makes nothing stay, with NULLs."""
    generated: tuple[str, ...]

    def __post_init__(self) -> None:
        require_distinct(self.columns)
        require_known(self.generator, self.child.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.child.columns, *self.generated)

    def evaluates(self, wanted: Set[str]) -> Iterable[Expr]:
        return (self.generator,)

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        (child,) = inputs
        lateral = exp.Lateral(
            this=self.generator.copy(),
            view=True,
            outer=self.outer,
            alias=exp.TableAlias(
                this=exp.to_identifier("g"), columns=[exp.to_identifier(name) for name in self.generated]
            ),
        )
        query = select(map(column_of, self.columns), child)
        query.append("laterals", lateral)
        return query
