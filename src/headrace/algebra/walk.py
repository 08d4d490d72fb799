"""Walks over a query: its parts, its tables, and the same query at another version of them."""

from __future__ import annotations

from dataclasses import replace

from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.algebra.relation import Relation
from headrace.model.names import TableName


def at(relation: Relation, version: SourceVersion) -> Relation:
    """The same relation on another version of its tables."""
    if isinstance(relation, Scan):
        return replace(relation, version=version)
    return relation.rebuild(tuple(at(child, version) for child in relation.children))


def parts_of(relation: Relation) -> list[Relation]:
    """The relation and all it is computed from, each once, children before what reads them."""
    found: dict[Relation, None] = {}

    def visit(part: Relation) -> None:
        if part not in found:
            for child in part.children:
                visit(child)
            found[part] = None

    visit(relation)
    return list(found)


def scans_of(relation: Relation) -> list[Scan]:
    """Every occurrence of a table; one in a shared part counts each time that the part is used."""
    if isinstance(relation, Scan):
        return [relation]
    return [scan for child in relation.children for scan in scans_of(child)]


def tables_of(relation: Relation) -> frozenset[TableName]:
    return frozenset(scan.table for scan in scans_of(relation))


def versions_of(relation: Relation) -> frozenset[SourceVersion]:
    return frozenset(part.version for part in parts_of(relation) if isinstance(part, Scan))
