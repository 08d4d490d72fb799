"""Subqueries as joins: EXISTS and IN as semi joins, a scalar subquery as a join with one row per key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from headrace.algebra.from_clause import FromClause
from headrace.algebra.functions import NULL_WITHOUT_ROWS, counts
from headrace.algebra.grouping import aggregates_in
from headrace.algebra.names import column_of
from headrace.algebra.relation import Aggregate, Expr, Filter, Item, Join, JoinKind, Project, Relation
from headrace.algebra.scope import Scope
from headrace.algebra.unsupported import NoRule

if TYPE_CHECKING:
    from headrace.algebra.build import Builder, Ctes

Pending = list[tuple[str, Expr]]
"""Columns and the scalar subqueries that will give them."""

_PLACEHOLDER = "__subquery"


@dataclass(frozen=True)
class _Inside:
    """A subquery taken apart: what it reads by itself, and how it hangs on the query around it."""

    relation: Relation
    scope: Scope
    correlation: list[Expr]
    """Conditions over columns of both, resolved."""


class Subqueries:
    def __init__(self, builder: Builder, ctes: Ctes) -> None:
        self._builder = builder
        self._names = builder.names
        self._ctes = ctes

    def filtered(self, relation: Relation, condition: Expr, scope: Scope) -> Relation:
        """WHERE: its conjuncts one after the other, those without a subquery first."""
        conjuncts = _conjuncts(condition)
        plain = [scope.resolved(c) for c in conjuncts if c.find(exp.Query) is None]
        if plain:
            relation = Filter(relation, exp.and_(*plain))
        for conjunct in conjuncts:
            if conjunct.find(exp.Query) is not None:
                relation = self._filtered_by(relation, conjunct, scope)
        return relation

    def _filtered_by(self, relation: Relation, conjunct: Expr, scope: Scope) -> Relation:
        negated = isinstance(conjunct, exp.Not)
        inner = conjunct.this.unnest() if negated else conjunct
        match inner:
            case exp.Exists():
                inside = self._inside(inner.this, scope)
                kind = JoinKind.ANTI if negated else JoinKind.SEMI
                return Join(relation, inside.relation, kind, _all(inside.correlation))
            case exp.In() if inner.args.get("query") is not None:
                return self._in(relation, inner, scope, negated=negated)
        relation, (computed,) = self.computed(relation, [conjunct], scope)
        return Filter(relation, computed)

    def _in(self, relation: Relation, node: exp.In, scope: Scope, *, negated: bool) -> Relation:
        """NOT IN keeps a row unless some comparison is true or NULL."""
        inside = self._inside(node.args["query"].unnest(), scope, keep_items=True)
        values = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
        pairs = zip(values, inside.relation.columns[-len(values) :], strict=True)
        equal = [exp.EQ(this=scope.resolved(v), expression=column_of(c)) for v, c in pairs]
        if not negated:
            return Join(relation, inside.relation, JoinKind.SEMI, _all([*equal, *inside.correlation]))
        maybe = exp.Coalesce(this=exp.and_(*equal), expressions=[exp.true()])
        return Join(relation, inside.relation, JoinKind.ANTI, _all([maybe, *inside.correlation]))

    def computed(
        self, relation: Relation, expressions: Sequence[Expr], scope: Scope
    ) -> tuple[Relation, list[Expr]]:
        """The expressions, resolved, with a joined column in the place of each scalar subquery."""
        resolved, pending = self.postponed(expressions, scope)
        for column, query in pending:
            relation = self._scalar(relation, query, column, scope)
        return relation, resolved

    def postponed(self, expressions: Sequence[Expr], scope: Scope) -> tuple[list[Expr], Pending]:
        """The expressions, resolved, with columns still to be joined in the place of scalar subqueries."""
        resolved: list[Expr] = []
        pending: Pending = []
        for expression in expressions:
            placed, holder = scope, exp.Paren(this=expression.copy())
            for node in [n for n in holder.find_all(exp.Subquery) if n.find_ancestor(exp.Query) is None]:
                if isinstance(node.parent, exp.In):
                    continue
                column = self._names.new()
                pending.append((column, node.this))
                placed = placed.with_relation(_PLACEHOLDER, (column,), (column,))
                node.replace(exp.column(column, table=_PLACEHOLDER))
            if holder.find(exp.Query) is not None:
                raise NoRule("subquery", "there is no rule for EXISTS or IN outside the conjuncts of WHERE")
            resolved.append(placed.resolved(holder.this))
        return resolved, pending

    def attached(self, relation: Relation, pending: Pending) -> Relation:
        """Joins postponed subqueries, which must not depend on the query around them."""
        for column, query in pending:
            relation = self._scalar(relation, query, column, Scope())
        return relation

    def _scalar(self, relation: Relation, query: Expr, column: str, scope: Scope) -> Relation:
        if (
            not isinstance(query, exp.Select)
            or len(query.expressions) != 1
            or query.args.get("group") is not None
        ):
            raise NoRule("scalar subquery", "it must be one aggregate without GROUP BY")
        item = query.expressions[0].unalias()
        inside = self._inside(query, scope)
        aggregates = _top_aggregates(item)
        if not aggregates:
            raise NoRule("scalar subquery", "it must be one aggregate without GROUP BY")
        measures = [(self._names.new(), inside.scope.resolved(a)) for a in aggregates]
        keys, outside = _correlated_keys(inside)
        key_items = [(self._names.new(), key) for key in keys]
        aggregate = Aggregate(inside.relation, tuple(key_items), tuple(measures))
        value = self._value(item, aggregates, measures, inside.scope, correlated=bool(keys))
        condition = [
            exp.EQ(this=column_of(column), expression=expression)
            for (column, _), expression in zip(key_items, outside, strict=True)
        ]
        joined = Join(relation, aggregate, JoinKind.LEFT if keys else JoinKind.INNER, _all(condition))
        kept = tuple((c, column_of(c)) for c in relation.columns)
        return Project(joined, (*kept, (column, value)))

    def _value(
        self, item: Expr, aggregates: list[Expr], measures: list[Item], scope: Scope, *, correlated: bool
    ) -> Expr:
        """The subquery's expression over the joined aggregates; a COUNT of nothing is 0, not NULL."""
        replacements: list[tuple[Expr, Expr]] = []
        for aggregate, (column, _) in zip(aggregates, measures, strict=True):
            inner = aggregate.this if isinstance(aggregate, exp.Filter) else aggregate
            if not correlated or isinstance(inner, NULL_WITHOUT_ROWS):
                replacements.append((aggregate, column_of(column)))
            elif counts(aggregate):
                replacements.append(
                    (aggregate, exp.Coalesce(this=column_of(column), expressions=[exp.convert(0)]))
                )
            else:
                raise NoRule("scalar subquery", f"what {inner.sql('spark')} gives for no rows is not known")

        def replace(node: Expr) -> Expr:
            return next((new.copy() for old, new in replacements if node == old), node)

        return item.copy().transform(replace)

    def _inside(self, query: Expr, scope: Scope, *, keep_items: bool = False) -> _Inside:
        """FROM and WHERE of a subquery, the conditions on outer columns set aside."""
        plain = isinstance(query, exp.Select) and not any(
            query.args.get(clause)
            for clause in ("group", "having", "distinct", "limit", "qualify", "with_", "with")
        )
        has_aggregate = isinstance(query, exp.Select) and any(_top_aggregates(e) for e in query.expressions)
        if not plain or (keep_items and has_aggregate):
            built = self._builder.query(query, Scope(), self._ctes)
            return _Inside(built.relation, Scope(), [])
        return self._taken_apart(query, scope, keep_items)

    def _taken_apart(self, select: Expr, outer: Scope, keep_items: bool) -> _Inside:
        if not isinstance(select, exp.Select):
            raise NoRule("subquery", "there is no rule for it")
        relation, scope = FromClause(self._builder, self._ctes).read(select, outer)
        own = Scope(scope.columns)
        where = select.args.get("where")
        conjuncts = [] if where is None else _conjuncts(where.this)
        inner = [c for c in conjuncts if not _reaches_out(c, own)]
        across = [c for c in conjuncts if _reaches_out(c, own)]
        if any(c.find(exp.Query) for c in across):
            raise NoRule("subquery", "there is no rule for a subquery in a correlated condition")
        if inner:
            relation = self.filtered(relation, exp.and_(*(c.copy() for c in inner)), own)
        if keep_items:
            kept: list[Item] = [(c, column_of(c)) for c in relation.columns]
            shown = [(self._names.new(), scope.resolved(e.unalias())) for e in select.expressions]
            relation = Project(relation, (*kept, *shown))
        return _Inside(relation, own, [scope.resolved(c) for c in across])


def _conjuncts(condition: Expr) -> list[Expr]:
    condition = condition.unnest()
    if not isinstance(condition, exp.And):
        return [condition]
    return [*_conjuncts(condition.this), *_conjuncts(condition.expression)]


def _reaches_out(condition: Expr, own: Scope) -> bool:
    aliases = {alias for alias, _ in own.columns}
    queries = condition.find_all(exp.Query)
    inner_aliases = {table.alias_or_name.lower() for q in queries for table in q.find_all(exp.Table)}
    return any(c.table.lower() not in aliases | inner_aliases for c in condition.find_all(exp.Column))


def _top_aggregates(item: Expr) -> list[Expr]:
    return aggregates_in(item) if item.find(exp.Window) is None else []


def _correlated_keys(inside: _Inside) -> tuple[list[Expr], list[Expr]]:
    """The two sides of each correlation: equalities of an inner and an outer expression only."""
    own = set(inside.relation.columns)
    keys, outside = [], []
    for condition in inside.correlation:
        if not isinstance(condition, exp.EQ):
            raise NoRule("scalar subquery", "it may depend on the outer query by equality only")
        sides = (condition.this, condition.expression)
        inner = [s for s in sides if {c.name for c in s.find_all(exp.Column)} <= own]
        outer = [s for s in sides if not {c.name for c in s.find_all(exp.Column)} & own]
        if len(inner) != 1 or len(outer) != 1:
            raise NoRule("scalar subquery", "it may depend on the outer query by equality only")
        keys.append(inner[0])
        outside.append(outer[0])
    return keys, outside


def _all(conditions: Sequence[Expr]) -> Expr | None:
    return exp.and_(*conditions) if conditions else None
