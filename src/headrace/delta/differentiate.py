"""The change of a whole query, operator by operator."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.algebra.names import Names
from headrace.algebra.relation import Relation
from headrace.delta.change import Change, Context
from headrace.delta.rules import rule_of
from headrace.model.names import TableName


def differentiate(relation: Relation, changed: frozenset[TableName], names: Names) -> Change | None:
    """The change of ``relation`` when the tables in ``changed`` change; None where nothing can."""
    known: dict[Relation, Change | None] = {}

    def change_of(part: Relation) -> Change | None:
        if part not in known:
            known[part] = rule_of(part).change(part, context)
        return known[part]

    def affected_keys(part: Relation, columns: Sequence[str]) -> Relation | None:
        return rule_of(part).affected_keys(part, columns, context)

    context = Context(names, changed, change_of, affected_keys)
    return change_of(relation)
