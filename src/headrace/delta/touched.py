"""Keys that a change may touch, found without computing the change.

A rule that looks at rows by key may look at more keys than change: what stays as it was cancels out. So the
keys of a changed aggregate are those of the changed rows below it, whatever becomes of its measures; and left
rows of LEFT JOIN, EXISTS and NOT EXISTS can change only where they changed themselves or match a row of the
right side's change.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headrace.algebra.conditions import conjuncts
from headrace.algebra.names import column_of, with_columns
from headrace.algebra.relation import (
    Aggregate,
    Expr,
    Filter,
    Join,
    JoinKind,
    Project,
    Relation,
    UnionAll,
)
from headrace.delta.change import Change, Context


def touched(relation: Relation, columns: Sequence[str], context: Context) -> Relation | None:
    """At least the values that changed rows have in ``columns``, in their order, under new names.

    None where the change itself is no dearer. Values are equal as in GROUP BY, which takes -0.0 for 0.0.
    """
    match relation:
        case Filter():
            return touched(relation.child, columns, context)
        case Project():
            return _touched_by_name(relation.child, [dict(relation.items)[c] for c in columns], context)
        case Aggregate():
            return _of_aggregate(relation, columns, context)
        case Join() if relation.kind is not JoinKind.INNER and {*columns} <= {*relation.left.columns}:
            return _of_left(relation, columns, context)
    return None


def matching(join: Join, right: Change, context: Context) -> Relation:
    """Old rows of the left side, all those among them that match a row of the right side's change."""
    return _matching_keys(join, context) or _matching_rows(join, right, context)


def _touched_by_name(relation: Relation, items: Sequence[Expr], context: Context) -> Relation | None:
    if not all(isinstance(item, exp.Column) for item in items):
        return None
    return touched(relation, [item.name for item in items], context)


def _of_aggregate(aggregate: Aggregate, columns: Sequence[str], context: Context) -> Relation | None:
    keys = dict(aggregate.keys)
    change = context.change_of(aggregate.child)
    if change is None or not columns or not {*columns} <= {*keys}:
        return None
    items = [keys[column] for column in columns]
    return _touched_by_name(aggregate.child, items, context) or _shown(change.relation, items, context)


def _of_left(join: Join, columns: Sequence[str], context: Context) -> Relation | None:
    left, right = context.change_of(join.left), context.change_of(join.right)
    items = [column_of(column) for column in columns]
    parts = []
    if left is not None:
        parts.append(touched(join.left, columns, context) or _shown(left.relation, items, context))
    if right is not None:
        parts.append(_shown(matching(join, right, context), items, context))
    return UnionAll(tuple(parts), tuple(context.names.new() for _ in columns)) if parts else None


def _shown(relation: Relation, items: Sequence[Expr], context: Context) -> Project:
    return Project(relation, tuple((context.names.new(), item) for item in items))


def _matching_keys(join: Join, context: Context) -> Join | None:
    """By those equalities of the condition that name a column of the right side."""
    conditions = [] if join.condition is None else conjuncts(join.condition)
    found = [(condition, column) for condition in conditions if (column := _right_column(condition, join))]
    columns = [column for _, column in found]
    rows = touched(join.right, columns, context) if columns else None
    if rows is None:
        return None
    same = [
        with_columns(condition, {column: name})
        for (condition, column), name in zip(found, rows.columns, strict=True)
    ]
    return Join(context.old(join.left), rows, JoinKind.SEMI, exp.and_(*same))


def _right_column(condition: Expr, join: Join) -> str | None:
    """The column of the right side that must equal an expression over the left side."""
    if not isinstance(condition, exp.EQ | exp.NullSafeEQ):
        return None
    sides = (condition.this.unnest(), condition.expression.unnest())
    for one, other in (sides, sides[::-1]):
        known = {column.name for column in other.find_all(exp.Column)}
        if isinstance(one, exp.Column) and one.name in join.right.columns and known <= {*join.left.columns}:
            return str(one.name)
    return None


def _matching_rows(join: Join, right: Change, context: Context) -> Join:
    renamed, names = context.names.renamed(right.relation)
    condition = None if join.condition is None else with_columns(join.condition, names)
    return Join(context.old(join.left), renamed, JoinKind.SEMI, condition)
