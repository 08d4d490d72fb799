"""Column names that are unique within a query."""

from __future__ import annotations

import itertools

from sqlglot import exp

from headrace.algebra.relation import Expr, Project, Relation


class Names:
    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def new(self) -> str:
        return f"c{next(self._numbers)}"

    def renamed(self, relation: Relation) -> tuple[Project, dict[str, str]]:
        """The relation under new column names, and which became which."""
        names = {column: self.new() for column in relation.columns}
        return Project(relation, tuple((new, column_of(old)) for old, new in names.items())), names


def column_of(name: str) -> exp.Column:
    return exp.column(name)


def with_columns(expression: Expr, names: dict[str, str]) -> Expr:
    """A copy in which columns go by other names."""

    def rename(node: Expr) -> Expr:
        if isinstance(node, exp.Column) and node.name in names:
            return column_of(names[node.name])
        return node

    return expression.copy().transform(rename)
