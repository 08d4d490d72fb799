"""GROUP BY: keys, aggregates, and grouping sets as a union of groupings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from sqlglot import exp

from headrace.algebra.functions import is_aggregate
from headrace.algebra.names import Names, column_of, with_columns
from headrace.algebra.relation import Aggregate, Expr, Item, Project, Relation, UnionAll
from headrace.algebra.scope import Scope
from headrace.algebra.unsupported import NoRule

_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)

GroupingSets = list[tuple[int, ...]]
"""Each set as positions in the list of keys."""


def is_grouped(select: exp.Select, expressions: Sequence[Expr]) -> bool:
    return select.args.get("group") is not None or any(aggregates_in(e) for e in expressions)


def grouped(
    relation: Relation,
    select: exp.Select,
    expressions: Sequence[Expr],
    items: Sequence[Expr],
    scope: Scope,
    names: Names,
) -> tuple[Relation, list[Expr]]:
    """The aggregate, and the expressions over its columns."""
    keys, sets = _keys(select, items, scope)
    measures: list[Expr] = []
    for aggregate in (a for e in expressions for a in aggregates_in(e)):
        if aggregate not in measures and not _tells_grouping(aggregate):
            measures.append(aggregate)
    key_items = [(names.new(), key) for key in keys]
    measure_items = [(names.new(), measure) for measure in measures]
    if sets is None:
        aggregate_ = Aggregate(relation, tuple(key_items), tuple(measure_items))
        return aggregate_, [_over(e, [*key_items, *measure_items]) for e in expressions]
    return _union(relation, expressions, key_items, measure_items, sets, names)


def aggregates_in(expression: Expr) -> list[Expr]:
    """Aggregates of the expression itself, each with its FILTER; not those of subqueries or windows."""
    return [
        node
        for node in expression.copy().find_all(exp.Func, exp.Filter, exp.WithinGroup, exp.IgnoreNulls)
        if is_aggregate(node) and not _inside_aggregate(node) and node.find_ancestor(exp.Query) is None
    ]


def _inside_aggregate(node: Expr) -> bool:
    parent = node.parent
    return isinstance(
        parent, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls
    ) and is_aggregate(parent)


def _keys(select: exp.Select, items: Sequence[Expr], scope: Scope) -> tuple[list[Expr], GroupingSets | None]:
    group = select.args.get("group")
    if group is None:
        return [], None
    if group.args.get("all"):
        return [item for item in items if not aggregates_in(item)], None
    listed = [node for node in group.expressions if isinstance(node, _SETS)]
    keys = [scope.resolved(key) for key in group.expressions if not isinstance(key, _SETS)]
    if group.args.get("totals"):
        raise NoRule("GROUP BY", "there is no rule for WITH TOTALS")
    behind = [node for kind in ("rollup", "cube", "grouping_sets") for node in group.args.get(kind) or ()]
    match [*listed, *behind]:
        case []:
            return keys, None
        case [sets]:
            return _grouping_sets(keys, sets, scope)
    raise NoRule("GROUP BY", "there is no rule for several of ROLLUP, CUBE and GROUPING SETS together")


def _grouping_sets(plain: list[Expr], node: Expr, scope: Scope) -> tuple[list[Expr], GroupingSets]:
    listed = [scope.resolved(e) for e in node.expressions]
    if not listed:
        plain, listed = [], plain
    keys = list(plain)

    def positions(expression: Expr) -> tuple[int, ...]:
        parts = expression.expressions if isinstance(expression, exp.Tuple) else [expression.unnest()]
        for part in parts:
            if part not in keys:
                keys.append(part)
        return tuple(keys.index(part) for part in parts)

    elements = [positions(e) for e in listed]
    always = tuple(range(len(plain)))
    match node:
        case exp.Rollup():
            sets = [elements[:size] for size in range(len(elements), -1, -1)]
        case exp.Cube():
            sets = [list(s) for size in range(len(elements), -1, -1) for s in combinations(elements, size)]
        case _:
            sets = [[element] for element in elements]
    return keys, [always + tuple(p for element in chosen for p in element) for chosen in sets]


def _tells_grouping(aggregate: Expr) -> bool:
    name = aggregate.name if isinstance(aggregate, exp.Anonymous) else aggregate.key
    return name.lower() in ("grouping", "grouping_id", "groupingid")


def _union(
    relation: Relation,
    expressions: Sequence[Expr],
    keys: list[Item],
    measures: list[Item],
    sets: GroupingSets,
    names: Names,
) -> tuple[Relation, list[Expr]]:
    parts = []
    for chosen in sets:
        one = _one_grouping(relation, keys, measures, chosen, names)
        told = [_over(_told(e, keys, chosen), [*keys, *measures]) for e in expressions]
        renamed = dict(zip([c for c, _ in (*keys, *measures)], one.columns, strict=True))
        parts.append(Project(one, tuple((names.new(), with_columns(e, renamed)) for e in told)))
    columns = tuple(names.new() for _ in expressions)
    return UnionAll(tuple(parts), columns), [column_of(column) for column in columns]


def _one_grouping(
    relation: Relation, keys: list[Item], measures: list[Item], chosen: tuple[int, ...], names: Names
) -> Project:
    """All keys and measures in order; keys outside the set are NULL. No rows make no group at all."""
    used = [(names.new(), keys[p][1]) for p in chosen] or [(names.new(), exp.cast(exp.convert(1), "int"))]
    absent = [
        (names.new(), exp.Max(this=exp.If(this=exp.false(), true=key, false=exp.null())))
        for position, (_, key) in enumerate(keys)
        if position not in chosen
    ]
    own = [(names.new(), measure) for _, measure in measures]
    aggregate = Aggregate(relation, tuple(used), (*absent, *own))
    by_position = dict(zip(chosen, (column for column, _ in used), strict=False))
    missing = iter(column for column, _ in absent)
    ordered = [by_position[p] if p in by_position else next(missing) for p in range(len(keys))]
    return Project(aggregate, tuple((names.new(), column_of(c)) for c in [*ordered, *(c for c, _ in own)]))


def _told(expression: Expr, keys: list[Item], chosen: tuple[int, ...]) -> Expr:
    """``grouping(k)`` is 1 where k is not in the set; ``grouping_id(...)`` has a bit for each argument."""

    def tell(node: Expr) -> Expr:
        if not (isinstance(node, exp.Func) and _tells_grouping(node)):
            return node
        asked = list(node.expressions or ([node.this] if isinstance(node.this, exp.Expr) else []))
        asked = asked or [key for _, key in keys]
        present = [keys[p][1] for p in chosen]
        bits = [0 if key in present else 1 for key in asked]
        return exp.convert(int("".join(map(str, bits)), 2))

    return expression.copy().transform(tell)


def _over(expression: Expr, items: Sequence[Item]) -> Expr:
    """The expression with each key and aggregate replaced by its column."""

    def replaced(node: Expr) -> Expr:
        for column, computed in items:
            if node == computed:
                return column_of(column)
        return node

    return expression.copy().transform(replaced)
