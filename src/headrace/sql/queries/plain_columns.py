"""Columns that come straight from a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from sqlglot import exp

from headrace.sql.queries.canonical import is_bare, sources_of

Ctes: TypeAlias = Mapping[str, tuple[exp.Expr, "Ctes"]]
"""By name in lower case, where columns can be followed: the query, and the CTEs it can see."""

_LOOKED_THROUGH = frozenset({"expressions", "from_", "joins", "where", "with_"})
"""Clauses of a subquery that hand a column on as it is."""


def is_passed_through(expression: exp.Expr, select: exp.Select, ctes: Ctes) -> bool:
    """Whether it is a column of a table in FROM, or of a subquery there that hands on one of a table."""
    column = expression.unnest()
    if not isinstance(column, exp.Column) or not column.table:
        return False
    sources = [s for s in sources_of(select) if s.alias_or_name.lower() == column.table.lower()]
    return len(sources) == 1 and _hands_on(sources[0], column.name, ctes)


def with_ctes_of(query: exp.Expr, ctes: Ctes) -> Ctes:
    clause = query.args.get("with_")
    if clause is None:
        return ctes
    visible = dict(ctes)
    for cte in clause.expressions:
        name = cte.alias.lower()
        if clause.args.get("recursive") or cte.args["alias"].columns:
            visible.pop(name, None)
        else:
            visible[name] = (cte.this, dict(visible))
    return visible


def _hands_on(source: exp.Expr, name: str, ctes: Ctes) -> bool:
    if source.args.get("pivots"):
        return False
    match source:
        case exp.Table(this=exp.Identifier()) if source.db:
            return True
        case exp.Table(this=exp.Identifier()) if source.name.lower() in ctes:
            query, visible = ctes[source.name.lower()]
            return not source.alias_column_names and _gives(query, name, visible)
        case exp.Subquery():
            return not source.alias_column_names and _gives(source.this, name, ctes)
    return False


def _gives(query: exp.Expr, name: str, ctes: Ctes) -> bool:
    ctes = with_ctes_of(query, ctes)
    if isinstance(query, exp.Subquery) and is_bare(query):
        return _gives(query.this, name, ctes)
    if not isinstance(query, exp.Select) or not _only_selects(query):
        return False
    items = [item for item in query.selects if item.alias_or_name.lower() == name.lower()]
    return len(items) == 1 and is_passed_through(items[0].unalias(), query, ctes)


def _only_selects(select: exp.Select) -> bool:
    clauses = {name for name, value in select.args.items() if value}
    changes_rows = (exp.AggFunc, exp.Window, exp.UDTF)
    return clauses <= _LOOKED_THROUGH and not any(item.find(*changes_rows) for item in select.selects)
