"""The change of a relation between the old and the new version of its tables.

A change is a bag with weights: 1 for a row that came, -1 for one that went; the sum over equal rows is what
counts. ``X0`` and ``X1`` are the old and the new version of X, ``dX = X1 - X0`` its change, and ``X|K`` the
rows of X whose key is in K, NULL being equal to NULL. A relation none of whose tables changed has no change,
and its terms vanish here, before any SQL is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from headrace.algebra.expressions import Expr, Item, column_of
from headrace.algebra.names import Names
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.scan import SourceVersion
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.relation import Relation
from headrace.algebra.walk import at
from headrace.model.names import TableName


@dataclass(frozen=True)
class Change:
    relation: Relation
    columns: tuple[str, ...]
    """Those of the relation that changes, in its order."""
    weight: str

    def __post_init__(self) -> None:
        if {*self.columns, self.weight} - set(self.relation.columns):
            raise ValueError("a change has the columns of what changes, and a weight")


@dataclass(frozen=True)
class Context:
    """What a rule needs to know of the rest of the query: what has changed, and the changes of its inputs."""

    names: Names
    changed: frozenset[TableName]
    change_of: Callable[[Relation], Change | None]
    affected_keys: Callable[[Relation, Sequence[str]], Relation | None]
    """At least the values that changed rows have in the columns, in their order, under new names.

    None where the change itself is no dearer. Values are equal as in GROUP BY, which takes -0.0 for 0.0.
    """
    _versions: dict[tuple[Relation, SourceVersion], Relation] = field(default_factory=dict)

    def old(self, relation: Relation) -> Relation:
        return self._at(relation, SourceVersion.OLD)

    def new(self, relation: Relation) -> Relation:
        return self._at(relation, SourceVersion.NEW)

    def _at(self, relation: Relation, version: SourceVersion) -> Relation:
        """The same object each time, so that it is rendered once."""
        if (relation, version) not in self._versions:
            self._versions[relation, version] = at(relation, version)
        return self._versions[relation, version]

    def weighted(self, relation: Relation, columns: tuple[str, ...], sign: int) -> Relation:
        """Whole rows of ``relation``, each with the weight ``sign``; ``columns`` come first, in order."""
        items: list[Item] = [(self.names.new(), column_of(column)) for column in columns]
        return Project(relation, (*items, (self.names.new(), exp.convert(sign))))

    def sum(self, terms: list[Relation], columns: tuple[str, ...]) -> Change:
        """Terms as made by ``weighted`` or ``positioned``, added up."""
        weight = self.names.new()
        return Change(UnionAll(tuple(terms), (*columns, weight)), columns, weight)

    def positioned(self, change: Change, items: tuple[Expr, ...] | None = None) -> Relation:
        """A change as a term of a sum: its columns in order, or the given expressions, then its weight."""
        expressions = items or tuple(column_of(column) for column in change.columns)
        named = tuple((self.names.new(), expression) for expression in expressions)
        return Project(change.relation, (*named, (self.names.new(), column_of(change.weight))))
