"""Conditions and what they are made of."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlglot import exp

from headrace.algebra.expressions import Expr, names_in


def conjuncts(condition: Expr) -> list[Expr]:
    condition = condition.unnest()
    if not isinstance(condition, exp.And):
        return [condition]
    return [*conjuncts(condition.this), *conjuncts(condition.expression)]


def equal_column(
    condition: Expr, columns: Collection[str], others: Collection[str]
) -> tuple[str, Expr] | None:
    """One of ``columns`` that must equal an expression over ``others``, and that expression."""
    if not isinstance(condition, exp.EQ | exp.NullSafeEQ):
        return None
    sides = (condition.this.unnest(), condition.expression.unnest())
    for one, other in (sides, sides[::-1]):
        if isinstance(one, exp.Column) and one.name in columns and names_in(other) <= {*others}:
            return str(one.name), other
    return None


def with_common_factors(condition: Expr) -> Expr:
    """``(a AND b) OR (a AND c)`` as ``a AND (b OR c)``, which is the same for NULL, too."""
    if not isinstance(condition, exp.Or):
        return condition
    cases = [conjuncts(case) for case in _disjuncts(condition)]
    common = [part for part in cases[0] if all(part in case for case in cases)]
    rests = [[part for part in case if part not in common] for case in cases]
    if not common:
        return condition
    if not all(rests):
        return exp.and_(*common)
    return exp.and_(*common, exp.or_(*(exp.and_(*rest) for rest in rests)))


def _disjuncts(condition: Expr) -> list[Expr]:
    condition = condition.unnest()
    if not isinstance(condition, exp.Or):
        return [condition]
    return [*_disjuncts(condition.this), *_disjuncts(condition.expression)]


def conjunction(conditions: Sequence[Expr]) -> Expr | None:
    return exp.and_(*conditions) if conditions else None


def negation_inward(expression: Expr) -> Expr:
    """A copy without NOT before AND, OR or another NOT; a test for FALSE of what holds a subquery is NOT."""
    holder = exp.Paren(this=expression.copy())
    for comparison in list(holder.find_all(exp.EQ, exp.NEQ)):
        if (tested := _compared_with_truth(comparison)) is not None:
            comparison.replace(tested)
    while (negation := next(filter(_goes_inward, holder.find_all(exp.Not)), None)) is not None:
        inner = negation.this.unnest()
        if isinstance(inner, exp.Not):
            negation.replace(exp.Paren(this=inner.this.copy()))
            continue
        other = exp.Or if isinstance(inner, exp.And) else exp.And
        left, right = (exp.Not(this=exp.Paren(this=side.copy())) for side in (inner.this, inner.expression))
        negation.replace(exp.Paren(this=other(this=left, expression=right)))
    made: Expr = holder.this
    return made.copy()


def _compared_with_truth(comparison: Expr) -> Expr | None:
    """``x = true`` and ``x = false`` as x and NOT x, where x has a subquery."""
    sides = [comparison.this.unnest(), comparison.expression.unnest()]
    for truth, other in (sides, sides[::-1]):
        if isinstance(truth, exp.Boolean) and other.find(exp.In, exp.Exists) and other.find(exp.Query):
            is_so = bool(truth.this) == isinstance(comparison, exp.EQ)
            inner = exp.Paren(this=other.copy())
            return inner if is_so else exp.Paren(this=exp.Not(this=inner))
    return None


def _goes_inward(negation: exp.Not) -> bool:
    return isinstance(negation.this.unnest(), exp.And | exp.Or | exp.Not)
