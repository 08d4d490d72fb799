"""Whether a query reads a column of a table."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from headrace.model.names import TableName
from headrace.sql.queries.qualify import UNREADABLE, qualified_tree


def reads_column(
    text: str, columns_of: Mapping[TableName, tuple[str, ...]], table: TableName, column: str
) -> bool:
    """Of a query whose tables are all given by three parts. Where it cannot be told: yes."""
    try:
        tree = qualified_tree(text, columns_of)
        if any(join.method == "NATURAL" for join in tree.find_all(exp.Join)) or _reads_all(tree):
            return True
        scopes = traverse_scope(tree)
    except UNREADABLE:
        return True
    return any(
        used.name.lower() == column.lower() and _may_be_of(table, used, scope)
        for scope in scopes
        for used in scope.columns
    )


def _reads_all(tree: exp.Expr) -> bool:
    """PIVOT groups by what it does not name, and a star that is left may mean anything.

    A list of columns after a table's alias names them by their positions.
    """
    stars = any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star))
    listed = any(table.alias_column_names for table in tree.find_all(exp.Table))
    return stars or listed or tree.find(exp.Pivot) is not None


def _may_be_of(table: TableName, column: exp.Column, scope: Scope) -> bool:
    source = scope.sources.get(column.table)
    if isinstance(source, exp.Table):
        return tuple(part.name for part in source.parts) == (table.workspace, table.schema, table.table)
    return source is None and not column.table
