"""GROUP BY and DISTINCT: the master rule, by the grouping keys.

    d aggregate(X) = aggregate(X1|K) - aggregate(X0|K)     K = at least the keys of dX

Without keys the whole input is one group, which always has its row, before and after. Where all measures are
counts and sums, ``algebraic`` has a rule that reads no old rows.

Groups are identified by their keys: the rows below need no identity. A group can change only where a row with
its key does, whatever becomes of its measures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from headrace.algebra.expressions import Item
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.relation import Relation
from headrace.delta.affected_keys import affected_values, key_values
from headrace.delta.change import Change, Context
from headrace.delta.description import Description
from headrace.delta.identity import Id, Identified, IdentityContext
from headrace.delta.master_rule import change_by_key
from headrace.delta.rule import Rule


class AggregateRule(Rule[Aggregate]):
    def change(self, node: Aggregate, context: Context) -> Change | None:
        return change_by_key(node, tuple(key for _, key in node.keys), context)

    def affected_keys(self, node: Aggregate, columns: Sequence[str], context: Context) -> Relation | None:
        keys = dict(node.keys)
        change = context.change_of(node.child)
        if change is None or not columns or not {*columns} <= {*keys}:
            return None
        items = [keys[column] for column in columns]
        return affected_values(node.child, items, context) or key_values(change.relation, items, context)

    def key_columns(self, node: Aggregate) -> tuple[Mapping[str, str], ...]:
        return ({column: key.name for column, key in node.keys if isinstance(key, exp.Column)},)

    def identity(self, node: Aggregate, context: IdentityContext) -> Identified | None:
        return Identified(node, tuple(Id(column, False) for column, _ in node.keys))

    def obstacle(self, node: Aggregate) -> str | None:
        return "GROUP BY" if node.measures else "DISTINCT"

    def describe(self, node: Aggregate, description: Description) -> str:
        keys = description.listed([key for _, key in node.keys])
        measures = description.listed([measure for _, measure in node.measures])
        if not measures:
            return f"distinct {keys}"
        return f"group by {keys}: {measures}" if keys else f"aggregate: {measures}"

    def computed(self, node: Aggregate) -> tuple[Item, ...]:
        return (*node.keys, *node.measures)
