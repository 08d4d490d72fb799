"""Operators that work on groups of rows: the master rule.

    d f(X) = f(X1|K) - f(X0|K)     K = at least the keys of dX

for GROUP BY and DISTINCT (K: the grouping keys), window functions (K: PARTITION BY), INTERSECT and EXCEPT
with or without ALL (K: whole rows, of both sides). Without a key the whole input is one group: a global
aggregate always has its one row, before and after.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headrace.algebra.names import column_of
from headrace.algebra.relation import (
    Aggregate,
    Expr,
    Join,
    JoinKind,
    Project,
    Relation,
    SetOperation,
    UnionAll,
    Window,
)
from headrace.delta.change import Change, Context
from headrace.delta.touched import touched


def change_of_aggregate(aggregate: Aggregate, context: Context) -> Change | None:
    change = context.change_of(aggregate.child)
    if change is None:
        return None
    keys = tuple(expression for _, expression in aggregate.keys)
    new, old = (
        replace(aggregate, child=rows) for rows in _restricted(aggregate.child, keys, change, context)
    )
    return _difference(new, old, aggregate.columns, context)


def change_of_window(window: Window, context: Context) -> Change | None:
    change = context.change_of(window.child)
    if change is None:
        return None
    new, old = (
        replace(window, child=rows) for rows in _restricted(window.child, window.partition, change, context)
    )
    return _difference(new, old, window.columns, context)


def change_of_set_operation(operation: SetOperation, context: Context) -> Change | None:
    changes = [c for side in (operation.left, operation.right) if (c := context.change_of(side)) is not None]
    if not changes:
        return None
    keys = _whole_rows(changes, context)
    new = _on_rows(operation, context.new(operation.left), context.new(operation.right), keys, context)
    old = _on_rows(operation, context.old(operation.left), context.old(operation.right), keys, context)
    return _difference(new, old, operation.columns, context)


def _difference(new: Relation, old: Relation, columns: tuple[str, ...], context: Context) -> Change:
    return context.sum([context.weighted(new, columns, 1), context.weighted(old, columns, -1)], columns)


def _restricted(
    relation: Relation, keys: tuple[Expr, ...], change: Change, context: Context
) -> tuple[Relation, Relation]:
    """The new and the old rows of ``relation`` whose key its change may touch."""
    new, old = context.new(relation), context.old(relation)
    if not keys:
        return new, old
    affected = _touched(relation, keys, context)
    if affected is None:
        affected = Project(change.relation, tuple((context.names.new(), key) for key in keys))
    return _semi(new, keys, affected), _semi(old, keys, affected)


def _touched(relation: Relation, keys: tuple[Expr, ...], context: Context) -> Relation | None:
    names = [key.name for key in keys if isinstance(key, exp.Column)]
    return touched(relation, names, context) if len(names) == len(keys) else None


def _whole_rows(changes: list[Change], context: Context) -> Relation:
    parts = [
        Project(c.relation, tuple((context.names.new(), column_of(name)) for name in c.columns))
        for c in changes
    ]
    names = tuple(context.names.new() for _ in changes[0].columns)
    return UnionAll(tuple(parts), names)


def _on_rows(
    operation: SetOperation, left: Relation, right: Relation, rows: Relation, context: Context
) -> SetOperation:
    def restricted(side: Relation) -> Relation:
        renamed, _ = context.names.renamed(rows)
        return _semi(side, tuple(column_of(column) for column in side.columns), renamed)

    return replace(operation, left=restricted(left), right=restricted(right))


def _semi(relation: Relation, keys: tuple[Expr, ...], affected: Relation) -> Join:
    same = [
        exp.NullSafeEQ(this=key.copy(), expression=column_of(column))
        for key, column in zip(keys, affected.columns, strict=True)
    ]
    return Join(relation, affected, JoinKind.SEMI, exp.and_(*same))
