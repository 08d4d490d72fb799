"""Inner joins in an order in which each input is connected with those before it.

    (A x B) x[a = c AND b = c] C   =   (A x[a = c] C) x[b = c] B

The order of the query is kept where it can be. An input that no condition connects comes when no other is
left. What follows a change along the conditions then never meets all pairs of two tables.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headrace.algebra.conditions import conjunction
from headrace.algebra.expressions import Expr, names_in
from headrace.algebra.operators.join import Join, JoinKind
from headrace.algebra.relation import Relation


def joined(inputs: Sequence[Relation], conditions: Sequence[Expr]) -> Relation:
    """The pairs of all inputs for which all conditions are true, each of which names several inputs."""
    relation, *waiting = inputs
    pending = list(conditions)
    while waiting:
        following = _next(relation, waiting, pending)
        waiting.remove(following)
        known = {*relation.columns, *following.columns}
        decided = [condition for condition in pending if names_in(condition) <= known]
        pending = [condition for condition in pending if condition not in decided]
        relation = Join(relation, following, JoinKind.INNER, conjunction(decided))
    return relation


def _next(relation: Relation, waiting: Sequence[Relation], conditions: Sequence[Expr]) -> Relation:
    equalities = [each for each in conditions if isinstance(each, exp.EQ | exp.NullSafeEQ)]
    for connecting in (equalities, conditions):
        for candidate in waiting:
            if any(_connects(condition, relation, candidate) for condition in connecting):
                return candidate
    return waiting[0]


def _connects(condition: Expr, one: Relation, other: Relation) -> bool:
    named = names_in(condition)
    return (
        not named.isdisjoint(one.columns)
        and not named.isdisjoint(other.columns)
        and named <= {*one.columns, *other.columns}
    )
