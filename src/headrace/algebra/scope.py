"""Which names mean what while a query is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from headrace.algebra.expressions import Expr, column_of
from headrace.algebra.unsupported import NoRule, Unsupported


@dataclass(frozen=True)
class Scope:
    columns: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Alias and column, in lower case, to the column of the relation."""
    outer: Scope | None = None
    """The query around this one, for correlation."""

    def with_relation(self, alias: str, names: tuple[str, ...], columns: tuple[str, ...]) -> Scope:
        added = {(alias.lower(), name.lower()): column for name, column in zip(names, columns, strict=True)}
        return Scope({**self.columns, **added}, self.outer)

    def only(self, columns: Mapping[str, str]) -> Scope:
        """The names of those columns that have become others, as given."""
        return Scope({key: columns[column] for key, column in self._all() if column in columns})

    def resolved(self, expression: Expr) -> Expr:
        """A copy with columns of relations in place of the user's, of the outer query's too."""

        def resolve(node: Expr) -> Expr:
            return column_of(self.column(node.table, node.name)) if isinstance(node, exp.Column) else node

        return expression.copy().transform(resolve)

    def column(self, table: str, name: str) -> str:
        key = (table.lower(), name.lower())
        if key in self.columns:
            return self.columns[key]
        if self.outer is None:
            raise NoRule(Unsupported.COLUMN, column=f"{table}.{name}" if table else name)
        return self.outer.column(table, name)

    def _all(self) -> list[tuple[tuple[str, str], str]]:
        around = [] if self.outer is None else self.outer._all()
        return [*around, *self.columns.items()]
