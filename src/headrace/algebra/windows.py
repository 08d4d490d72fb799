"""Window functions in a select list: one operator for all functions with the same PARTITION BY."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headrace.algebra.expressions import Expr, Item, column_of
from headrace.algebra.generators import replaced
from headrace.algebra.names import Names
from headrace.algebra.operators.window import Window
from headrace.algebra.relation import Relation
from headrace.algebra.unsupported import NoRule, Unsupported


def with_windows(
    relation: Relation, expressions: Sequence[Expr], names: Names, fixed: Sequence[str] = ()
) -> tuple[Relation, list[Expr]]:
    """The windows, computed apart for each value of the columns ``fixed``, and the expressions over them."""
    by_partition: list[tuple[tuple[Expr, ...], list[Item]]] = []
    computed: list[Item] = []
    for window in (w for e in expressions for w in e.find_all(exp.Window)):
        if any(window == known for _, known in computed):
            continue
        apart = _partitioned_also_by(window, fixed)
        partition = tuple(apart.args.get("partition_by") or ())
        items = next((items for p, items in by_partition if p == partition), None)
        if items is None:
            by_partition.append((partition, items := []))
        column = names.new()
        items.append((column, apart))
        computed.append((column, window))
    for partition, items in by_partition:
        relation = Window(relation, partition, tuple(items))
    return relation, [replaced(e, computed) for e in expressions]


def with_named_windows(expression: Expr, named: Sequence[Expr]) -> Expr:
    """``OVER w`` and ``OVER (w ORDER BY x)`` with what the WINDOW clause says of w."""
    definitions = {window.this.name.lower(): window for window in named}

    def write(node: Expr) -> Expr:
        return _defined(node, definitions) if isinstance(node, exp.Window) else node

    return expression.copy().transform(write) if definitions else expression


def _defined(window: exp.Window, definitions: dict[str, Expr]) -> exp.Window:
    written = window.copy()
    name = window.args.get("alias")
    depth = 0
    while name is not None:
        definition = definitions.get(name.name.lower())
        depth += 1
        if definition is None or depth > len(definitions):
            raise NoRule(Unsupported.WINDOW_NAME, name=name.name)
        for part in ("partition_by", "order", "spec"):
            if not written.args.get(part) and definition.args.get(part):
                given = definition.args[part]
                written.set(part, [e.copy() for e in given] if isinstance(given, list) else given.copy())
        name = definition.args.get("alias")
    written.set("alias", None)
    return written


def _partitioned_also_by(window: exp.Window, fixed: Sequence[str]) -> exp.Window:
    if not fixed:
        return window
    apart = window.copy()
    apart.set("partition_by", [*(window.args.get("partition_by") or ()), *map(column_of, fixed)])
    return apart
