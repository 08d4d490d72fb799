"""Rows that depend on no table: VALUES, range(), a SELECT without FROM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from headrace.algebra.expressions import Expr, column_of, select
from headrace.algebra.relation import Leaf


@dataclass(frozen=True, eq=False)
class Constant(Leaf):
    source: Expr
    """What stands in FROM, without an alias."""
    output: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.output

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        alias = exp.TableAlias(
            this=exp.to_identifier("v"), columns=[exp.to_identifier(column) for column in self.columns]
        )
        source = self.source.copy()
        if isinstance(source, exp.Query):
            source = exp.Subquery(this=source)
        source.set("alias", alias)
        return select(map(column_of, self.columns), source)
