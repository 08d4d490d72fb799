"""Set operations whose sides have the types that Spark gives their columns.

    (int) UNION ALL (decimal)   =   CAST(int AS decimal) UNION ALL (decimal)

Spark finds the common type when it sees both sides. What is computed from one of them alone, as the change of
a union is where one side did not change, or a condition that goes to each side, needs it as well: the text
of an INT is not that of the same DECIMAL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.errors import SqlglotError

from headrace.algebra.expressions import Item, column_of
from headrace.algebra.names import Names
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.set_operation import SetOperation
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.relation import Relation
from headrace.errors import NotSupportedError
from headrace.sql.queries.dialect import HeadraceSpark

TypesOf = Callable[[Relation], Mapping[str, str]]
"""The types of a relation's columns, as Spark derives them."""


def with_aligned_types(relation: Relation, types_of: TypesOf, names: Names) -> Relation:
    """The same rows, in the same columns."""
    return _Alignment(types_of, names).of(relation)


@dataclass
class _Alignment:
    types_of: TypesOf
    names: Names
    _known: dict[Relation, Relation] = field(default_factory=dict)

    def of(self, relation: Relation) -> Relation:
        """What is used in several places is still one object."""
        if relation not in self._known:
            children = tuple(self.of(child) for child in relation.children)
            rebuilt = relation if children == relation.children else relation.rebuild(children)
            if isinstance(rebuilt, UnionAll | SetOperation):
                rebuilt = self._aligned(rebuilt)
            self._known[relation] = rebuilt
        return self._known[relation]

    def _aligned(self, relation: UnionAll | SetOperation) -> Relation:
        types = self.types_of(relation)
        wanted = [types[column] for column in relation.columns]
        sides = tuple(self._side(side, wanted) for side in relation.children)
        return relation if sides == relation.children else relation.rebuild(sides)

    def _side(self, side: Relation, wanted: list[str]) -> Relation:
        types = self.types_of(side)
        if [types[column] for column in side.columns] == wanted:
            return side
        items = [
            self._item(column, types[column], kind) for column, kind in zip(side.columns, wanted, strict=True)
        ]
        return Project(side, tuple(items))

    def _item(self, column: str, own: str, wanted: str) -> Item:
        value = column_of(column)
        if own == wanted:
            return self.names.new(), value
        return self.names.new(), exp.cast(value, _type(wanted))


def _type(text: str) -> exp.DataType:
    """Refused where sqlglot would write another type."""
    try:
        kind = exp.DataType.build(text, dialect=HeadraceSpark)
        written = kind.sql(dialect=HeadraceSpark)
    except SqlglotError:
        written = ""
    if written.replace(" ", "").lower() != text.replace(" ", "").lower():
        raise NotSupportedError(f"the sides of a set operation have different types, one of them {text}")
    return kind
