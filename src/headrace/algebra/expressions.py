"""Expressions over the columns of relations. They are sqlglot's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from sqlglot import exp

Expr: TypeAlias = exp.Expr
Item: TypeAlias = tuple[str, Expr]
"""A column and what it is computed from."""


def column_of(name: str) -> exp.Column:
    return exp.column(name)


def names_in(expression: Expr) -> set[str]:
    """The columns that it is computed from."""
    return {column.name for column in expression.find_all(exp.Column)}


def with_columns(expression: Expr, names: Mapping[str, str]) -> Expr:
    """A copy in which columns go by other names."""

    def rename(node: Expr) -> Expr:
        if isinstance(node, exp.Column) and node.name in names:
            return column_of(names[node.name])
        return node

    return expression.copy().transform(rename)


def substituted(expression: Expr, values: Mapping[str, Expr]) -> Expr:
    """A copy with expressions in place of columns."""

    def substitute(node: Expr) -> Expr:
        if isinstance(node, exp.Column) and node.name in values:
            found = values[node.name].copy()
            return found if isinstance(found, exp.Column | exp.Func) else exp.Paren(this=found)
        return node

    return expression.copy().transform(substitute)


def aliased(items: Iterable[Item]) -> list[Expr]:
    """The items as a select list."""
    return [exp.alias_(expression.copy(), column) for column, expression in items]


def select(items: Iterable[Expr], source: Expr) -> exp.Select:
    """Takes over what it is given: a query has hundreds of columns, and sqlglot would copy or parse each."""
    return exp.Select(expressions=list(items)).from_(source, copy=False)


def positional(columns: tuple[str, ...], given: tuple[str, ...]) -> tuple[Item, ...]:
    """``columns`` computed from the columns ``given``, by position."""
    return tuple((new, column_of(old)) for new, old in zip(columns, given, strict=True))
