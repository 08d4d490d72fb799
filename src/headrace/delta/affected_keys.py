"""Keys that a change may affect, found without computing the change.

A rule that looks at rows by key may look at more keys than change: what stays as it was cancels out. Each
operator says where its keys can change (``Rule.affected_keys``); these are the steps they share.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headrace.algebra.expressions import Expr
from headrace.algebra.operators.project import Project
from headrace.algebra.relation import Relation
from headrace.delta.change import Context


def affected_values(relation: Relation, items: Sequence[Expr], context: Context) -> Relation | None:
    """The affected keys of ``relation``, where all items are columns of it."""
    columns = [item.name for item in items if isinstance(item, exp.Column)]
    return context.affected_keys(relation, columns) if len(columns) == len(items) else None


def key_values(relation: Relation, items: Sequence[Expr], context: Context) -> Project:
    """The values that rows of ``relation``, which may be a change, have for the items."""
    return Project(relation, tuple((context.names.new(), item) for item in items))
