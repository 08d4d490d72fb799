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


def scans_of(relation: Relation) -> list[Scan]:
    """Every occurrence of a table; one in a shared part counts each time that the part is used."""
    match relation:
        case Scan():
            return [relation]
        case Constant():
            return []
        case Join() | SetOperation():
            return [*scans_of(relation.left), *scans_of(relation.right)]
        case UnionAll():
            return [scan for part in relation.parts for scan in scans_of(part)]
        case Project() | Filter() | Aggregate() | Window() | Generate():
            return scans_of(relation.child)
        case _:
            assert_never(relation)


def tables_of(relation: Relation) -> frozenset[TableName]:
    return frozenset(scan.table for scan in scans_of(relation))
