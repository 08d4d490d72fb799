"""From which columns of which tables each column of a query's result comes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from headrace.model.names import TableName
from headrace.sql.queries.qualify import UNREADABLE, qualified_tree


class OriginKind(StrEnum):
    COPIED = "COPIED"
    """The value is that of the column."""
    COMPUTED = "COMPUTED"
    """The column is part of an expression."""


@dataclass(frozen=True, order=True)
class ColumnOrigin:
    table: TableName
    column: str
    kind: OriginKind


Origins = frozenset[ColumnOrigin]


def column_origins(text: str, columns_of: Mapping[TableName, tuple[str, ...]]) -> tuple[Origins, ...] | None:
    """Of each column of the result, in order; None where it is not known.

    The tables of the query are all given by three parts. What decides only which rows there are (WHERE, ON,
    GROUP BY) is no origin.
    """
    try:
        tree = qualified_tree(text, columns_of)
        if _is_unclear(tree):
            return None
        search = _Search(traverse_scope(tree), columns_of)
        return search.of_all_columns()
    except UNREADABLE:
        return None


def _is_unclear(tree: exp.Expr) -> bool:
    """Where columns have no names, or names that another clause makes."""
    with_ = tree.find(exp.With)
    stars = any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star))
    listed = any(table.alias_column_names for table in tree.find_all(exp.Table))
    by_name = any(each.args.get("by_name") for each in tree.find_all(exp.SetOperation))
    is_recursive = with_ is not None and bool(with_.recursive)
    return stars or listed or by_name or is_recursive or tree.find(exp.Pivot) is not None


class _Search:
    def __init__(self, scopes: list[Scope], columns_of: Mapping[TableName, tuple[str, ...]]) -> None:
        self._root = scopes[-1]
        self._scopes = {id(scope.expression): scope for scope in scopes}
        self._written = {
            (*(part.lower() for part in table.parts), column.lower()): (table, column)
            for table, columns in columns_of.items()
            for column in columns
        }
        self._known: dict[tuple[int, int], Origins] = {}

    def of_all_columns(self) -> tuple[Origins, ...]:
        query = self._root.expression
        count = len(query.named_selects) if isinstance(query, exp.Query) else 0
        return tuple(self._output(self._root, index) for index in range(count))

    def _output(self, scope: Scope, index: int) -> Origins:
        key = (id(scope), index)
        if key not in self._known:
            self._known[key] = frozenset(self._of_output(scope, index))
        return self._known[key]

    def _of_output(self, scope: Scope, index: int) -> Iterator[ColumnOrigin]:
        query = scope.expression
        if isinstance(query, exp.SetOperation):
            branches = scope.set_operation_scopes
            for branch in branches if isinstance(query, exp.Union) else branches[:1]:
                yield from self._output(branch, index)
        elif isinstance(query, exp.Query):
            yield from self._of_expression(query.selects[index], scope)
        else:
            yield from _computed(self._of_expression(query, scope))

    def _of_expression(self, expression: exp.Expr, scope: Scope) -> Iterator[ColumnOrigin]:
        """Of all columns below it, those in subqueries too."""
        plain = expression.unalias()
        while isinstance(plain, exp.Paren):
            plain = plain.this
        if isinstance(plain, exp.Column):
            yield from self._of_column(plain, scope)
            return
        for column in plain.find_all(exp.Column):
            yield from _computed(self._of_column(column, self._scope_of(column, scope)))

    def _scope_of(self, column: exp.Column, outer: Scope) -> Scope:
        """The innermost one whose relations include that of the column."""
        node = column.parent
        while node is not None and node is not outer.expression:
            inner = self._scopes.get(id(node))
            if inner is not None and column.table in inner.sources:
                return inner
            node = node.parent
        return outer

    def _of_column(self, column: exp.Column, scope: Scope) -> Iterator[ColumnOrigin]:
        found: Scope | None = scope
        while found is not None and column.table not in found.sources:
            found = found.parent
        if found is None:
            raise KeyError(column.table)
        source = found.sources[column.table]
        if isinstance(source, exp.Table):
            yield self._of_table(source, column.name)
        elif isinstance(source.expression, exp.Query):
            names = [name.lower() for name in source.expression.named_selects]
            yield from self._output(source, names.index(column.name.lower()))
        else:
            yield from _computed(self._of_expression(source.expression, found))

    def _of_table(self, table: exp.Table, column: str) -> ColumnOrigin:
        parts = tuple(part.name.lower() for part in table.parts)
        name, written = self._written[(*parts, column.lower())]
        return ColumnOrigin(name, written, OriginKind.COPIED)


def _computed(origins: Iterator[ColumnOrigin]) -> Iterator[ColumnOrigin]:
    return (ColumnOrigin(each.table, each.column, OriginKind.COMPUTED) for each in origins)
