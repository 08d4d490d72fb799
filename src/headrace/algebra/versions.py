"""A relation as it was before, or is now."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from headrace.algebra.relation import (
    Aggregate,
    Constant,
    Filter,
    Generate,
    Join,
    Project,
    Relation,
    Scan,
    SetOperation,
    UnionAll,
    Version,
    Window,
)
from headrace.model.names import TableName


def at(relation: Relation, version: Version) -> Relation:
    """The same relation on another version of its tables."""
    match relation:
        case Scan():
            return replace(relation, version=version)
        case Constant():
            return relation
        case Join() | SetOperation():
            return replace(relation, left=at(relation.left, version), right=at(relation.right, version))
        case UnionAll():
            return replace(relation, parts=tuple(at(part, version) for part in relation.parts))
        case Project() | Filter() | Aggregate() | Window() | Generate():
            return replace(relation, child=at(relation.child, version))
        case _:
            assert_never(relation)


def tables_of(relation: Relation) -> frozenset[TableName]:
    match relation:
        case Scan():
            return frozenset({relation.table})
        case Constant():
            return frozenset()
        case Join() | SetOperation():
            return tables_of(relation.left) | tables_of(relation.right)
        case UnionAll():
            return frozenset().union(*(tables_of(part) for part in relation.parts))
        case Project() | Filter() | Aggregate() | Window() | Generate():
            return tables_of(relation.child)
        case _:
            assert_never(relation)
