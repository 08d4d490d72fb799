"""A scalar subquery as a join with one row per key.

    L with (SELECT agg(x) FROM R WHERE R.k = L.k)  =  L LEFT JOIN (SELECT k, agg(x) FROM R GROUP BY k) ON k
    L with (SELECT agg(x) FROM R)                  =  L CROSS JOIN (SELECT agg(x) FROM R)

A COUNT of nothing is 0, not NULL. Any other subquery is computed for each value that it takes from L; where
it may have several rows for one value, they are counted, and more than one is the error that Spark raises.
"""

from __future__ import annotations

from sqlglot import exp

from headrace.algebra.conditions import conjunction
from headrace.algebra.correlation import own_aliases, reaches_out
from headrace.algebra.decorrelate import Decorrelated, can_split, for_each_value, split
from headrace.algebra.expressions import Expr, Item, column_of, names_in
from headrace.algebra.functions import NULL_WITHOUT_ROWS, counts
from headrace.algebra.generators import is_generator
from headrace.algebra.grouping import aggregates_in
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.join import Join, JoinKind
from headrace.algebra.operators.project import Project
from headrace.algebra.query_builder import QueryBuilder
from headrace.algebra.relation import Relation
from headrace.algebra.scope import Scope

_TOO_MANY = "More than one row returned by a subquery used as an expression."


def with_scalar(
    builder: QueryBuilder, relation: Relation, base: Relation, query: Expr, column: str, scope: Scope
) -> Relation:
    """``relation`` and the subquery's value in ``column``; outer columns have the values of ``base``."""
    query = query.unnest()
    joined = _by_key(builder, relation, query, scope)
    if joined is None:
        joined = _for_each_value(builder, relation, base, query, scope)
    made, value = joined
    columns = tuple((c, column_of(c)) for c in relation.columns)
    return Project(made, (*columns, (column, value)))


def _by_key(
    builder: QueryBuilder, relation: Relation, query: Expr, scope: Scope
) -> tuple[Relation, Expr] | None:
    """None where the subquery is more than an aggregate of rows found by equality."""
    if not (isinstance(query, exp.Select) and len(query.expressions) == 1 and _is_one_row(query)):
        return None
    item = query.expressions[0].unalias()
    own = own_aliases(query)
    if query.args.get("having") or reaches_out(item, own) or item.find(exp.Query):
        return None
    if not can_split(query, for_each=True, with_items=False):
        return None
    parts = split(builder, query, scope, with_items=False)
    sides = _sides(parts)
    aggregates = aggregates_in(item)
    if sides is None or (sides and not all(_known_without_rows(a) for a in aggregates)):
        return None
    measures = [(builder.names.new(), parts.scope.resolved(a)) for a in aggregates]
    keys = [(builder.names.new(), inner) for inner, _ in sides]
    aggregate = Aggregate(parts.relation, tuple(keys), tuple(measures))
    condition: list[Expr] = [
        exp.EQ(this=column_of(key), expression=outer)
        for (key, _), (_, outer) in zip(keys, sides, strict=True)
    ]
    kind = JoinKind.LEFT if keys else JoinKind.INNER
    value = _value(item, aggregates, measures, correlated=bool(keys))
    return Join(relation, aggregate, kind, conjunction(condition)), value


def _for_each_value(
    builder: QueryBuilder, relation: Relation, base: Relation, query: Expr, scope: Scope
) -> tuple[Relation, Expr]:
    parts = for_each_value(builder, query, base, scope)
    (output,) = parts.outputs
    if isinstance(query, exp.Select) and _is_one_row(query):
        return Join(relation, parts.relation, JoinKind.LEFT, conjunction(parts.correlation)), column_of(
            output
        )
    names = builder.names
    values = parts.relation.columns[1:]
    keys = {column: names.new() for column in values}
    number, value = names.new(), names.new()
    measures = ((number, exp.Count(this=exp.Star())), (value, exp.First(this=column_of(output))))
    counted = Aggregate(parts.relation, tuple((new, column_of(old)) for old, new in keys.items()), measures)
    condition: list[Expr] = [
        exp.NullSafeEQ(this=c.this.copy(), expression=column_of(keys[c.expression.name]))
        for c in parts.correlation
    ]
    several = exp.GT(this=column_of(number), expression=exp.convert(1))
    error = exp.Anonymous(this="raise_error", expressions=[exp.convert(_TOO_MANY)])
    checked = exp.Case(ifs=[exp.If(this=several, true=error)], default=column_of(value))
    return Join(relation, counted, JoinKind.LEFT, conjunction(condition)), checked


def _is_one_row(select: exp.Select) -> bool:
    """An aggregate without GROUP BY: one row, or none by its HAVING."""
    if any(select.args.get(clause) for clause in ("group", "qualify", "limit", "offset")):
        return False
    if any(is_generator(f) for e in select.expressions for f in e.find_all(exp.Func)):
        return False
    return any(aggregates_in(e) for e in select.expressions)


def _sides(parts: Decorrelated) -> list[tuple[Expr, Expr]] | None:
    """Inner and outer side of each correlation; None if one is not an equality of the two."""
    own = set(parts.relation.columns)
    sides = []
    for condition in parts.correlation:
        if not isinstance(condition, exp.EQ):
            return None
        both = (condition.this, condition.expression)
        inner = [s for s in both if names_in(s) <= own]
        outer = [s for s in both if not names_in(s) & own]
        if len(inner) != 1 or len(outer) != 1:
            return None
        sides.append((inner[0], outer[0]))
    return sides


def _known_without_rows(aggregate: Expr) -> bool:
    inner = aggregate.this if isinstance(aggregate, exp.Filter) else aggregate
    return isinstance(inner, NULL_WITHOUT_ROWS) or counts(aggregate)


def _value(item: Expr, aggregates: list[Expr], measures: list[Item], *, correlated: bool) -> Expr:
    """The subquery's expression over the joined aggregates."""
    columns: list[tuple[Expr, Expr]] = []
    for aggregate, (column, _) in zip(aggregates, measures, strict=True):
        value: Expr = column_of(column)
        if correlated and counts(aggregate):
            value = exp.Coalesce(this=value, expressions=[exp.convert(0)])
        columns.append((aggregate, value))

    def replace(node: Expr) -> Expr:
        return next((new.copy() for old, new in columns if node == old), node)

    return item.copy().transform(replace)
