"""Queries whose rows only ever come when rows of their tables only come."""

from __future__ import annotations

from headrace.algebra.relation import Relation
from headrace.delta.rules import rule_of


def obstacle(relation: Relation) -> str | None:
    """The operator that may take rows away when rows are inserted; None if there is none."""
    own = rule_of(relation).obstacle(relation)
    return own or next((found for child in relation.children if (found := obstacle(child))), None)
