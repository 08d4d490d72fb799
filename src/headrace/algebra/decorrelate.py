"""A correlated subquery as a relation of its own, and the conditions that join it to the outer query."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from headrace.algebra.conditions import conjuncts
from headrace.algebra.correlation import domain_of, own_aliases, reaches_out
from headrace.algebra.expressions import Expr, Item, column_of
from headrace.algebra.generators import is_generator
from headrace.algebra.grouping import aggregates_in
from headrace.algebra.operators.project import Project
from headrace.algebra.query_builder import QueryBuilder
from headrace.algebra.relation import Relation
from headrace.algebra.scope import Scope

_WHOLE = ("group", "having", "distinct", "limit", "offset", "qualify", "with_", "with", "windows", "sample")
"""Clauses for which conditions on outer columns cannot be applied to the result."""


@dataclass(frozen=True)
class Decorrelated:
    relation: Relation
    outputs: tuple[str, ...]
    """The columns of the subquery's items, if it was split with them."""
    correlation: list[Expr]
    """Conditions over columns of both, resolved."""
    scope: Scope


def decorrelate(
    builder: QueryBuilder, query: Expr, base: Relation, scope: Scope, *, for_each: bool = False
) -> Decorrelated:
    """The subquery's rows; ``for_each``: how often each occurs matters."""
    query = query.unnest()
    if isinstance(query, exp.Select) and can_split(query, for_each=for_each):
        return split(builder, query, scope)
    return for_each_value(builder, query, base, scope)


def for_each_value(builder: QueryBuilder, query: Expr, base: Relation, scope: Scope) -> Decorrelated:
    """The subquery computed for each value that it takes from ``base``."""
    domain, outer = domain_of(query, base, scope, builder.names)
    built = builder.query(query, domain)
    width = len(built.outputs)
    columns = built.relation.columns
    correlation: list[Expr] = [
        exp.NullSafeEQ(this=column_of(left), expression=column_of(right))
        for left, right in zip(outer, columns[width:], strict=True)
    ]
    return Decorrelated(built.relation, columns[:width], correlation, Scope())


def split(
    builder: QueryBuilder, select: exp.Select, outer: Scope, *, with_items: bool = True
) -> Decorrelated:
    """FROM and WHERE of a subquery, the conditions on outer columns set aside."""
    relation, scope = builder.from_clause(select)
    own = own_aliases(select)
    where = select.args.get("where")
    conditions = [] if where is None else conjuncts(where.this)
    inner = [c for c in conditions if not reaches_out(c, own)]
    if inner:
        relation = builder.where(relation, exp.and_(*(c.copy() for c in inner)), scope)
    shown: list[Item] = []
    if with_items:
        columns: list[Item] = [(c, column_of(c)) for c in relation.columns]
        shown = [(builder.names.new(), scope.resolved(e.unalias())) for e in select.expressions]
        relation = Project(relation, (*columns, *shown))
    both = Scope(scope.columns, outer)
    across = [both.resolved(c) for c in conditions if reaches_out(c, own)]
    return Decorrelated(relation, tuple(column for column, _ in shown), across, scope)


def can_split(select: exp.Select, *, for_each: bool = False, with_items: bool = True) -> bool:
    """Whether conditions on outer columns can wait until the rest of the subquery is computed."""
    clauses = [c for c in _WHOLE if for_each or c != "distinct"]
    if any(select.args.get(clause) for clause in clauses):
        return False
    own = own_aliases(select)
    where = select.args.get("where")
    across = [] if where is None else [c for c in conjuncts(where.this) if reaches_out(c, own)]
    if any(c.find(exp.Query) for c in across):
        return False
    return not with_items or all(_row_by_row(e, own) for e in select.expressions)


def makes_each_row_once(select: exp.Select) -> bool:
    """Whether FROM and WHERE alone decide how many rows there are, but for DISTINCT."""
    if any(select.args.get(clause) for clause in _WHOLE if clause != "distinct"):
        return False
    return not any(aggregates_in(e) or _generates(e) for e in select.expressions)


def _row_by_row(item: Expr, own: frozenset[str]) -> bool:
    if item.find(exp.Window, exp.Query, exp.Star) or reaches_out(item, own):
        return False
    return not aggregates_in(item) and not _generates(item)


def _generates(item: Expr) -> bool:
    return any(is_generator(function) for function in item.find_all(exp.Func))
