"""Joins.

    d (L x R)    = dL x R0  +  L1 x dR
    d (L op R)   = dL op R1  +  (L0|m op R1)  -  (L0|m op R0)     for op LEFT JOIN, EXISTS, NOT EXISTS

where ``L0|m`` are old rows of L, among them all that match some row of dR: no other row of L sees R change.
Joining new with new would count dL x dR twice. NOT IN is NOT EXISTS of a match that is true or NULL.
"""

from __future__ import annotations

from dataclasses import replace

from headrace.algebra.relation import Join, JoinKind, Relation
from headrace.delta.change import Change, Context
from headrace.delta.touched import matching


def change_of_join(join: Join, context: Context) -> Change | None:
    left, right = context.change_of(join.left), context.change_of(join.right)
    if left is None and right is None:
        return None
    terms = (
        _inner(join, left, right, context)
        if join.kind is JoinKind.INNER
        else _outer(join, left, right, context)
    )
    return context.sum(terms, join.columns)


def _inner(join: Join, left: Change | None, right: Change | None, context: Context) -> list[Relation]:
    terms = []
    if left is not None:
        joined = replace(join, left=left.relation, right=context.old(join.right))
        terms.append(context.positioned(Change(joined, join.columns, left.weight)))
    if right is not None:
        joined = replace(join, left=context.new(join.left), right=right.relation)
        terms.append(context.positioned(Change(joined, join.columns, right.weight)))
    return terms


def _outer(join: Join, left: Change | None, right: Change | None, context: Context) -> list[Relation]:
    terms = []
    if left is not None:
        joined = replace(join, left=left.relation, right=context.new(join.right))
        terms.append(context.positioned(Change(joined, join.columns, left.weight)))
    if right is not None:
        affected = matching(join, right, context)
        after = replace(join, left=affected, right=context.new(join.right))
        before = replace(join, left=affected, right=context.old(join.right))
        terms.append(context.weighted(after, join.columns, 1))
        terms.append(context.weighted(before, join.columns, -1))
    return terms
