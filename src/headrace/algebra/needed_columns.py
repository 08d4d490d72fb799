"""A query without the columns that it does not need, so that no refresh reads them from files."""

from __future__ import annotations

from headrace.algebra.relation import Relation
from headrace.algebra.walk import parts_of


def with_needed_columns(relation: Relation) -> Relation:
    """The same rows, in the same columns. What needs no column of its input is given one, to count rows."""
    parts = parts_of(relation)
    wanted: dict[Relation, set[str]] = {part: set() for part in parts}
    wanted[relation].update(relation.columns)
    for part in reversed(parts):
        wanted[part] = wanted[part] or set(part.columns[:1])
        for child, columns in zip(part.children, part.needed(wanted[part]), strict=True):
            wanted[child].update(columns)
    rebuilt: dict[Relation, Relation] = {}
    for part in parts:
        rebuilt[part] = part.only(wanted[part], tuple(rebuilt[child] for child in part.children))
    return rebuilt[relation]
