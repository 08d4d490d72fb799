"""The change of a whole query, operator by operator."""

from __future__ import annotations

from typing import assert_never

from headrace.algebra.names import Names
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
    Window,
)
from headrace.delta.change import Change, Context
from headrace.delta.join import change_of_join
from headrace.delta.keyed import change_of_aggregate, change_of_set_operation, change_of_window
from headrace.delta.linear import (
    change_of_filter,
    change_of_generate,
    change_of_project,
    change_of_scan,
    change_of_union,
)
from headrace.model.names import TableName


def differentiate(relation: Relation, changed: frozenset[TableName], names: Names) -> Change | None:
    """The change of ``relation`` when the tables in ``changed`` change; None where nothing can."""
    known: dict[int, Change | None] = {}

    def change_of(part: Relation) -> Change | None:
        if id(part) not in known:
            known[id(part)] = _by_rule(part, context)
        return known[id(part)]

    context = Context(names, changed, change_of)
    return change_of(relation)


def _by_rule(relation: Relation, context: Context) -> Change | None:
    match relation:
        case Scan():
            return change_of_scan(relation, context)
        case Constant():
            return None
        case Filter():
            return change_of_filter(relation, context)
        case Project():
            return change_of_project(relation, context)
        case Generate():
            return change_of_generate(relation, context)
        case UnionAll():
            return change_of_union(relation, context)
        case Join():
            return change_of_join(relation, context)
        case Aggregate():
            return change_of_aggregate(relation, context)
        case Window():
            return change_of_window(relation, context)
        case SetOperation():
            return change_of_set_operation(relation, context)
        case _:
            assert_never(relation)
