"""Joins.

    d (L x R)    = dL x R0  +  L1 x dR
    d (L op R)   = dL op R1  +  (L0|m op R1)  -  (L0|m op R0)     for op LEFT JOIN, EXISTS, NOT EXISTS

where ``L0|m`` are old rows of L, among them all that match some row of dR: no other row of L sees R change.
Joining new with new would count dL x dR twice. NOT IN is NOT EXISTS of a match that is true or NULL.

Rows are identified as those of both sides, of LEFT JOIN without a match with NULL for R, and of EXISTS and
NOT EXISTS as those of L alone. Left rows of these can change only where they changed themselves or match a
row of dR.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from headrace.algebra.conditions import conjuncts, equal_column
from headrace.algebra.expressions import Expr, column_of, with_columns
from headrace.algebra.operators.join import Join, JoinKind
from headrace.algebra.operators.scan import SourceVersion
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.relation import Relation
from headrace.algebra.walk import versions_of
from headrace.delta.affected_keys import key_values
from headrace.delta.change import Change, Context
from headrace.delta.description import Description
from headrace.delta.identity import Identified, IdentityContext, identity_of_child
from headrace.delta.rule import Rule, same_columns

_OBSTACLES = {
    JoinKind.INNER: None,
    JoinKind.LEFT: "an outer join",
    JoinKind.SEMI: "EXISTS or IN",
    JoinKind.ANTI: "NOT EXISTS or NOT IN",
}


class JoinRule(Rule[Join]):
    def change(self, node: Join, context: Context) -> Change | None:
        left, right = context.change_of(node.left), context.change_of(node.right)
        if left is None and right is None:
            return None
        terms = _inner if node.kind is JoinKind.INNER else _outer
        return context.sum(terms(node, left, right, context), node.columns)

    def affected_keys(self, node: Join, columns: Sequence[str], context: Context) -> Relation | None:
        if node.kind is JoinKind.INNER or not {*columns} <= {*node.left.columns}:
            return None
        left, right = context.change_of(node.left), context.change_of(node.right)
        items = [column_of(column) for column in columns]
        parts: list[Relation] = []
        if left is not None:
            found = context.affected_keys(node.left, columns)
            parts.append(found or key_values(left.relation, items, context))
        if right is not None:
            parts.append(key_values(_matching(node, right, context), items, context))
        return UnionAll(tuple(parts), tuple(context.names.new() for _ in columns)) if parts else None

    def key_columns(self, node: Join) -> tuple[Mapping[str, str], ...]:
        return (
            same_columns(node.left.columns),
            same_columns(node.right.columns) if node.kind is JoinKind.INNER else {},
        )

    def identity(self, node: Join, context: IdentityContext) -> Identified | None:
        if node.kind in (JoinKind.SEMI, JoinKind.ANTI):
            return identity_of_child(node, context)
        left = context.identity_of(node.left)
        right = None if left is None else context.identity_of(node.right)
        if left is None or right is None:
            return None
        return Identified(node.rebuild((left.relation, right.relation)), (*left.ids, *right.ids))

    def obstacle(self, node: Join) -> str | None:
        return _OBSTACLES[node.kind]

    def describe(self, node: Join, description: Description) -> str:
        on = "" if node.condition is None else f" on {description.listed([node.condition])}"
        if node.kind is JoinKind.SEMI and SourceVersion.CHANGE in versions_of(node.right):
            if keys := _null_safe_keys(node.condition):
                return f"only where {description.listed(keys)} occurs in the change"
            return f"only rows that match the change{on}"
        is_cross = node.kind is JoinKind.INNER and node.condition is None
        return "join cross" if is_cross else f"join {node.kind.value}{on}"


def _inner(join: Join, left: Change | None, right: Change | None, context: Context) -> list[Relation]:
    terms = []
    if left is not None:
        joined = join.rebuild((left.relation, context.old(join.right)))
        terms.append(context.positioned(Change(joined, join.columns, left.weight)))
    if right is not None:
        joined = join.rebuild((context.new(join.left), right.relation))
        terms.append(context.positioned(Change(joined, join.columns, right.weight)))
    return terms


def _outer(join: Join, left: Change | None, right: Change | None, context: Context) -> list[Relation]:
    terms = []
    if left is not None:
        joined = join.rebuild((left.relation, context.new(join.right)))
        terms.append(context.positioned(Change(joined, join.columns, left.weight)))
    if right is not None:
        matching = _matching(join, right, context)
        after = join.rebuild((matching, context.new(join.right)))
        before = join.rebuild((matching, context.old(join.right)))
        terms.append(context.weighted(after, join.columns, 1))
        terms.append(context.weighted(before, join.columns, -1))
    return terms


def _matching(join: Join, right: Change, context: Context) -> Relation:
    """Old rows of the left side, all those among them that match a row of the right side's change."""
    return _matching_keys(join, context) or _matching_rows(join, right, context)


def _matching_keys(join: Join, context: Context) -> Join | None:
    """By those equalities of the condition that name a column of the right side."""
    conditions = [] if join.condition is None else conjuncts(join.condition)
    found = [
        (condition, equal[0])
        for condition in conditions
        if (equal := equal_column(condition, join.right.columns, join.left.columns))
    ]
    columns = [column for _, column in found]
    rows = context.affected_keys(join.right, columns) if columns else None
    if rows is None:
        return None
    same = [
        with_columns(condition, {column: name})
        for (condition, column), name in zip(found, rows.columns, strict=True)
    ]
    return Join(context.old(join.left), rows, JoinKind.SEMI, exp.and_(*same))


def _matching_rows(join: Join, right: Change, context: Context) -> Join:
    renamed, names = context.names.renamed(right.relation)
    condition = None if join.condition is None else with_columns(join.condition, names)
    return Join(context.old(join.left), renamed, JoinKind.SEMI, condition)


def _null_safe_keys(condition: Expr | None) -> list[Expr]:
    """The left sides where ``condition`` is nothing but ``a <=> b AND ...``."""
    parts: list[Expr | None] = [*condition.flatten()] if isinstance(condition, exp.And) else [condition]
    same = [part for part in parts if isinstance(part, exp.NullSafeEQ)]
    return [part.this for part in same] if len(same) == len(parts) else []
