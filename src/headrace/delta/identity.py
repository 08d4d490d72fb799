"""Columns that distinguish the rows of a result, and that a row keeps while its other columns change.

Each operator says what identifies its rows, given what identifies those of its inputs. Rows that nothing
identifies (of INTERSECT ALL and EXCEPT ALL, of VALUES, of tables without row ids) are compared as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headrace.algebra.names import Names
from headrace.algebra.relation import Relation
from headrace.model.names import TableName

ROW_ID = "_row_id"
"""Iceberg's column of a table whose rows have an identity."""


@dataclass(frozen=True)
class Id:
    column: str
    is_row_id: bool


@dataclass(frozen=True)
class Identified:
    relation: Relation
    """With all columns of the relation that was identified, in any order, and those of the identity."""
    ids: tuple[Id, ...]


@dataclass(frozen=True)
class IdentityContext:
    """What a rule needs to know of the rest of the query: the identities of its inputs."""

    names: Names
    has_row_ids: Callable[[TableName], bool]
    identity_of: Callable[[Relation], Identified | None]


def identity_of_child(relation: Relation, context: IdentityContext) -> Identified | None:
    """The operator's first child identifies its rows, and the operator passes all columns of it on."""
    first, *others = relation.children
    child = context.identity_of(first)
    return child and Identified(relation.rebuild((child.relation, *others)), child.ids)
