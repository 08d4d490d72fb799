"""Applies a change to groups that follow their rows by arithmetic: counts and sums grow or shrink."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from headrace.algebra.relation import Expr
from headrace.model.quoting import quote_identifier
from headrace.refresh.layout import Layout
from headrace.sql.dialect import HeadraceSpark

_RAISED = "CAST(raise_error('headrace: a group has lost more rows than it had') AS BIGINT)"


def merge_groups(target: str, layout: Layout, growth: str, condition: str) -> str:
    """``growth`` gives keys and the growth of each state, under the names of the table's columns."""
    kept = layout.by_groups
    if kept is None or layout.keys is None:
        raise ValueError("only groups by arithmetic are merged so")
    states = [kept.names[state.column] for state in kept.groups.states]
    types = {column.name: column.type for column in layout.columns}
    grown = {name: _grown(name, types[name]) for name in states}
    fresh = {name: exp.column(name, table="__hr_new", quoted=True) for name in states}
    rows = states[0]
    updates = _values(layout, grown, "__hr_old", layout.keys)
    inserts = _values(layout, fresh, "__hr_new", ())
    names = ", ".join(map(quote_identifier, inserts))
    same = [f"__hr_old.{key} <=> __hr_new.{key}" for key in map(quote_identifier, layout.keys)]
    new_rows, rows_grown = _sql(grown[rows]), f"__hr_new.{quote_identifier(rows)}"
    assigned = ", ".join(f"{quote_identifier(column)} = {value}" for column, value in updates.items())
    clauses = [
        f"WHEN MATCHED AND {new_rows} < 0 THEN UPDATE SET {rows} = {_RAISED}",
        f"WHEN MATCHED AND {new_rows} = 0 THEN DELETE" if layout.keys else "",
        f"WHEN MATCHED THEN UPDATE SET {assigned}",
        f"WHEN NOT MATCHED AND {rows_grown} > 0 THEN INSERT ({names}) VALUES ({', '.join(inserts.values())})",
        f"WHEN NOT MATCHED THEN INSERT ({names}) VALUES ({', '.join(_failing(inserts, rows))})",
    ]
    return "\n".join(
        [
            f"MERGE INTO {target} AS __hr_old USING (\n{growth}\n) AS __hr_new",
            f"ON {' AND '.join(filter(None, [*same, condition])) or 'true'}",
            *filter(None, clauses),
        ]
    )


def _values(layout: Layout, states: Mapping[str, Expr], keys_of: str, but: tuple[str, ...]) -> dict[str, str]:
    """What goes into each column of the table, all ``but`` some, given the new states."""
    kept = layout.by_groups
    if kept is None:
        raise ValueError("only groups by arithmetic have states")

    def resolved(expression: Expr) -> str:
        def resolve(node: Expr) -> Expr:
            if not (isinstance(node, exp.Column) and node.name in kept.names):
                return node
            name = kept.names[node.name]
            return states[name].copy() if name in states else exp.column(name, table=keys_of, quoted=True)

        return _sql(expression.copy().transform(resolve))

    visible = zip(layout.columns, kept.shown, strict=False)
    values = {column.name: resolved(shown) for column, shown in visible}
    for column in layout.hidden:
        state = states.get(column.name)
        values[column.name] = (
            _sql(state) if state is not None else f"{keys_of}.{quote_identifier(column.name)}"
        )
    return {name: value for name, value in values.items() if name not in but}


def _grown(name: str, type_: str) -> Expr:
    before, growth = (exp.column(name, table=side, quoted=True) for side in ("__hr_old", "__hr_new"))
    return exp.cast(exp.Add(this=before, expression=growth), type_)


def _failing(values: Mapping[str, str], rows: str) -> list[str]:
    return [_RAISED if name == rows else value for name, value in values.items()]


def _sql(expression: Expr) -> str:
    return expression.sql(dialect=HeadraceSpark)
