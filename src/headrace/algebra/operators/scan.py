"""One occurrence of a table, at a version, or its change."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlglot import exp

from headrace.algebra.expressions import Expr, Item, aliased, column_of, select
from headrace.algebra.relation import Leaf, Relation
from headrace.model.names import TableName

WEIGHT = "__hr_weight"
"""The weight's column in what stands in FROM for a change."""


class SourceVersion(StrEnum):
    OLD = "old"
    NEW = "new"
    CHANGE = "change"
    """Rows with a weight: 1 inserted, -1 deleted."""


@dataclass(frozen=True, eq=False)
class Scan(Leaf):
    table: TableName
    fields: tuple[tuple[str, str], ...]
    """Column and the name it has in the table."""
    version: SourceVersion = SourceVersion.NEW
    weight: str | None = None
    """The weight's column, of a change only."""

    def __post_init__(self) -> None:
        if (self.weight is not None) != (self.version is SourceVersion.CHANGE):
            raise ValueError("a change has a weight, a version has none")

    @property
    def columns(self) -> tuple[str, ...]:
        own = tuple(column for column, _ in self.fields)
        return own if self.weight is None else (*own, self.weight)

    def only(self, wanted: Set[str], children: tuple[Relation, ...]) -> Relation:
        return replace(self, fields=tuple(field for field in self.fields if field[0] in wanted))

    def to_sql(self, inputs: Sequence[Expr]) -> Expr:
        (source,) = inputs
        items: list[Item] = [(column, exp.column(name, quoted=True)) for column, name in self.fields]
        if self.weight is not None:
            items.append((self.weight, column_of(WEIGHT)))
        return select(aliased(items), source)
