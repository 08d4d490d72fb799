"""Groups that follow their rows by arithmetic: what comes is added, what goes is subtracted.

Of each group are kept the number of its rows, and for each argument the number and the sum of its values that
are not NULL. From these

    count(*) = rows        count(x) = values        sum(x) = NULL if values = 0 else sum
    avg(x) = sum / values, as Spark divides

A group is gone when it has no rows, whatever its sums. The one group of an aggregate without keys stays.
Floating-point sums depend on the order of addition, so groups that need one are computed anew instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlglot import exp

from headrace.algebra.names import Names, column_of
from headrace.algebra.relation import Aggregate, Expr, Filter, Item, Project, Relation
from headrace.delta.change import Change

_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")


class StateKind(StrEnum):
    ROWS = "rows"
    VALUES = "values"
    SUM = "sum"


@dataclass(frozen=True)
class State:
    column: str
    kind: StateKind
    argument: Expr | None = None

    @property
    def computed(self) -> Expr:
        """Over the rows of a group."""
        if self.argument is None:
            return exp.Count(this=exp.Star())
        kinds = {StateKind.VALUES: exp.Count, StateKind.SUM: exp.Sum}
        return kinds[self.kind](this=self.argument.copy())

    def changed(self, weight: str) -> Expr:
        """Over the change of a group's rows: by how much the state grows."""
        came = exp.GT(this=column_of(weight), expression=exp.convert(0))
        went = exp.LT(this=column_of(weight), expression=exp.convert(0))
        return exp.Sub(this=self._over(came), expression=self._over(went))

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
        differs = [exp.NEQ(this=column_of(state.column), expression=exp.convert(0)) for state in self.states]
        return Filter(changed, exp.or_(*differs))

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
        if not re.fullmatch(r"bigint|decimal\(\d+,\d+\)", types[total]):
            return None
        quotient = _average(total, types[total], values, result) if kind is exp.Avg else column_of(total)
        if quotient is None:
            return None
        empty = exp.EQ(this=values.copy(), expression=exp.convert(0))
        return exp.If(this=empty, true=exp.null(), false=quotient)


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


def _average(total: str, type_: str, values: Expr, result: str | None) -> Expr | None:
    """As Spark does it: whole numbers as doubles; decimals rounded half up to four more digits.

    Spark's ``/`` would round decimals twice, so they are divided as whole numbers, with a remainder.
    """
    columns = {"total": column_of(total), "number": values}
    found = _DECIMAL.fullmatch(type_)
    if found is None:
        return _substituted(_parsed("CAST(total AS DOUBLE) / CAST(number AS DOUBLE)"), columns)
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
