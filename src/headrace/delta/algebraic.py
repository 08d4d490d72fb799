"""Groups that follow their rows by arithmetic: what comes is added, what goes is subtracted.

Of each group are kept the number of its rows, and for each argument the number and the sum of its values that
are not NULL. From these

    count(*) = rows        count(x) = values        sum(x) = NULL if values = 0 else sum
    avg(x) = sum / values, as Spark divides

A group is gone when it has no rows, whatever its sums. The one group of an aggregate without keys stays.
Floating-point sums depend on the order of addition, so groups that need one are computed anew instead.

Spark averages whole numbers by adding doubles. That is exact, and so the same as ``sum / values``, while the
sum of the absolute values (the magnitude, kept as well) is at most 2^53. Beyond that a refresh cannot follow
by arithmetic: it fails with INEXACT, and the table is recomputed. What is kept for an average alone never
fails by overflow, as the average does not: it is NULL then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlglot import exp

from headrace.algebra.expressions import Expr, Item, column_of
from headrace.algebra.names import Names
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.filter import Filter
from headrace.algebra.operators.project import Project
from headrace.algebra.relation import Relation
from headrace.delta.change import Change

_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_EXACT_IN_DOUBLE = 2**53
_TOO_LARGE = 2**62
"""Stands for the absolute value of a number that is not exact as a double: one is beyond the limit."""
_MOST_DIGITS = 37
"""Of a decimal with a fraction, so that Spark adds two without rounding."""
INEXACT = "the sum of a group is too large to follow its changes by arithmetic"


class StateKind(StrEnum):
    ROWS = "rows"
    VALUES = "values"
    SUM = "sum"
    MAGNITUDE = "magnitude"


@dataclass(frozen=True)
class State:
    column: str
    kind: StateKind
    argument: Expr | None = None
    may_overflow: bool = False
    """Whether the state is NULL after an overflow, which a query does not see that asks for averages."""

    @property
    def computed(self) -> Expr:
        """Over the rows of a group."""
        if self.argument is None:
            return exp.Count(this=exp.Star())
        if self.may_overflow:
            return _try_sum(self._added)
        kinds = {StateKind.VALUES: exp.Count, StateKind.SUM: exp.Sum}
        return kinds[self.kind](this=self.argument.copy())

    @property
    def described(self) -> Expr:
        """For people to read."""
        if self.argument is None or not self.may_overflow:
            return self.computed
        argument = self.argument.copy()
        return exp.Sum(this=exp.Abs(this=argument) if self.kind is StateKind.MAGNITUDE else argument)

    @property
    def _added(self) -> Expr:
        """What a row adds to a sum that may overflow; 0 for NULL."""
        if self.kind is StateKind.MAGNITUDE:
            text = (
                f"CASE WHEN x IS NULL THEN 0L WHEN x BETWEEN -{_EXACT_IN_DOUBLE} AND {_EXACT_IN_DOUBLE} "
                f"THEN abs(CAST(x AS BIGINT)) ELSE {_TOO_LARGE} END"
            )
        else:
            text = "coalesce(CAST(x AS BIGINT), 0L)"
        return _substituted(_parsed(text), {"x": self.argument or exp.null()})

    def changed(self, weight: str) -> Expr:
        """Over the change of a group's rows: by how much the state grows."""
        came = exp.GT(this=column_of(weight), expression=exp.convert(0))
        went = exp.LT(this=column_of(weight), expression=exp.convert(0))
        if self.may_overflow:
            signed = exp.Case().when(came, self._added).else_(exp.Neg(this=exp.Paren(this=self._added)))
            none = exp.EQ(this=exp.Count(this=exp.Star()), expression=exp.convert(0))
            return exp.If(this=none, true=exp.convert(0), false=_try_sum(signed))
        return exp.Sub(this=self._over(came), expression=self._over(went))

    @property
    def has_changed(self) -> Expr:
        """Over the growth of the state; NULL, which is unknown, counts."""
        grown = column_of(self.column)
        if self.may_overflow:
            return exp.Not(this=exp.Paren(this=exp.NullSafeEQ(this=grown, expression=exp.convert(0))))
        return exp.NEQ(this=grown, expression=exp.convert(0))

    def _over(self, condition: Expr) -> Expr:
        some = exp.Filter(this=self.computed, expression=exp.Where(this=condition))
        return exp.Coalesce(this=some, expressions=[exp.convert(0)]) if self.kind is StateKind.SUM else some


@dataclass(frozen=True)
class Groups:
    """An aggregate at the top of a query, and what is kept of its groups."""

    aggregate: Aggregate
    outputs: tuple[Item, ...]
    """What the query shows, over keys and measures of the aggregate."""
    states: tuple[State, ...]
    """Over the rows of the aggregate's child. The number of rows comes first."""

    @property
    def kept(self) -> Aggregate:
        """Keys, measures and states: what ``shown`` needs to know the types of."""
        states = tuple((state.column, state.computed) for state in self.states)
        return replace(self.aggregate, measures=(*self.aggregate.measures, *states))

    def change(self, of_child: Change) -> Relation:
        """Keys, and by how much each state grows, of the groups for which any does."""
        grown = tuple((state.column, state.changed(of_child.weight)) for state in self.states)
        changed = Aggregate(of_child.relation, self.aggregate.keys, grown)
        return Filter(changed, exp.or_(*(state.has_changed for state in self.states)))

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
                added.append(State(names.new(), StateKind.MAGNITUDE, state.argument, may_overflow=True))
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
        return tuple(_substituted(output, values) for _, output in self.outputs)

    def _value(self, measure: Expr, types: Mapping[str, str], result: str | None) -> Expr | None:
        kind, argument = _argument(measure) or (None, None)
        rows, *others = self.states
        if argument is None:
            return column_of(rows.column)
        of_argument = {state.kind: state.column for state in others if state.argument == argument}
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
        outputs = [(column, _substituted(item, below)) for column, item in outputs]
        relation = relation.child
    if not isinstance(relation, Aggregate):
        return None
    states = [State(names.new(), StateKind.ROWS)]
    for _, measure in relation.measures:
        found = _argument(measure)
        if found is None:
            return None
        kind, argument = found
        if argument is None:
            continue
        for wanted in (StateKind.VALUES,) if kind is exp.Count else (StateKind.VALUES, StateKind.SUM):
            if not any(s.kind is wanted and s.argument == argument for s in states):
                states.append(State(names.new(), wanted, argument))
    return Groups(relation, tuple((names.new(), item) for _, item in outputs), tuple(states))


def _argument(measure: Expr) -> tuple[type[Expr], Expr | None] | None:
    """Count, Sum or Avg and of what, a FILTER being part of it; no argument for count(*) without one."""
    condition = None
    if isinstance(measure, exp.Filter):
        condition, measure = measure.expression.this, measure.this
    if type(measure) is exp.CountIf and measure.this.find(exp.Distinct) is None:
        return exp.Count, _under(condition, _under(measure.this, exp.convert(1)))
    if type(measure) not in (exp.Count, exp.Sum, exp.Avg) or measure.expressions:
        return None
    argument = measure.this
    if isinstance(argument, exp.Distinct):
        return None
    if type(measure) is exp.Count and isinstance(argument, exp.Star):
        return exp.Count, None if condition is None else _under(condition, exp.convert(1))
    return type(measure), _under(condition, argument)


def _under(condition: Expr | None, value: Expr) -> Expr:
    return value.copy() if condition is None else exp.Case().when(condition.copy(), value.copy())


def _adds_exactly(type_: str) -> bool:
    found = _DECIMAL.fullmatch(type_)
    return type_ == "bigint" if found is None else int(found[1]) <= _MOST_DIGITS or int(found[2]) == 0


def _average_of_whole(total: str, values: Expr, magnitude: str) -> Expr:
    """As Spark does it, as doubles; NULL is a magnitude that is not known."""
    quotient = "CAST(total AS DOUBLE) / CAST(number AS DOUBLE)"
    text = f"IF(magnitude <= {_EXACT_IN_DOUBLE}, {quotient}, CAST(raise_error('{INEXACT}') AS DOUBLE))"
    columns = {"total": column_of(total), "number": values, "magnitude": column_of(magnitude)}
    return _substituted(_parsed(text), columns)


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
    return _substituted(_parsed(text), columns)


def _try_sum(value: Expr) -> Expr:
    return exp.Anonymous(this="try_sum", expressions=[value])


def _parsed(text: str) -> Expr:
    return exp.maybe_parse(text, dialect="spark")


def _substituted(expression: Expr, values: Mapping[str, Expr]) -> Expr:
    """A copy with expressions in place of columns."""

    def substitute(node: Expr) -> Expr:
        if isinstance(node, exp.Column) and node.name in values:
            found = values[node.name].copy()
            return found if isinstance(found, exp.Column | exp.Func) else exp.Paren(this=found)
        return node

    return expression.copy().transform(substitute)
