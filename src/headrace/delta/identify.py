"""What identifies the rows of a whole query, operator by operator."""

from __future__ import annotations

from collections.abc import Callable

from headrace.algebra.names import Names
from headrace.algebra.relation import Relation
from headrace.delta.identity import Identified, IdentityContext
from headrace.delta.rules import rule_of
from headrace.model.names import TableName


def identify(relation: Relation, names: Names, has_row_ids: Callable[[TableName], bool]) -> Identified | None:
    """None where the rows have no identity."""
    known: dict[Relation, Identified | None] = {}

    def identity_of(part: Relation) -> Identified | None:
        if part not in known:
            known[part] = rule_of(part).identity(part, context)
        return known[part]

    context = IdentityContext(names, has_row_ids, identity_of)
    return identity_of(relation)
