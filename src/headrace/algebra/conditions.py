"""Conditions and what they are made of."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headrace.algebra.relation import Expr


def conjuncts(condition: Expr) -> list[Expr]:
    condition = condition.unnest()
    if not isinstance(condition, exp.And):
        return [condition]
    return [*conjuncts(condition.this), *conjuncts(condition.expression)]


def conjunction(conditions: Sequence[Expr]) -> Expr | None:
    return exp.and_(*conditions) if conditions else None
