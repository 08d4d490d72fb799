"""A relation as SQL: one common table expression per operator, a shared one written once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from headrace.algebra.expressions import Expr, column_of, select
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.scan import Scan
from headrace.algebra.relation import Relation

ScanSource = Callable[[Scan], Expr]
"""What stands in FROM for a scan: a table at a version, or its change with a column ``__hr_weight``."""


def render(relation: Relation, source_of: ScanSource) -> exp.Select:
    """A query that gives the relation's columns under their names."""
    rendering = _Rendering(source_of)
    query = select(map(column_of, relation.columns), exp.to_table(rendering.name_of(relation)))
    for name, body in rendering.bodies:
        query = query.with_(name, as_=body, copy=False)
    return query


@dataclass
class _Rendering:
    source_of: ScanSource
    bodies: list[tuple[str, Expr]] = field(default_factory=list)
    _names: dict[Relation, str] = field(default_factory=dict)

    def name_of(self, relation: Relation) -> str:
        relation = _without_repetition(relation)
        if relation not in self._names:
            body = relation.to_sql(self._inputs(relation))
            name = f"r{len(self.bodies) + 1}"
            self.bodies.append((name, body))
            self._names[relation] = name
        return self._names[relation]

    def _inputs(self, relation: Relation) -> list[Expr]:
        if isinstance(relation, Scan):
            return [self.source_of(relation)]
        return [exp.to_table(self.name_of(child)) for child in relation.children]


def _without_repetition(relation: Relation) -> Relation:
    """Below projections that show just what is there: each layer takes Spark its time to plan."""
    while (
        isinstance(relation, Project)
        and {*relation.columns} == {*relation.child.columns}
        and all(isinstance(item, exp.Column) and item.name == name for name, item in relation.items)
    ):
        relation = relation.child
    return relation
