"""What is kept of a group, how it follows from the rows of the group, and by how much a change moves it.

    number of rows, number and sum of the values of an argument,
    number of its different values                                   what came, minus what went
    least and greatest value                                         what came; what went is kept beside it

A greatest value is followed by comparison. If what came is no less, it is the new one. If what went is less,
or nothing went, the old one stays. Otherwise it may have gone, and the rows of the group must be read again.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp

from headrace.algebra.expressions import Expr, Item, column_of, substituted

EXACT_IN_DOUBLE = 2**53
_TOO_LARGE = 2**62
"""Stands for the absolute value of a number that is not exact as a double: one is beyond the limit."""


class StateKind(StrEnum):
    ROWS = "rows"
    VALUES = "values"
    SUM = "sum"
    MAGNITUDE = "magnitude"
    DISTINCT = "distinct"
    LEAST = "least"
    GREATEST = "greatest"


_AGGREGATES = {
    StateKind.VALUES: exp.Count,
    StateKind.SUM: exp.Sum,
    StateKind.LEAST: exp.Min,
    StateKind.GREATEST: exp.Max,
}


@dataclass(frozen=True)
class State:
    column: str
    """Of a state, and of its growth; of a least or greatest value, of the one that came."""
    kind: StateKind
    argument: Expr | None = None
    may_overflow: bool = False
    """Whether the state is NULL after an overflow, which a query does not see that asks for averages."""
    part: str = ""
    """The column of its growth by rows with the same values; of an extreme, the column of its argument."""
    gone: str | None = None
    """The column of the least or greatest value that went."""

    @property
    def is_extreme(self) -> bool:
        return self.gone is not None

    @property
    def computed(self) -> Expr:
        """Over the rows of a group."""
        if self.argument is None:
            return exp.Count(this=exp.Star())
        if self.may_overflow:
            return _try_sum(self._added)
        if self.kind is StateKind.DISTINCT:
            return exp.Count(this=exp.Distinct(expressions=[self.argument.copy()]))
        return _AGGREGATES[self.kind](this=self.argument.copy())

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
                f"CASE WHEN x IS NULL THEN 0L WHEN x BETWEEN -{EXACT_IN_DOUBLE} AND {EXACT_IN_DOUBLE} "
                f"THEN abs(CAST(x AS BIGINT)) ELSE {_TOO_LARGE} END"
            )
        else:
            text = "coalesce(CAST(x AS BIGINT), 0L)"
        return _expression(text, x=self.argument or exp.null())

    def changed(self, weight: str) -> Expr:
        """Over the change of a group's rows: by how much the state grows."""
        came = exp.GT(this=column_of(weight), expression=exp.convert(0))
        went = exp.LT(this=column_of(weight), expression=exp.convert(0))
        if self.may_overflow:
            signed = exp.Case().when(came, self._added).else_(exp.Neg(this=exp.Paren(this=self._added)))
            none = exp.EQ(this=exp.Count(this=exp.Star()), expression=exp.convert(0))
            return exp.If(this=none, true=exp.convert(0), false=_try_sum(signed))
        return exp.Sub(this=self._over(came), expression=self._over(went))

    def added_up(self, net: str) -> tuple[Item, ...]:
        """Over the growth by rows with the same values, of which ``net`` is the number that came."""
        part = column_of(self.part)
        if self.gone is not None:
            came, went = (_expression(text, n=column_of(net)) for text in ("n > 0", "n < 0"))
            extreme = _AGGREGATES[self.kind](this=part)
            return ((self.column, _filtered(extreme, came)), (self.gone, _filtered(extreme.copy(), went)))
        if self.may_overflow:
            text = "CASE WHEN count(*) = 0 THEN 0 WHEN count(x) = count(*) THEN try_sum(x) END"
            return ((self.column, _expression(text, x=part)),)
        return ((self.column, _expression("coalesce(sum(x), 0)", x=part)),)

    @property
    def has_changed(self) -> Expr:
        """Over the growth of the state; NULL, which is unknown, counts."""
        grown = column_of(self.column)
        if self.gone is not None:
            return _expression("came IS NOT NULL OR went IS NOT NULL", came=grown, went=column_of(self.gone))
        if self.may_overflow:
            return exp.Not(this=exp.Paren(this=exp.NullSafeEQ(this=grown, expression=exp.convert(0))))
        return exp.NEQ(this=grown, expression=exp.convert(0))

    def _over(self, condition: Expr) -> Expr:
        some = _filtered(self.computed, condition)
        return exp.Coalesce(this=some, expressions=[exp.convert(0)]) if self.kind is StateKind.SUM else some


def _filtered(aggregate: Expr, condition: Expr) -> Expr:
    return exp.Filter(this=aggregate, expression=exp.Where(this=condition))


def _try_sum(value: Expr) -> Expr:
    return exp.Anonymous(this="try_sum", expressions=[value])


def _expression(text: str, **columns: Expr) -> Expr:
    return substituted(exp.maybe_parse(text, dialect="spark"), columns)
