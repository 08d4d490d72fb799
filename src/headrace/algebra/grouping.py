"""GROUP BY: keys, aggregates, and grouping sets as one grouping of rows that are there once for each set.

The elements of GROUP BY are multiplied: ``a, ROLLUP (b), CUBE (c)`` groups by each set of the product of
{(a)}, {(b), ()} and {(c), ()}.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

from sqlglot import exp

from headrace.algebra.correlation import Domain
from headrace.algebra.expressions import Expr, Item, column_of, with_columns
from headrace.algebra.functions import is_aggregate
from headrace.algebra.generators import replaced
from headrace.algebra.names import Names
from headrace.algebra.operators.aggregate import Aggregate
from headrace.algebra.operators.join import Join, JoinKind
from headrace.algebra.operators.project import Project
from headrace.algebra.operators.union_all import UnionAll
from headrace.algebra.relation import Relation
from headrace.algebra.unsupported import NoRule, Unsupported

_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)

Keys = list[Expr]
GroupingSets = list[tuple[int, ...]]
"""Each set as positions in the list of keys."""


@dataclass(frozen=True)
class Grouped:
    relation: Relation
    expressions: list[Expr]
    """Over the columns of ``relation``."""
    keys: dict[str, str]
    """Columns that were grouped by, and what became of them."""


def is_grouped(select: exp.Select, expressions: Sequence[Expr]) -> bool:
    return select.args.get("group") is not None or any(aggregates_in(e) for e in expressions)


def grouped(
    relation: Relation,
    group: Expr | None,
    expressions: Sequence[Expr],
    items: Sequence[Expr],
    names: Names,
    domain: Domain | None = None,
    fixed: Sequence[str] = (),
) -> Grouped:
    """``expressions`` over the groups, which are made apart for each value of the columns ``fixed``."""
    keys, sets = _keys(group, items)
    measures: list[Expr] = []
    for aggregate in (a for e in expressions for a in aggregates_in(e)):
        if aggregate not in measures and not _is_grouping_function(aggregate):
            measures.append(aggregate)
    apart: dict[str, str] = {column: column for column in fixed}
    guard = None
    if domain is not None and not keys and sets is None:
        relation, apart, guard = _with_each_value(relation, domain, fixed, names)
    key_items = [(names.new(), key) for key in (*keys, *map(column_of, apart.values()))]
    measure_items = [(names.new(), measure) for measure in measures]
    guarded = [(column, _guarded(measure, guard)) for column, measure in measure_items]
    expressions = [with_columns(e, apart) for e in expressions]
    if sets is None:
        aggregate_: Relation = Aggregate(relation, tuple(key_items), tuple(guarded))
        over = [*key_items, *measure_items]
    else:
        always = tuple(range(len(keys), len(key_items)))
        every = [(*chosen, *always) for chosen in sets]
        functions = _grouping_functions(expressions, names)
        aggregate_ = _expanded(relation, key_items, guarded, functions, every, keys, names)
        over = [*key_items, *measure_items, *functions]
    became = {key.name: column for column, key in key_items if isinstance(key, exp.Column)}
    became |= {column: became[there] for column, there in apart.items()}
    return Grouped(aggregate_, [replaced(e, over) for e in expressions], became)


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


def _keys(group: Expr | None, items: Sequence[Expr]) -> tuple[Keys, GroupingSets | None]:
    if group is None:
        return [], None
    if group.args.get("all"):
        return [item for item in items if not aggregates_in(item)], None
    if group.args.get("totals"):
        raise NoRule(Unsupported.WITH_TOTALS)
    behind = [node for kind in ("rollup", "cube", "grouping_sets") for node in group.args.get(kind) or ()]
    plain = [part for node in group.expressions if not isinstance(node, _SETS) for part in _parts(node)]
    if behind:
        (node,) = behind
        if not node.expressions:
            node = type(node)(expressions=plain)
        return _positions(plain, _sets_of(node))
    if len(plain) >= len(group.expressions) and not any(isinstance(e, _SETS) for e in group.expressions):
        return plain, None
    factors = [_sets_of(node) for node in group.expressions]
    listed = [part for sets in factors for part in _joined(sets)]
    return _positions(listed, [_joined(sets) for sets in product(*factors)])


def _positions(listed: Keys, sets: list[Keys]) -> tuple[Keys, GroupingSets]:
    keys: Keys = []
    for part in [*listed, *_joined(sets)]:
        if part not in keys:
            keys.append(part)
    return keys, [tuple(dict.fromkeys(keys.index(part) for part in chosen)) for chosen in sets]


def _sets_of(node: Expr) -> list[Keys]:
    elements = [_parts(e) for e in node.expressions] if isinstance(node, exp.Rollup | exp.Cube) else []
    match node:
        case exp.Rollup():
            return [_joined(elements[:size]) for size in range(len(elements), -1, -1)]
        case exp.Cube():
            sizes = range(len(elements), -1, -1)
            return [_joined(chosen) for size in sizes for chosen in combinations(elements, size)]
        case exp.GroupingSets():
            return [chosen for element in node.expressions for chosen in _sets_of(element)]
    return [_parts(node)]


def _parts(node: Expr) -> Keys:
    return list(node.expressions) if isinstance(node, exp.Tuple) else [node.unnest()]


def _joined(elements: Sequence[Keys]) -> Keys:
    return [part for element in elements for part in element]


def _with_each_value(
    relation: Relation, domain: Domain, fixed: Sequence[str], names: Names
) -> tuple[Relation, dict[str, str], str]:
    """Every value of the domain, its rows beside it, or NULLs; and the column that is NULL only then."""
    again, guard = domain.again(names), names.new()
    columns = tuple((column, column_of(column)) for column in relation.columns)
    marked = Project(relation, (*columns, (guard, exp.convert(1))))
    apart = dict(zip(fixed, again.relation.columns, strict=True))
    same = [exp.NullSafeEQ(this=column_of(n), expression=column_of(o)) for o, n in apart.items()]
    return Join(again.relation, marked, JoinKind.LEFT, exp.and_(*same)), apart, guard


def _guarded(measure: Expr, guard: str | None) -> Expr:
    if guard is None:
        return measure
    there: Expr = exp.not_(exp.Is(this=column_of(guard), expression=exp.null()))
    if isinstance(measure, exp.Filter):
        there = exp.and_(there, measure.expression.this.copy())
        measure = measure.this
    return exp.Filter(this=measure.copy(), expression=exp.Where(this=there))


def _is_grouping_function(aggregate: Expr) -> bool:
    name = aggregate.name if isinstance(aggregate, exp.Anonymous) else aggregate.key
    return name.lower() in ("grouping", "grouping_id", "groupingid")


def _grouping_functions(expressions: Sequence[Expr], names: Names) -> list[Item]:
    found: list[Item] = []
    for node in (node for e in expressions for node in e.find_all(exp.Func) if _is_grouping_function(node)):
        if all(node != known for _, known in found):
            found.append((names.new(), node))
    return found


def _expanded(
    relation: Relation,
    keys: list[Item],
    measures: list[Item],
    functions: list[Item],
    sets: GroupingSets,
    all_keys: Keys,
    names: Names,
) -> Aggregate:
    """One grouping of the rows once for each set, by its number, too; keys outside the set are NULL.

    No rows make no group at all, not even for the set without keys. Measures see the keys as they were.
    """
    used = {column.name: names.new() for _, m in measures for column in m.find_all(exp.Column)}
    parts = []
    for number, chosen in enumerate(sets):
        present = [keys[place][1] for place in chosen]
        shown = [key if place in chosen else _null_of(key) for place, (_, key) in enumerate(keys)]
        flags = [_grouping_value(node, all_keys, present) for _, node in functions]
        items = [*shown, *flags, exp.convert(number), *map(column_of, used)]
        parts.append(Project(relation, tuple((names.new(), item) for item in items)))
    grouped_by = [column for column, _ in (*keys, *functions)] + [names.new()]
    inner = [names.new() for _ in grouped_by]
    expanded = UnionAll(tuple(parts), (*inner, *used.values()))
    return Aggregate(
        expanded,
        tuple((column, column_of(name)) for column, name in zip(grouped_by, inner, strict=True)),
        tuple((column, with_columns(measure, used)) for column, measure in measures),
    )


def _null_of(key: Expr) -> Expr:
    """NULL of the type of the key."""
    return exp.If(this=exp.false(), true=key.copy(), false=exp.null())


def _grouping_value(node: Expr, keys: Keys, present: Sequence[Expr]) -> Expr:
    """``grouping(k)`` is 1 where k is not in the set; ``grouping_id(...)`` has a bit for each argument."""
    arguments = list(node.expressions or ([node.this] if isinstance(node.this, exp.Expr) else []))
    bits = [0 if key in present else 1 for key in arguments or keys]
    number = exp.convert(int("".join(map(str, bits)), 2))
    return exp.cast(number, "tinyint" if isinstance(node, exp.Grouping) else "bigint")
