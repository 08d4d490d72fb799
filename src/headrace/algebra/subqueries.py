"""Subqueries in expressions.

    WHERE EXISTS Q      =  L SEMI Q                 WHERE NOT EXISTS Q  =  L ANTI Q
    WHERE x IN Q        =  L SEMI Q on x = q        WHERE x NOT IN Q    =  L ANTI Q on (x = q) IS NOT FALSE

Anywhere else the truth becomes a column, by parts of L that have nothing in common:

    EXISTS Q  =  true for L SEMI Q, false for L ANTI Q
    x IN Q          =  true for L SEMI Q on x = q, else false
    NOT (x IN Q)    =  true for L ANTI Q on (x = q) IS NOT FALSE, else false

That is Spark's reading: as a value, neither of the two is ever NULL, and NOT goes inward first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from headrace.algebra.conditions import conjunction, conjuncts, negation_inward
from headrace.algebra.decorrelate import Decorrelated, decorrelate, makes_each_row_once
from headrace.algebra.expressions import Expr, column_of
from headrace.algebra.operators.filter import Filter
from headrace.algebra.operators.join import Join, JoinKind
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.query_builder import QueryBuilder
from headrace.algebra.relation import Relation
from headrace.algebra.scalar_subqueries import with_scalar
from headrace.algebra.scope import Scope
from headrace.algebra.unsupported import NoRule, Unsupported

_IN = "__in"
"""Stands for a pending IN: its column, then what is looked for."""
_PLACEHOLDER = "__subquery"


@dataclass(frozen=True)
class Pending:
    """A subquery whose value will be in ``column``."""

    column: str
    node: Expr


class Subqueries:
    def __init__(self, builder: QueryBuilder) -> None:
        self._builder = builder
        self._names = builder.names

    def filtered(self, relation: Relation, condition: Expr, scope: Scope) -> Relation:
        """WHERE: its conjuncts one after the other, those without a subquery first."""
        conditions = conjuncts(negation_inward(condition))
        plain = [scope.resolved(c) for c in conditions if not c.find(exp.Query)]
        if plain:
            relation = Filter(relation, exp.and_(*plain))
        for condition in conditions:
            if condition.find(exp.Query):
                relation = self._filtered_by(relation, condition, scope)
        return relation

    def _filtered_by(self, relation: Relation, condition: Expr, scope: Scope) -> Relation:
        negated = isinstance(condition, exp.Not)
        inner = condition.this.unnest() if negated else condition
        match inner:
            case exp.Exists(this=exp.Query()):
                kind = JoinKind.ANTI if negated else JoinKind.SEMI
                parts = self._existing(inner, relation, scope)
                return Join(relation, parts.relation, kind, conjunction(parts.correlation))
            case exp.In() if inner.args.get("query") is not None and not inner.this.find(exp.Query):
                parts = decorrelate(self._builder, inner.args["query"], relation, scope)
                equal = _equal([scope.resolved(v) for v in _values(inner.this)], parts)
                return _semi_or_anti(relation, parts, _not_false(equal) if negated else equal, negated)
        base = relation
        (resolved,), pending = self.with_placeholders([condition], scope)
        relation, (computed,) = self.join_pending(relation, base, [resolved], pending, scope)
        return Filter(relation, computed)

    def with_placeholders(
        self, expressions: Sequence[Expr], scope: Scope
    ) -> tuple[list[Expr], list[Pending]]:
        """The expressions, resolved, with columns still to be joined in the place of subqueries."""
        resolved: list[Expr] = []
        pending: list[Pending] = []
        for expression in expressions:
            placed, holder = scope, exp.Paren(this=negation_inward(expression))
            for node in [n for n in holder.walk(prune=_is_subquery) if _is_subquery(n)]:
                if (looked_for := _in_of(node)) and looked_for.this.find(exp.Query, exp.Window):
                    raise NoRule(Unsupported.IN_OF_SUBQUERY, expression=looked_for.this.sql("spark"))
                known = next((p.column for p in pending if p.node == node), None)
                column = known or self._names.new()
                if known is None:
                    pending.append(Pending(column, node.copy()))
                placed = placed.with_relation(_PLACEHOLDER, (column,), (column,))
                node.replace(_placeholder(column, node))
            if holder.find(exp.Query) is not None:
                raise NoRule(Unsupported.SUBQUERY, expression=holder.this.sql("spark"))
            resolved.append(placed.resolved(holder.this))
        return resolved, pending

    def join_pending(
        self,
        relation: Relation,
        base: Relation,
        expressions: Sequence[Expr],
        pending: Sequence[Pending],
        scope: Scope,
    ) -> tuple[Relation, list[Expr]]:
        """Joins pending subqueries; outer columns have the values of ``base``."""
        expressions = list(expressions)
        for one in pending:
            match one.node:
                case exp.Exists():
                    relation = self._exists(relation, base, one, scope)
                case exp.In() | exp.Not():
                    values = _looked_for(expressions, one.column)
                    relation = self._in(relation, base, one, values, scope)
                    expressions = [_with_mark(e, one.column) for e in expressions]
                case _:
                    relation = with_scalar(self._builder, relation, base, one.node, one.column, scope)
        return relation, expressions

    def _existing(self, node: Expr, base: Relation, scope: Scope) -> Decorrelated:
        query = node.this.copy()
        limit = query.args.get("limit")
        if limit is not None and limit.expression.name.isdigit() and int(limit.expression.name) > 0:
            query.set("limit", None)
        if isinstance(query, exp.Select) and makes_each_row_once(query):
            query.set("expressions", [exp.convert(1)])
        return decorrelate(self._builder, query, base, scope)

    def _exists(self, relation: Relation, base: Relation, one: Pending, scope: Scope) -> Relation:
        parts = self._existing(one.node, base, scope)
        condition = conjunction(parts.correlation)
        yes = Join(relation, parts.relation, JoinKind.SEMI, condition)
        no = Join(relation, parts.relation, JoinKind.ANTI, condition)
        return self._marked(relation, one.column, [(yes, exp.true()), (no, exp.false())])

    def _in(
        self, relation: Relation, base: Relation, one: Pending, values: list[Expr], scope: Scope
    ) -> Relation:
        negated = isinstance(one.node, exp.Not)
        node = one.node.this.unnest() if negated else one.node
        parts = decorrelate(self._builder, node.args["query"], base, scope)
        equal = _equal(values, parts)
        condition = _not_false(equal) if negated else equal
        found = _semi_or_anti(relation, parts, condition, negated=False)
        missed = _semi_or_anti(relation, parts, condition, negated=True)
        marks = [(found, exp.convert(not negated)), (missed, exp.convert(negated))]
        return self._marked(relation, one.column, marks)

    def _marked(self, relation: Relation, column: str, parts: Sequence[tuple[Relation, Expr]]) -> Relation:
        projected = [
            Project(
                part,
                (
                    *((self._names.new(), column_of(c)) for c in relation.columns),
                    (self._names.new(), mark),
                ),
            )
            for part, mark in parts
        ]
        return UnionAll(tuple(projected), (*relation.columns, column))


def _is_subquery(node: Expr) -> bool:
    if isinstance(node, exp.Exists):
        return isinstance(node.this, exp.Query)
    return isinstance(node, exp.Subquery) or _in_of(node) is not None


def _in_of(node: Expr) -> exp.In | None:
    """The IN of a subquery that the node is, or negates."""
    inner = node.this.unnest() if isinstance(node, exp.Not) else node
    return inner if isinstance(inner, exp.In) and inner.args.get("query") is not None else None


def _placeholder(column: str, node: Expr) -> Expr:
    place = exp.column(column, table=_PLACEHOLDER)
    if (looked_for := _in_of(node)) is not None:
        return exp.Anonymous(this=_IN, expressions=[place, *(v.copy() for v in _values(looked_for.this))])
    return place


def _values(looked_for: Expr) -> list[Expr]:
    looked_for = looked_for.unnest()
    return list(looked_for.expressions) if isinstance(looked_for, exp.Tuple) else [looked_for]


def _is_mark(node: Expr, column: str) -> bool:
    return isinstance(node, exp.Anonymous) and node.this == _IN and node.expressions[0].name == column


def _looked_for(expressions: Sequence[Expr], column: str) -> list[Expr]:
    marks = (node for e in expressions for node in e.find_all(exp.Anonymous) if _is_mark(node, column))
    return list(next(marks).expressions[1:])


def _with_mark(expression: Expr, column: str) -> Expr:
    return expression.transform(lambda node: column_of(column) if _is_mark(node, column) else node)


def _equal(values: Sequence[Expr], parts: Decorrelated) -> Expr:
    if len(values) != len(parts.outputs):
        raise NoRule(Unsupported.IN_WIDTH)
    pairs = zip(values, parts.outputs, strict=True)
    return exp.and_(*(exp.EQ(this=v.copy(), expression=column_of(c)) for v, c in pairs))


def _not_false(condition: Expr) -> Expr:
    unknown = exp.Is(this=exp.Paren(this=condition.copy()), expression=exp.null())
    return exp.Or(this=exp.Paren(this=condition.copy()), expression=exp.Paren(this=unknown))


def _semi_or_anti(relation: Relation, parts: Decorrelated, condition: Expr, negated: bool) -> Join:
    """Rows with a partner, or without; the subquery has only those for which its correlation is true."""
    kind = JoinKind.ANTI if negated else JoinKind.SEMI
    return Join(relation, parts.relation, kind, conjunction([condition, *parts.correlation]))
