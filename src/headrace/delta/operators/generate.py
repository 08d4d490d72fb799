"""LATERAL VIEW: each row by itself.

    d generate(X) = generate(dX)

Its rows are identified as those of X, and by the position in the list, which ``posexplode`` gives.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from headrace.algebra.expressions import Item
from headrace.algebra.operators.generate import Generate
from headrace.delta.change import Change, Context
from headrace.delta.description import Description
from headrace.delta.identity import Id, Identified, IdentityContext
from headrace.delta.rule import Rule, same_columns


class GenerateRule(Rule[Generate]):
    def change(self, node: Generate, context: Context) -> Change | None:
        change = context.change_of(node.child)
        if change is None:
            return None
        return Change(node.rebuild((change.relation,)), node.columns, change.weight)

    def key_columns(self, node: Generate) -> tuple[Mapping[str, str], ...]:
        return (same_columns(node.child.columns),)

    def identity(self, node: Generate, context: IdentityContext) -> Identified | None:
        child = context.identity_of(node.child)
        if child is None:
            return None
        if type(node.generator) is exp.Posexplode:
            ids = (*child.ids, Id(node.generated[0], False))
            return Identified(node.rebuild((child.relation,)), ids)
        if type(node.generator) is not exp.Explode or len(node.generated) > 2:
            return None
        position = context.names.new()
        with_position = Generate(
            child.relation,
            exp.Posexplode(this=node.generator.this.copy()),
            node.outer,
            (position, *node.generated),
        )
        return Identified(with_position, (*child.ids, Id(position, False)))

    def obstacle(self, node: Generate) -> str | None:
        return None

    def describe(self, node: Generate, description: Description) -> str:
        return f"lateral view{' outer' if node.outer else ''} {description.text(node.generator)}"

    def computed(self, node: Generate) -> tuple[Item, ...]:
        return tuple((column, node.generator) for column in node.generated)
