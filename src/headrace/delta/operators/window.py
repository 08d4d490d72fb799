"""Window functions: the master rule, by PARTITION BY.

    d window(X) = window(X1|K) - window(X0|K)     K = at least the partitions of dX

Without PARTITION BY the whole input is one partition. Rows are identified as those of X.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from headrace.algebra.expressions import Item
from headrace.algebra.operators.window import Window
from headrace.delta.change import Change, Context
from headrace.delta.description import Description
from headrace.delta.identity import Identified, IdentityContext, identity_of_child
from headrace.delta.master_rule import change_by_key
from headrace.delta.rule import Rule, same_columns


class WindowRule(Rule[Window]):
    def change(self, node: Window, context: Context) -> Change | None:
        return change_by_key(node, node.partition, context)

    def key_columns(self, node: Window) -> tuple[Mapping[str, str], ...]:
        return (same_columns(item.name for item in node.partition if isinstance(item, exp.Column)),)

    def identity(self, node: Window, context: IdentityContext) -> Identified | None:
        return identity_of_child(node, context)

    def obstacle(self, node: Window) -> str | None:
        return "a window function"

    def describe(self, node: Window, description: Description) -> str:
        functions = description.listed([item for _, item in node.items])
        by = f" by {description.listed(node.partition)}" if node.partition else ""
        return f"window{by}: {functions}"

    def computed(self, node: Window) -> tuple[Item, ...]:
        return node.items
