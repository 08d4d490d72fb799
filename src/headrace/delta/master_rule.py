"""The master rule, for operators that compute each group of rows by itself.

    d f(X) = f(X1|K) - f(X0|K)     K = at least the keys of dX

What K has beyond the keys of dX cancels out. Without a key the whole input is one group.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headrace.algebra.expressions import Expr, column_of
from headrace.algebra.operators.join import Join, JoinKind
from headrace.algebra.relation import Relation, Unary
from headrace.delta.affected_keys import affected_values, key_values
from headrace.delta.change import Change, Context


def change_by_key(operator: Unary, keys: Sequence[Expr], context: Context) -> Change | None:
    """``keys`` are expressions over the child."""
    change = context.change_of(operator.child)
    if change is None:
        return None
    new, old = context.new(operator.child), context.old(operator.child)
    if keys:
        affected = affected_values(operator.child, keys, context)
        affected = affected or key_values(change.relation, keys, context)
        new, old = only_keys(new, keys, affected), only_keys(old, keys, affected)
    return difference(operator.rebuild((new,)), operator.rebuild((old,)), operator.columns, context)


def difference(new: Relation, old: Relation, columns: tuple[str, ...], context: Context) -> Change:
    return context.sum([context.weighted(new, columns, 1), context.weighted(old, columns, -1)], columns)


def only_keys(relation: Relation, keys: Sequence[Expr], affected: Relation) -> Join:
    """``X|K``: the rows of ``relation`` whose key is among the rows of ``affected``."""
    same = [
        exp.NullSafeEQ(this=key.copy(), expression=column_of(column))
        for key, column in zip(keys, affected.columns, strict=True)
    ]
    return Join(relation, affected, JoinKind.SEMI, exp.and_(*same))
