"""From which columns of which tables each column of a query's result comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from headrace.model.names import TableName
from headrace.sql.queries.qualify import UNREADABLE, qualified_tree

_ROUNDS = 2
"""Of a recursive query: the second one shows what the recursion makes of a column."""


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
        return _Search(tree, columns_of).of_all_columns()
    except UNREADABLE:
        return None


def _is_unclear(tree: exp.Expr) -> bool:
    """Where columns have no names, or names that another clause makes."""
    stars = any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star))
    listed = any(table.alias_column_names for table in tree.find_all(exp.Table))
    return stars or listed or any(_is_nested(pivot) for pivot in tree.find_all(exp.Pivot))


def _is_nested(pivot: exp.Pivot) -> bool:
    """Several over one relation, or values of several columns in one row."""
    relation, fields = pivot.parent, pivot.args.get("fields") or []
    several = relation is None or len(relation.args.get("pivots") or ()) != 1 or len(fields) != 1
    return several or (bool(pivot.unpivot) and not isinstance(pivot.expressions[0], exp.Identifier))


def _recursive(tree: exp.Expr) -> dict[int, exp.Expr]:
    """The queries of recursive relations, by the part with which each begins."""
    queries = [cte.this for with_ in tree.find_all(exp.With) if with_.recursive for cte in with_.expressions]
    return {id(query.this): query for query in queries if isinstance(query, exp.SetOperation)}


class _Search:
    def __init__(self, tree: exp.Expr, columns_of: Mapping[TableName, tuple[str, ...]]) -> None:
        scopes = traverse_scope(tree)
        self._root = scopes[-1]
        self._scopes = {id(scope.expression): scope for scope in scopes}
        self._recursive = _recursive(tree)
        self._written = {
            (*(part.lower() for part in table.parts), column.lower()): (table, column)
            for table, columns in columns_of.items()
            for column in columns
        }
        self._known: dict[tuple[int, int], Origins] = {}
        self._begun = Counter[tuple[int, int]]()

    def of_all_columns(self) -> tuple[Origins, ...]:
        query = self._root.expression
        count = len(query.named_selects) if isinstance(query, exp.Query) else 0
        return tuple(self._output(self._root, index) for index in range(count))

    def _output(self, scope: Scope, index: int) -> Origins:
        key = (id(scope), index)
        if key in self._known:
            return self._known[key]
        if self._begun[key] == _ROUNDS:
            return frozenset()
        self._begun[key] += 1
        found = frozenset(self._of_output(scope, index))
        self._begun[key] -= 1
        if not self._recursive or not self._begun.total():
            self._known[key] = found
        return found

    def _of_output(self, scope: Scope, index: int) -> Iterator[ColumnOrigin]:
        query = scope.expression
        if isinstance(query, exp.SetOperation):
            branches = scope.set_operation_scopes
            for branch in branches if isinstance(query, exp.Union) else branches[:1]:
                place = _place_in(branch, query, index)
                if place is not None:
                    yield from self._output(branch, place)
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
        pivot = _pivot_named(column.table, scope)
        if pivot is not None:
            yield from self._of_pivot(pivot, column.name, scope)
            return
        found: Scope | None = scope
        while found is not None and column.table not in found.sources:
            found = found.parent
        if found is None:
            raise KeyError(column.table)
        yield from self._of_source(found, column.table, column.name)

    def _of_pivot(self, pivot: exp.Pivot, column: str, scope: Scope) -> Iterator[ColumnOrigin]:
        """The column of an aggregate, a value of UNPIVOT, or a column of the relation below."""
        relation = pivot.parent
        if relation is None:
            raise KeyError(column)
        names = [name.name.lower() for name in pivot.args.get("columns") or ()]
        field = pivot.args["fields"][0]
        if pivot.unpivot and column.lower() == pivot.expressions[0].name.lower():
            for value in field.expressions:
                yield from self._of_source(scope, relation.alias_or_name, value.name)
        elif pivot.unpivot and column.lower() == field.this.name.lower():
            return
        elif column.lower() in names:
            place = names.index(column.lower()) % len(pivot.expressions)
            for read in pivot.expressions[place].find_all(exp.Column):
                yield from _computed(self._of_source(scope, relation.alias_or_name, read.name))
        else:
            yield from self._of_source(scope, relation.alias_or_name, column)

    def _of_source(self, scope: Scope, relation: str, column: str) -> Iterator[ColumnOrigin]:
        source = scope.sources[relation]
        if isinstance(source, exp.Table):
            yield self._of_table(source, column)
            return
        whole = self._recursive.get(id(source.expression))
        source = source if whole is None else self._scopes[id(whole)]
        if isinstance(source.expression, exp.Query):
            names = [name.lower() for name in source.expression.named_selects]
            yield from self._output(source, names.index(column.lower()))
        else:
            yield from _computed(self._of_expression(source.expression, scope))

    def _of_table(self, table: exp.Table, column: str) -> ColumnOrigin:
        parts = tuple(part.name.lower() for part in table.parts)
        name, written = self._written[(*parts, column.lower())]
        return ColumnOrigin(name, written, OriginKind.COPIED)


def _computed(origins: Iterator[ColumnOrigin]) -> Iterator[ColumnOrigin]:
    return (ColumnOrigin(each.table, each.column, OriginKind.COMPUTED) for each in origins)


def _place_in(branch: Scope, query: exp.SetOperation, index: int) -> int | None:
    """Of a column of the result, by its place or by its name; None where the branch has none of the name."""
    own = branch.expression
    if not query.args.get("by_name") or not isinstance(own, exp.Query):
        return index
    names = [name.lower() for name in own.named_selects]
    wanted = query.named_selects[index].lower()
    return names.index(wanted) if wanted in names else None


def _pivot_named(name: str, scope: Scope) -> exp.Pivot | None:
    """Of the relations of the scope itself."""
    query = scope.expression
    if not isinstance(query, exp.Select):
        return None
    clauses = [query.args.get("from_") or query.args.get("from"), *(query.args.get("joins") or ())]
    relations = [clause.this for clause in clauses if clause is not None]
    pivots = (pivot for relation in relations for pivot in relation.args.get("pivots") or ())
    return next((pivot for pivot in pivots if pivot.alias.lower() == name.lower()), None)
