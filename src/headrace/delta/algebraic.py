"""Groups that follow their rows by arithmetic: what comes is added, what goes is subtracted.

Of each group are kept the number of its rows, and for each argument the number and the sum of its values that
are not NULL, the number of its different values, or the least or greatest one. From these

    count(*) = rows        count(x) = values        sum(x) = NULL if values = 0 else sum
    avg(x) = sum / values, as Spark divides         count(DISTINCT x) = different values

A group is gone when it has no rows, whatever its sums. The one group of an aggregate without keys stays.
Floating-point sums depend on the order of addition, so groups that need one are computed anew instead.

Different values are rows of ``SELECT DISTINCT keys, x``, which come and go as its rule says.

Least and greatest values follow what comes and goes on balance. A row that the terms of a change both add and
take away is neither, so weights are added up first. See ``group_state`` for what cannot be followed.

Spark averages whole numbers by adding doubles. That is exact, and so the same as ``sum / values``, while the
sum of the absolute values (the magnitude, kept as well) is at most 2^53. Beyond that a refresh cannot follow
by arithmetic: it fails with INEXACT, and the table is recomputed. What is kept for an average alone never
fails by overflow, as the average does not: it is NULL then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from sqlglot import exp

from headrace.algebra.expressions import Expr, Item, column_of, substituted
from headrace.algebra.names import Names
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.filter import Filter
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.scan import SourceVersion
from headrace.algebra.relation import Relation
from headrace.algebra.walk import at
from headrace.delta.change import Change
from headrace.delta.followed_rows import FollowedRows, followed_rows
from headrace.delta.group_state import EXACT_IN_DOUBLE, State, StateKind
from headrace.delta.master_rule import only_keys

_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_MOST_DIGITS, _KEPT_SCALE = 37, 6
"""Spark adds two decimals of at most so many digits, or of at most such a scale, without rounding."""
_ORDERED = re.compile(
    r"boolean|tinyint|smallint|int|bigint|float|double|decimal\(\d+,\d+\)|string|binary|date|timestamp(_ntz)?"
)
"""Types of which the least and the greatest value do not depend on the order of the rows."""
_STATES: dict[type[Expr], tuple[StateKind, ...]] = {
    exp.Count: (StateKind.VALUES,),
    exp.Sum: (StateKind.VALUES, StateKind.SUM),
    exp.Avg: (StateKind.VALUES, StateKind.SUM),
    exp.Distinct: (StateKind.DISTINCT,),
    exp.Min: (StateKind.LEAST,),
    exp.Max: (StateKind.GREATEST,),
}
"""What is kept for each aggregate; count(DISTINCT x) goes by DISTINCT."""
_SINGLE = {kind: kept[0] for kind, kept in _STATES.items() if kind in (exp.Distinct, exp.Min, exp.Max)}
_SAME: dict[type[Expr], type[Expr]] = {exp.LogicalAnd: exp.Min, exp.LogicalOr: exp.Max}
INEXACT = "the sum of a group is too large to follow its changes by arithmetic"


@dataclass(frozen=True)
class Groups:
    """An aggregate at the top of a query, and what is kept of its groups."""

    aggregate: Aggregate
    outputs: tuple[Item, ...]
    """What the query shows, over keys and measures of the aggregate."""
    states: tuple[State, ...]
    """Over the rows of the aggregate's child. The number of rows comes first."""
    key_parts: tuple[str, ...]
    """Columns of the keys where weights are added up first."""
    net: str
    """The column of the sum of the weights."""

    @property
    def kept(self) -> Aggregate:
        """Keys, measures and states: what ``shown`` needs to know the types of."""
        states = tuple((state.column, state.computed) for state in self.states)
        return replace(self.aggregate, measures=(*self.aggregate.measures, *states))

    @property
    def extremes(self) -> tuple[State, ...]:
        """Those that may be lost when rows go."""
        return tuple(state for state in self.states if state.is_extreme)

    def measure_of(self, state: State) -> str | None:
        """The measure that is the state itself."""
        same = (column for column, measure in self.aggregate.measures if _is(measure, state))
        return next(same, None) if state.is_extreme else None

    @cached_property
    def followed(self) -> FollowedRows:
        """The rows whose change the groups follow."""
        return followed_rows(self.aggregate, self.states)

    def change(self, of_followed: Change) -> Relation:
        """Keys, and by how much each state grows, of the groups for which any does."""
        changed = self._added_up(of_followed) if self.extremes else self._grown(of_followed)
        return Filter(changed, exp.or_(*(exp.Paren(this=state.has_changed) for state in self.states)))

    def _grown(self, change: Change) -> Aggregate:
        states = self.followed.states
        return Aggregate(
            change.relation,
            self.followed.keys,
            tuple((state.column, state.changed(change.weight)) for state in states),
        )

    def _added_up(self, change: Change) -> Aggregate:
        keys, states = self.followed.keys, self.followed.states
        extremes = tuple((s.part, s.argument) for s in states if s.is_extreme and s.argument is not None)
        growths = tuple((s.part, s.changed(change.weight)) for s in states if not s.is_extreme)
        parts = tuple((part, key) for part, (_, key) in zip(self.key_parts, keys, strict=True))
        net = exp.Sum(this=column_of(change.weight))
        same = Aggregate(change.relation, (*parts, *extremes), (*growths, (self.net, net)))
        return Aggregate(
            same,
            tuple((key, column_of(part)) for part, (key, _) in zip(self.key_parts, keys, strict=True)),
            tuple(item for state in states for item in state.added_up(self.net)),
        )

    def recomputed(self, keys: Relation | None, names: Names) -> Relation:
        """The keys and the extremes of some groups, at the new version; None: of the only one.

        ``keys`` are the values of the keys, by position.
        """
        child = at(self.aggregate.child, SourceVersion.NEW)
        if keys is not None:
            child = only_keys(child, [key for _, key in self.aggregate.keys], keys)
        items = tuple((names.new(), key) for _, key in self.aggregate.keys)
        return Aggregate(child, items, tuple((names.new(), state.computed) for state in self.extremes))

    def guarded(self, types: Mapping[str, str], names: Names) -> Groups:
        """With the magnitude of each whole number that is averaged, given the types of the states."""
        arguments = [
            found for _, measure in self.aggregate.measures if (found := _argument(measure)) is not None
        ]
        averaged, summed = ([a for kind, a in arguments if kind is wanted] for wanted in (exp.Avg, exp.Sum))
        states: list[State] = []
        added: list[State] = []
        for state in self.states:
            is_whole = state.kind is StateKind.SUM and types[state.column] == "bigint"
            if is_whole and state.argument in averaged:
                magnitude = State(names.new(), StateKind.MAGNITUDE, state.argument, part=names.new())
                added.append(replace(magnitude, may_overflow=True))
                state = replace(state, may_overflow=state.argument not in summed)
            states.append(state)
        return replace(self, states=(*states, *added))

    def shown(self, types: Mapping[str, str]) -> tuple[Expr, ...] | None:
        """The outputs over keys and states, given their types; None where arithmetic would not be exact."""
        values = {}
        for column, measure in self.aggregate.measures:
            value = self._value(measure, types, types.get(column))
            if value is None:
                return None
            values[column] = value
        return tuple(substituted(output, values) for _, output in self.outputs)

    def _value(self, measure: Expr, types: Mapping[str, str], result: str | None) -> Expr | None:
        kind, argument = _argument(measure) or (None, None)
        rows, *others = self.states
        if argument is None:
            return column_of(rows.column)
        of_argument = {state.kind: state.column for state in others if state.argument == argument}
        if kind in _SINGLE:
            only = of_argument[_SINGLE[kind]]
            return column_of(only) if kind is exp.Distinct or _ORDERED.fullmatch(types[only]) else None
        values = column_of(of_argument[StateKind.VALUES])
        if kind is exp.Count:
            return values
        total = of_argument[StateKind.SUM]
        if not _adds_exactly(types[total]):
            return None
        if kind is exp.Sum:
            value: Expr | None = column_of(total)
        elif types[total] == "bigint":
            value = _average_of_whole(total, values, of_argument[StateKind.MAGNITUDE])
        else:
            value = _average_of_decimals(total, types[total], values, result)
        if value is None:
            return None
        empty = exp.EQ(this=values.copy(), expression=exp.convert(0))
        return exp.If(this=empty, true=exp.null(), false=value)


def groups_of(relation: Relation, names: Names) -> Groups | None:
    """None where the relation is no aggregate, or one with measures that do not add up."""
    outputs: list[Item] = [(column, column_of(column)) for column in relation.columns]
    while isinstance(relation, Project):
        below = dict(relation.items)
        outputs = [(column, substituted(item, below)) for column, item in outputs]
        relation = relation.child
    if not isinstance(relation, Aggregate):
        return None
    states = [State(names.new(), StateKind.ROWS, part=names.new())]
    for _, measure in relation.measures:
        found = _argument(measure)
        if found is None:
            return None
        kind, argument = found
        if argument is None:
            continue
        for wanted in _STATES[kind]:
            if not any(s.kind is wanted and s.argument == argument for s in states):
                states.append(_state(wanted, argument, names))
    return Groups(
        relation,
        tuple((names.new(), item) for _, item in outputs),
        tuple(states),
        tuple(names.new() for _ in relation.keys),
        names.new(),
    )


def _is(measure: Expr, state: State) -> bool:
    kind, argument = _argument(measure) or (None, None)
    return kind is not None and _STATES[kind] == (state.kind,) and argument == state.argument


def _state(kind: StateKind, argument: Expr, names: Names) -> State:
    gone = names.new() if kind in (StateKind.LEAST, StateKind.GREATEST) else None
    return State(names.new(), kind, argument, part=names.new(), gone=gone)


def _argument(measure: Expr) -> tuple[type[Expr], Expr | None] | None:
    """A key of ``_STATES`` and of what, a FILTER being part of it; no argument for count(*) without one."""
    condition = None
    if isinstance(measure, exp.Filter):
        condition, measure = measure.expression.this, measure.this
    if type(measure) is exp.CountIf and measure.this.find(exp.Distinct) is None:
        return exp.Count, _under(condition, _under(measure.this, exp.convert(1)))
    kind = _SAME.get(type(measure), type(measure))
    if kind not in _STATES or measure.expressions:
        return None
    argument = measure.this
    if isinstance(argument, exp.Distinct):
        return _distinct(kind, argument, condition)
    if kind is exp.Count and isinstance(argument, exp.Star):
        return exp.Count, None if condition is None else _under(condition, exp.convert(1))
    return kind, _under(condition, argument)


def _distinct(
    kind: type[Expr], values: exp.Distinct, condition: Expr | None
) -> tuple[type[Expr], Expr | None] | None:
    if kind is not exp.Count or len(values.expressions) != 1:
        return None
    return exp.Distinct, _under(condition, values.expressions[0])


def _under(condition: Expr | None, value: Expr) -> Expr:
    return value.copy() if condition is None else exp.Case().when(condition.copy(), value.copy())


def _adds_exactly(type_: str) -> bool:
    found = _DECIMAL.fullmatch(type_)
    if found is None:
        return type_ == "bigint"
    return int(found[1]) <= _MOST_DIGITS or int(found[2]) <= _KEPT_SCALE


def _average_of_whole(total: str, values: Expr, magnitude: str) -> Expr:
    """As Spark does it, as doubles; NULL is a magnitude that is not known."""
    quotient = "CAST(total AS DOUBLE) / CAST(number AS DOUBLE)"
    text = f"IF(magnitude <= {EXACT_IN_DOUBLE}, {quotient}, CAST(raise_error('{INEXACT}') AS DOUBLE))"
    columns = {"total": column_of(total), "number": values, "magnitude": column_of(magnitude)}
    return substituted(_parsed(text), columns)


def _average_of_decimals(total: str, type_: str, values: Expr, result: str | None) -> Expr | None:
    """As Spark does it, rounded half up to four more digits.

    Spark's ``/`` would round them twice, so they are divided as whole numbers, with a remainder.
    """
    columns = {"total": column_of(total), "number": values}
    found = _DECIMAL.fullmatch(type_)
    if found is None:
        return None
    digits, scale = int(found[1]), int(found[2])
    wanted = _DECIMAL.fullmatch(result or "")
    if wanted is None or int(wanted[2]) != scale + 4 or digits + scale > 30:
        return None
    shown, shift = int(wanted[1]), int(wanted[2])
    if shown + shift > 35:
        return None
    shifted = f"CAST(CAST(total * {10**scale} AS DECIMAL(30, 0)) * 20000 AS DECIMAL(37, 0))"
    dividend = f"({shifted} + IF(total < 0, -number, number))"
    divisor = "CAST(number * 2 AS DECIMAL(20, 0))"
    quotient = f"CAST(({dividend} - {dividend} % {divisor}) / {divisor} AS DECIMAL({shown}, 0))"
    text = f"CAST({quotient} * CAST('1E-{shift}' AS DECIMAL({shift + 1}, {shift})) AS {result})"
    return substituted(_parsed(text), columns)


def _parsed(text: str) -> Expr:
    return exp.maybe_parse(text, dialect="spark")
