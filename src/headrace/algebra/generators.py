"""Functions that make rows: in a select list, after LATERAL VIEW, and after LATERAL in FROM.

``SELECT a, explode(xs) FROM t`` is ``SELECT a, col FROM t LATERAL VIEW explode(xs) AS col``. How many columns
come out is determined by the names that the query gives them, else by the arguments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from headrace.algebra.expressions import Expr, Item, column_of
from headrace.algebra.names import Names
from headrace.algebra.operators.generate import Generate
from headrace.algebra.relation import Relation
from headrace.algebra.unsupported import NoRule, Unsupported

_KNOWN = (exp.Explode, exp.Posexplode, exp.Inline, exp.Stack)
_NAMED = frozenset({"json_tuple", "inline_outer", "variant_explode", "variant_explode_outer", "stack"})
_ARRAYS = (exp.Array, exp.Split, exp.GenerateSeries, exp.ArrayAgg)
_MAPS = (exp.Map, exp.VarMap, exp.StrToMap)
_NO_ALIAS = re.compile(r"_col_\d+")


@dataclass(frozen=True)
class SelectItem:
    """An item of a select list and the columns it makes."""

    expression: Expr
    outputs: tuple[str, ...]


def select_item(item: Expr) -> SelectItem:
    expression = item.this if isinstance(item, exp.Alias | exp.Aliases) else item
    if isinstance(item, exp.Aliases):
        return SelectItem(expression, tuple(alias.name for alias in item.aliases))
    if is_generator(expression) and _NO_ALIAS.fullmatch(item.alias_or_name):
        return SelectItem(expression, default_names(expression, frozenset()))
    return SelectItem(expression, (item.alias_or_name,))


def is_generator(node: Expr) -> bool:
    return isinstance(node, _KNOWN) or _name(node) in _NAMED


def default_names(generator: Expr, referred: frozenset[str]) -> tuple[str, ...]:
    """The names Spark gives; ``referred`` are names, in lower case, that the query uses for them."""
    match generator:
        case exp.Explode() | exp.Posexplode():
            columns = _exploded(generator.this, referred)
            return ("pos", *columns) if isinstance(generator, exp.Posexplode) else columns
        case exp.Stack():
            rows = generator.this.name
            if rows.isdigit() and int(rows):
                return tuple(f"col{n}" for n in range(-(-len(generator.expressions) // int(rows))))
    if _name(generator) == "json_tuple":
        return tuple(f"c{n}" for n in range(len(generator.expressions) - 1))
    raise _unnamed(generator)


def _exploded(argument: Expr, referred: frozenset[str]) -> tuple[str, ...]:
    if isinstance(argument, _MAPS) or referred & {"key", "value"}:
        return ("key", "value")
    if isinstance(argument, _ARRAYS) or "col" in referred:
        return ("col",)
    raise _unnamed(argument)


def _unnamed(node: Expr) -> NoRule:
    return NoRule(Unsupported.GENERATED_COLUMNS, generator=node.sql("spark"))


def _name(node: Expr) -> str:
    return node.name.lower() if isinstance(node, exp.Anonymous) else ""


def with_generators(
    relation: Relation, items: Sequence[SelectItem], names: Names
) -> tuple[Relation, list[Expr]]:
    """One expression for each output."""
    made: list[Item] = []
    outputs: list[Expr] = []
    for item in items:
        expression = item.expression
        if is_generator(expression):
            columns = tuple(names.new() for _ in item.outputs)
            relation = Generate(relation, expression, False, columns)
            outputs += [column_of(column) for column in columns]
            continue
        for generator in [g for g in expression.find_all(exp.Func) if is_generator(g)]:
            column = names.new()
            relation = Generate(relation, generator, False, (column,))
            made.append((column, generator))
        outputs.append(replaced(expression, made))
    return relation, outputs


def replaced(expression: Expr, items: Sequence[Item]) -> Expr:
    """The expression over columns that hold some of its parts."""

    def replace(node: Expr) -> Expr:
        return next((column_of(column) for column, computed in items if node == computed), node)

    return expression.copy().transform(replace)
