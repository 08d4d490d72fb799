"""How the columns of a group follow from hidden counts and sums, and what they become when those grow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from headrace.algebra.expressions import Expr
from headrace.delta.algebraic import Groups
from headrace.delta.group_state import StateKind
from headrace.model.dynamic_table import Column
from headrace.sql.queries.dialect import HeadraceSpark
from headrace.sql.queries.hiding import is_hidden


@dataclass(frozen=True)
class GroupLayout:
    groups: Groups
    shown: tuple[Expr, ...]
    """The visible columns over keys and states."""
    names: Mapping[str, str]
    """The table's column for each key and state."""

    @property
    def growth_names(self) -> Mapping[str, str]:
        """The columns of a growth: those of the table, and the extremes that went."""
        gone = {state.gone: gone_name(self.names[state.column]) for state in self.groups.extremes}
        return {**self.names, **{column: name for column, name in gone.items() if column is not None}}

    @property
    def extremes(self) -> dict[str, StateKind]:
        """By the table's columns."""
        return {self.names[state.column]: state.kind for state in self.groups.extremes}


def gone_name(column: str) -> str:
    return f"__hr_gone_{column}"


class GroupValues:
    """What the columns of a group become, in SQL: ``__hr_old`` is the table, ``__hr_new`` the growth.

    ``__hr_again`` has the extremes of groups that may have lost one.
    """

    def __init__(
        self,
        kept: GroupLayout,
        columns: tuple[Column, ...],
        keys: tuple[str, ...],
        *,
        with_lost: bool = False,
    ) -> None:
        """``columns`` are those of the table, ``keys`` those of them that tell groups apart.

        ``with_lost`` tells whether lost extremes are computed again; otherwise none may be lost.
        """
        self._kept = kept
        self._columns = columns
        self._with_lost = with_lost
        types = {column.name: column.type for column in columns}
        self._states = {kept.names[state.column]: state for state in kept.groups.states}
        grown = {name: exp.cast(self._grown(name), types[name]) for name in self._states}
        fresh = {name: _column(name, "__hr_new") for name in self._states}
        self.count = next(iter(self._states))
        """The hidden column that counts the rows of a group."""
        self.rows = _sql(grown[self.count])
        self.rows_grown = _sql(fresh[self.count])
        self.grown = self._values(grown, "__hr_old", keys)
        """Of a group that is there, all but its keys."""
        self.first = self._values(fresh, "__hr_new", ())
        """Of a new group."""
        extremes = [_lost(column, kind) for column, kind in kept.extremes.items()]
        stays = (
            [exp.GT(this=exp.Paren(this=grown[self.count].copy()), expression=exp.convert(0))] if keys else []
        )
        self.lost = _sql(exp.and_(exp.or_(*extremes), *stays)) if extremes else ""
        """Whether an extreme of a group that stays may be gone; empty if there are none."""
        same = [
            exp.NullSafeEQ(this=_column(name, "__hr_old"), expression=value) for name, value in grown.items()
        ]
        self.unchanged = _sql(exp.and_(*same)) if extremes else ""
        """Whether a group stays as it is; empty if a growth says so."""

    def _grown(self, name: str) -> Expr:
        state = self._states[name]
        before, growth = _column(name, "__hr_old"), _column(name, "__hr_new")
        if state.is_extreme:
            return self._extreme(name, state.kind)
        if state.kind in (StateKind.SUM, StateKind.MAGNITUDE):
            (values,) = (
                other
                for other, each in self._states.items()
                if each.kind is StateKind.VALUES and each.argument == state.argument
            )
            none = exp.EQ(this=_column(values, "__hr_old"), expression=exp.convert(0))
            before = exp.If(this=none, true=exp.convert(0), false=before)
        return exp.Add(this=before, expression=growth)

    def _extreme(self, name: str, kind: StateKind) -> Expr:
        either = [_column(name, "__hr_old"), _column(name, "__hr_new")]
        function = exp.Greatest if kind is StateKind.GREATEST else exp.Least
        followed = function(this=either[0], expressions=either[1:], ignore_nulls=True)
        if not self._with_lost:
            return followed
        return exp.If(this=_lost(name, kind), true=_column(name, "__hr_again"), false=followed)

    def _values(self, states: Mapping[str, Expr], keys_of: str, but: tuple[str, ...]) -> dict[str, str]:
        visible = zip(self._columns, self._kept.shown, strict=False)
        values = {column.name: self._resolved(shown, states, keys_of) for column, shown in visible}
        for column in hidden_columns(self._columns):
            state = states.get(column.name) or _column(column.name, keys_of)
            values[column.name] = _sql(state)
        return {name: value for name, value in values.items() if name not in but}

    def _resolved(self, expression: Expr, states: Mapping[str, Expr], keys_of: str) -> str:
        def resolve(node: Expr) -> Expr:
            if not (isinstance(node, exp.Column) and node.name in self._kept.names):
                return node
            name = self._kept.names[node.name]
            return states[name].copy() if name in states else _column(name, keys_of)

        return _sql(expression.copy().transform(resolve))


def hidden_columns(columns: Iterable[Column]) -> tuple[Column, ...]:
    return tuple(column for column in columns if is_hidden(column.name))


def _lost(name: str, kind: StateKind) -> Expr:
    """Whether an extreme went, and what came does not take its place; NULL is no value."""
    old, came = _column(name, "__hr_old"), _column(name, "__hr_new")
    gone = _column(gone_name(name), "__hr_new")
    replaces, stays = (exp.GTE, exp.LT) if kind is StateKind.GREATEST else (exp.LTE, exp.GT)
    return exp.and_(
        exp.Not(this=exp.Is(this=gone, expression=exp.null())),
        exp.Not(this=_known(replaces(this=came, expression=old))),
        exp.Not(this=_known(stays(this=gone.copy(), expression=old.copy()))),
    )


def _known(condition: Expr) -> Expr:
    return exp.Coalesce(this=condition, expressions=[exp.false()])


def _column(name: str, table: str) -> Expr:
    return exp.column(name, table=table, quoted=True)


def _sql(expression: Expr) -> str:
    return expression.sql(dialect=HeadraceSpark)
