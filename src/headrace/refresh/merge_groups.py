"""Applies a change to groups that follow their rows by arithmetic: counts and sums grow or shrink."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from headrace.algebra.expressions import Expr
from headrace.delta.algebraic import StateKind
from headrace.model.quoting import quote_identifier
from headrace.refresh.layout import Layout
from headrace.refresh.partition import Within, narrowed
from headrace.sql.queries.dialect import HeadraceSpark

LOST_TOO_MANY = "headrace: a group has lost more rows than it had"
_RAISED = f"CAST(raise_error('{LOST_TOO_MANY}') AS BIGINT)"


class GroupValues:
    """What the columns of a group become, in SQL: ``__hr_old`` is the table, ``__hr_new`` the growth."""

    def __init__(self, layout: Layout) -> None:
        kept = layout.by_groups
        if kept is None or layout.keys is None:
            raise ValueError("only groups by arithmetic have states")
        self._layout = layout
        self._kept = kept
        types = {column.name: column.type for column in layout.columns}
        self._states = {kept.names[state.column]: state for state in kept.groups.states}
        grown = {name: exp.cast(self._grown(name), types[name]) for name in self._states}
        fresh = {name: _column(name, "__hr_new") for name in self._states}
        self.count = next(iter(self._states))
        """The hidden column that counts the rows of a group."""
        self.rows = _sql(grown[self.count])
        self.rows_grown = _sql(fresh[self.count])
        self.grown = self._values(grown, "__hr_old", layout.keys)
        """Of a group that is there, all but its keys."""
        self.first = self._values(fresh, "__hr_new", ())
        """Of a new group."""

    def _grown(self, name: str) -> Expr:
        state = self._states[name]
        before, growth = _column(name, "__hr_old"), _column(name, "__hr_new")
        if state.kind in (StateKind.SUM, StateKind.MAGNITUDE):
            (values,) = (
                other
                for other, each in self._states.items()
                if each.kind is StateKind.VALUES and each.argument == state.argument
            )
            none = exp.EQ(this=_column(values, "__hr_old"), expression=exp.convert(0))
            before = exp.If(this=none, true=exp.convert(0), false=before)
        return exp.Add(this=before, expression=growth)

    def _values(self, states: Mapping[str, Expr], keys_of: str, but: tuple[str, ...]) -> dict[str, str]:
        visible = zip(self._layout.columns, self._kept.shown, strict=False)
        values = {column.name: self._resolved(shown, states, keys_of) for column, shown in visible}
        for column in self._layout.hidden:
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


def merge_groups(target: str, layout: Layout, growth: str, within: Within | None = None) -> str:
    """``growth`` gives keys and the growth of each state, under the names of the table's columns."""
    values = GroupValues(layout)
    names = ", ".join(map(quote_identifier, values.first))
    same = [f"__hr_old.{key} <=> __hr_new.{key}" for key in map(quote_identifier, layout.keys or ())]
    assigned = ", ".join(f"{quote_identifier(column)} = {value}" for column, value in values.grown.items())
    failing = [_RAISED if name == values.count else value for name, value in values.first.items()]
    clauses = [
        f"WHEN MATCHED AND {values.rows} < 0 THEN UPDATE SET {values.count} = {_RAISED}",
        f"WHEN MATCHED AND {values.rows} = 0 THEN DELETE" if layout.keys else "",
        f"WHEN MATCHED THEN UPDATE SET {assigned}",
        f"WHEN NOT MATCHED AND {values.rows_grown} > 0 "
        f"THEN INSERT ({names}) VALUES ({', '.join(values.first.values())})",
        f"WHEN NOT MATCHED THEN INSERT ({names}) VALUES ({', '.join(failing)})",
    ]
    return "\n".join(
        [
            f"MERGE INTO {target} AS __hr_old USING (\n{growth}\n) AS __hr_new",
            f"ON {narrowed(' AND '.join(same) or 'true', within, '__hr_old')}",
            *filter(None, clauses),
        ]
    )


def _column(name: str, table: str) -> Expr:
    return exp.column(name, table=table, quoted=True)


def _sql(expression: Expr) -> str:
    return expression.sql(dialect=HeadraceSpark)
