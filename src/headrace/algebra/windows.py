"""Window functions and generators in a select list."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headrace.algebra.names import Names, column_of
from headrace.algebra.relation import Expr, Generate, Item, Relation, Window
from headrace.algebra.unsupported import NoRule

_GENERATORS = (exp.Explode, exp.Posexplode, exp.Inline)
_OTHER_GENERATORS = frozenset({"stack", "json_tuple", "inline_outer", "posexplode_outer", "variant_explode"})


def with_windows(
    relation: Relation, expressions: Sequence[Expr], names: Names
) -> tuple[Relation, list[Expr]]:
    """One operator for all functions with the same PARTITION BY."""
    by_partition: list[tuple[tuple[Expr, ...], list[Item]]] = []
    for window in (w for e in expressions for w in e.find_all(exp.Window)):
        if window.args.get("alias") is not None:
            raise NoRule("WINDOW", "named windows are not followed", "write the window after OVER")
        partition = tuple(window.args.get("partition_by") or ())
        items = next((items for p, items in by_partition if p == partition), None)
        if items is None:
            by_partition.append((partition, items := []))
        if all(window != known for _, known in items):
            items.append((names.new(), window))
    for partition, items in by_partition:
        relation = Window(relation, partition, tuple(items))
    computed = [item for _, items in by_partition for item in items]
    return relation, [_replaced(e, computed) for e in expressions]


def with_generators(
    relation: Relation, expressions: Sequence[Expr], names: Names
) -> tuple[Relation, list[Expr]]:
    """``explode`` in a select list is a LATERAL VIEW."""
    items: list[Item] = []
    for generator in (g for e in expressions for g in e.find_all(exp.Func) if _generates(g)):
        if not isinstance(generator, exp.Explode):
            raise NoRule(
                generator.sql("spark"), "there is no rule for it in a select list", "use LATERAL VIEW"
            )
        column = names.new()
        relation = Generate(relation, generator, False, (column,))
        items.append((column, generator))
    return relation, [_replaced(e, items) for e in expressions]


def _generates(node: Expr) -> bool:
    named = isinstance(node, exp.Anonymous) and node.name.lower() in _OTHER_GENERATORS
    return named or isinstance(node, _GENERATORS)


def _replaced(expression: Expr, items: Sequence[Item]) -> Expr:
    def replace(node: Expr) -> Expr:
        return next((column_of(column) for column, computed in items if node == computed), node)

    return expression.copy().transform(replace)
