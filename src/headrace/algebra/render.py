"""A relation as SQL: one common table expression per operator, a shared one written once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import assert_never

from sqlglot import exp

from headrace.algebra.names import column_of
from headrace.algebra.relation import (
    Aggregate,
    Constant,
    Expr,
    Filter,
    Generate,
    Item,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    UnionAll,
    Window,
)

ScanSource = Callable[[Scan], Expr]
"""What stands in FROM for a scan: a table at a version, or its change with a column ``__hr_weight``."""

WEIGHT = "__hr_weight"


def render(relation: Relation, source_of: ScanSource) -> exp.Select:
    """A query that gives the relation's columns under their names."""
    rendering = _Rendering(source_of)
    query = exp.select(*relation.columns).from_(rendering.name_of(relation))
    for name, body in rendering.bodies:
        query = query.with_(name, as_=body, copy=False)
    return query


@dataclass
class _Rendering:
    source_of: ScanSource
    bodies: list[tuple[str, Expr]] = field(default_factory=list)
    _names: dict[int, str] = field(default_factory=dict)
    _kept: list[Relation] = field(default_factory=list)

    def name_of(self, relation: Relation) -> str:
        relation = _without_repetition(relation)
        if id(relation) not in self._names:
            body = self._body(relation)
            name = f"r{len(self.bodies) + 1}"
            self.bodies.append((name, body))
            self._names[id(relation)] = name
            self._kept.append(relation)
        return self._names[id(relation)]

    def _body(self, relation: Relation) -> Expr:
        match relation:
            case Scan():
                return self._scan(relation)
            case Constant():
                return self._constant(relation)
            case Project():
                return exp.select(*_aliased(relation.items)).from_(self.name_of(relation.child))
            case Filter():
                query = exp.select(*relation.columns).from_(self.name_of(relation.child))
                return query.where(relation.condition.copy())
            case Join():
                return self._join(relation)
            case Aggregate():
                return self._aggregate(relation)
            case Window():
                kept = [column_of(column) for column in relation.child.columns]
                return exp.select(*kept, *_aliased(relation.items)).from_(self.name_of(relation.child))
            case UnionAll():
                return self._union(relation)
            case SetOperation():
                return self._set_operation(relation)
            case Generate():
                return self._generate(relation)
            case _:
                assert_never(relation)

    def _scan(self, scan: Scan) -> Expr:
        items: list[Item] = [(column, exp.column(name, quoted=True)) for column, name in scan.fields]
        if scan.weight is not None:
            items.append((scan.weight, column_of(WEIGHT)))
        return exp.select(*_aliased(tuple(items))).from_(self.source_of(scan))

    def _constant(self, constant: Constant) -> Expr:
        alias = exp.TableAlias(
            this=exp.to_identifier("v"), columns=[exp.to_identifier(column) for column in constant.columns]
        )
        source = constant.source.copy()
        if isinstance(source, exp.Query):
            source = exp.Subquery(this=source)
        source.set("alias", alias)
        return exp.select(*constant.columns).from_(source)

    def _join(self, join: Join) -> Expr:
        left, right = self.name_of(join.left), self.name_of(join.right)
        query = exp.select(*join.columns).from_(left)
        condition = exp.true() if join.condition is None else join.condition.copy()
        if join.kind is JoinKind.INNER and join.condition is None:
            return query.join(right, join_type="cross")
        if join.kind in (JoinKind.SEMI, JoinKind.ANTI):
            return query.where(_exists(right, condition, negated=join.kind is JoinKind.ANTI))
        return query.join(right, on=condition, join_type=join.kind.value)

    def _aggregate(self, aggregate: Aggregate) -> Expr:
        items = (*aggregate.keys, *aggregate.measures)
        query = exp.select(*_aliased(items)).from_(self.name_of(aggregate.child))
        return query.group_by(*(key.copy() for _, key in aggregate.keys)) if aggregate.keys else query

    def _union(self, union: UnionAll) -> Expr:
        first, *others = [self._renamed(part, union.columns) for part in union.parts]
        query: Expr = first
        for other in others:
            query = exp.Union(this=query, expression=other, distinct=False)
        return query

    def _set_operation(self, operation: SetOperation) -> Expr:
        kinds = {SetKind.INTERSECT: exp.Intersect, SetKind.EXCEPT: exp.Except}
        left = self._renamed(operation.left, operation.columns)
        right = self._renamed(operation.right, operation.columns)
        return kinds[operation.kind](this=left, expression=right, distinct=not operation.every)

    def _renamed(self, relation: Relation, columns: tuple[str, ...]) -> exp.Select:
        items = tuple((new, column_of(old)) for new, old in zip(columns, relation.columns, strict=True))
        return exp.select(*_aliased(items)).from_(self.name_of(relation))

    def _generate(self, generate: Generate) -> Expr:
        lateral = exp.Lateral(
            this=generate.generator.copy(),
            view=True,
            outer=generate.outer,
            alias=exp.TableAlias(
                this=exp.to_identifier("g"), columns=[exp.to_identifier(name) for name in generate.generated]
            ),
        )
        query = exp.select(*generate.columns).from_(self.name_of(generate.child))
        query.append("laterals", lateral)
        return query


def _exists(relation: str, condition: Expr, *, negated: bool) -> Expr:
    matches = exp.Exists(this=exp.select("1").from_(relation).where(condition))
    return exp.not_(matches) if negated else matches


def _without_repetition(relation: Relation) -> Relation:
    """Below projections that show just what is there: each layer takes Spark its time to plan."""
    while (
        isinstance(relation, Project)
        and {*relation.columns} == {*relation.child.columns}
        and all(isinstance(item, exp.Column) and item.name == name for name, item in relation.items)
    ):
        relation = relation.child
    return relation


def _aliased(items: tuple[Item, ...]) -> list[Expr]:
    return [exp.alias_(expression.copy(), column) for column, expression in items]
