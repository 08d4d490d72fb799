"""A select list: each row by itself.

    d project(X) = project(dX)

Its rows are identified as those of X; what of that the list does not show is added to it. Keys that it only
renames can change only where those of X do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from headrace.algebra.expressions import Expr, Item, column_of
from headrace.algebra.operators.project import Project
from headrace.algebra.relation import Relation
from headrace.delta.affected_keys import affected_values
from headrace.delta.change import Change, Context
from headrace.delta.description import Description
from headrace.delta.identity import Identified, IdentityContext
from headrace.delta.rule import Rule


class ProjectRule(Rule[Project]):
    def change(self, node: Project, context: Context) -> Change | None:
        change = context.change_of(node.child)
        if change is None:
            return None
        weight = (change.weight, column_of(change.weight))
        return Change(Project(change.relation, (*node.items, weight)), node.columns, change.weight)

    def affected_keys(self, node: Project, columns: Sequence[str], context: Context) -> Relation | None:
        items = dict(node.items)
        return affected_values(node.child, [items[column] for column in columns], context)

    def key_columns(self, node: Project) -> tuple[Mapping[str, str], ...]:
        return ({column: item.name for column, item in node.items if isinstance(item, exp.Column)},)

    def identity(self, node: Project, context: IdentityContext) -> Identified | None:
        child = context.identity_of(node.child)
        if child is None:
            return None
        shown = {item.name: column for column, item in node.items if isinstance(item, exp.Column)}
        ids = tuple(replace(i, column=shown.get(i.column) or context.names.new()) for i in child.ids)
        added = tuple(
            (new.column, column_of(old.column))
            for new, old in zip(ids, child.ids, strict=True)
            if old.column not in shown
        )
        return Identified(Project(child.relation, (*node.items, *added)), ids)

    def obstacle(self, node: Project) -> str | None:
        return None

    def describe(self, node: Project, description: Description) -> str:
        return f"compute {description.listed(_calculations(node, description))}"

    def has_line(self, node: Project, description: Description) -> bool:
        return bool(_calculations(node, description))

    def computed(self, node: Project) -> tuple[Item, ...]:
        return node.items


def _calculations(project: Project, description: Description) -> list[Expr]:
    """What is neither a column, nor a constant, nor the weight of a term."""
    items = [item for _, item in project.items]
    own = items[:-1] if description.is_signed_term(project) else items
    return [item for item in own if not isinstance(item, exp.Column) and item.find(exp.Column)]
