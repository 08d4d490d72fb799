"""Queries whose rows only ever come when rows of their tables only come."""

from __future__ import annotations

from typing import assert_never

from headrace.algebra.relation import (
    Aggregate,
    Constant,
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    SetOperation,
    UnionAll,
    Window,
)


def obstacle(relation: Relation) -> str | None:
    """The operator that may take rows away when rows are inserted; None if there is none."""
    match relation:
        case Scan() | Constant():
            return None
        case Project() | Filter() | Generate():
            return obstacle(relation.child)
        case UnionAll():
            return next((found for part in relation.parts if (found := obstacle(part))), None)
        case Join(kind=JoinKind.INNER):
            return obstacle(relation.left) or obstacle(relation.right)
        case Join():
            return {
                JoinKind.LEFT: "an outer join",
                JoinKind.SEMI: "EXISTS or IN",
                JoinKind.ANTI: "NOT EXISTS or NOT IN",
            }[relation.kind]
        case Aggregate():
            return "GROUP BY" if relation.measures else "DISTINCT"
        case Window():
            return "a window function"
        case SetOperation():
            return relation.kind.value.upper()
        case _:
            assert_never(relation)
