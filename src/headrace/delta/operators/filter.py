"""WHERE, HAVING, QUALIFY: each row by itself.

    d filter(X) = filter(dX)

Its rows are identified as those of X, and its keys can change only where those of X do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from headrace.algebra.operators.filter import Filter
from headrace.algebra.relation import Relation
from headrace.delta.change import Change, Context
from headrace.delta.description import Description
from headrace.delta.identity import Identified, IdentityContext, identity_of_child
from headrace.delta.rule import Rule, same_columns


class FilterRule(Rule[Filter]):
    def change(self, node: Filter, context: Context) -> Change | None:
        change = context.change_of(node.child)
        if change is None:
            return None
        return replace(change, relation=Filter(change.relation, node.condition))

    def affected_keys(self, node: Filter, columns: Sequence[str], context: Context) -> Relation | None:
        return context.affected_keys(node.child, columns)

    def key_columns(self, node: Filter) -> tuple[Mapping[str, str], ...]:
        return (same_columns(node.columns),)

    def identity(self, node: Filter, context: IdentityContext) -> Identified | None:
        return identity_of_child(node, context)

    def obstacle(self, node: Filter) -> str | None:
        return None

    def describe(self, node: Filter, description: Description) -> str:
        return f"filter {description.listed([node.condition])}"
