"""The rows whose change moves what is kept of groups.

These are the rows of the groups. Where different values of x are counted, they are these rows and those of
``SELECT DISTINCT keys, x``, in one relation, with NULL in the columns that belong to the others:

    keys   arguments   one    x
    k      a           1      NULL     each row of a group
    k      NULL        NULL   x        each different x of a group
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from headrace.algebra.expressions import Expr, Item, column_of
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.relation import Relation
from headrace.delta.group_state import State, StateKind


@dataclass(frozen=True)
class FollowedRows:
    relation: Relation
    keys: tuple[Item, ...]
    """Those of the aggregate, over the columns of the relation."""
    states: tuple[State, ...]
    """With arguments over the columns of the relation."""


def followed_rows(aggregate: Aggregate, states: tuple[State, ...]) -> FollowedRows:
    if not any(state.kind is StateKind.DISTINCT for state in states):
        return FollowedRows(aggregate.child, aggregate.keys, states)
    keys = tuple(f"{column}_of_row" for column, _ in aggregate.keys)
    arguments = tuple(f"{state.column}_of_row" for state in states)
    own = _rows(aggregate, states)
    different = [
        _different(aggregate, state, place, len(states))
        for place, state in enumerate(states)
        if state.kind is StateKind.DISTINCT
    ]
    return FollowedRows(
        UnionAll((own, *different), (*keys, *arguments)),
        tuple((key, column_of(column)) for (key, _), column in zip(aggregate.keys, keys, strict=True)),
        tuple(_over(state, column) for state, column in zip(states, arguments, strict=True)),
    )


def _over(state: State, column: str) -> State:
    """A row that has the column counts: it is 1 for rows of the group, and x for different values."""
    counted = StateKind.VALUES if state.kind in (StateKind.ROWS, StateKind.DISTINCT) else state.kind
    return replace(state, kind=counted, argument=column_of(column))


def _rows(aggregate: Aggregate, states: Sequence[State]) -> Relation:
    values = tuple(
        (
            f"{state.column}_own",
            exp.null() if state.kind is StateKind.DISTINCT else state.argument or exp.convert(1),
        )
        for state in states
    )
    return Project(aggregate.child, (*_keys(aggregate, "own"), *values))


def _different(aggregate: Aggregate, state: State, place: int, places: int) -> Relation:
    """The different values of a state, in its place among the others."""
    if state.argument is None:
        raise ValueError("different values are those of an argument")
    suffix = f"different{place}"
    keys = _keys(aggregate, suffix)
    distinct = Aggregate(aggregate.child, (*keys, (f"{state.column}_{suffix}", state.argument)), ())
    *shown, value = (column_of(column) for column in distinct.columns)
    values: list[Expr] = [*shown, *(value if n == place else exp.null() for n in range(places))]
    return Project(distinct, tuple((f"{state.column}_{suffix}_{n}", each) for n, each in enumerate(values)))


def _keys(aggregate: Aggregate, suffix: str) -> tuple[Item, ...]:
    return tuple((f"{column}_{suffix}", key) for column, key in aggregate.keys)
