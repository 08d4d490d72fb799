"""Columns that a query returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from headrace.sql.tokens.lexer import Kind, Tokens
from headrace.sql.tokens.positions import Span
from headrace.sql.tokens.targets import after_parentheses, split_at_commas


@dataclass(frozen=True)
class OutputColumn:
    name: str | None
    """None for a star, and for an expression that has neither an alias nor a column's name."""
    is_star: bool
    span: Span


def read_outputs(tree: exp.Expr, tokens: Tokens) -> tuple[OutputColumn, ...]:
    branch = _first_branch(tree)
    whole = tokens[0].span.to(tokens[-1].span)
    if isinstance(branch, exp.Values):
        return tuple(OutputColumn(name, False, whole) for name in _values_names(branch))
    if not isinstance(branch, exp.Select):
        return (OutputColumn(None, True, whole),)
    spans = [part[0].span.to(part[-1].span) for part in _projection(tokens) if part]
    if len(spans) != len(branch.expressions):
        spans = [whole] * len(branch.expressions)
    return tuple(
        output
        for expression, span in zip(branch.expressions, spans, strict=True)
        for output in _outputs(expression, span)
    )


def _first_branch(tree: exp.Expr) -> exp.Expr:
    while isinstance(tree, exp.SetOperation | exp.Subquery):
        tree = tree.this
    return tree


def _outputs(expression: exp.Expr, span: Span) -> Iterator[OutputColumn]:
    if isinstance(expression, exp.Aliases):
        yield from (OutputColumn(alias.name, False, span) for alias in expression.aliases)
    elif expression.is_star and not isinstance(expression, exp.Func):
        yield OutputColumn(None, True, span)
    else:
        yield OutputColumn(_name(expression), False, span)


def _name(expression: exp.Expr) -> str | None:
    match expression:
        case exp.Alias():
            return expression.alias
        case exp.Column():
            return expression.name
        case exp.Dot() if isinstance(expression.expression, exp.Identifier):
            return expression.expression.name
        case exp.Paren():
            return _name(expression.this)
        case _:
            return None


def _values_names(values: exp.Values) -> list[str]:
    alias = values.args.get("alias")
    if isinstance(alias, exp.TableAlias) and alias.columns:
        return [column.name for column in alias.columns]
    first = values.expressions[0]
    width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
    return [f"col{number}" for number in range(1, width + 1)]


_AFTER_PROJECTION = frozenset(
    {"FROM", "WHERE", "GROUP", "HAVING", "UNION", "EXCEPT", "INTERSECT", "MINUS", "ORDER", "LIMIT", "OFFSET"}
    | {"LATERAL", "CLUSTER", "DISTRIBUTE", "SORT", "WINDOW", "QUALIFY", "|>", ")"}
)


def _projection(tokens: Tokens) -> Iterator[Tokens]:
    """What the first SELECT outside any subquery lists, split at its commas."""
    tokens = tokens[_select(tokens) + 1 :]
    while tokens and (tokens[0].kind is Kind.HINT or tokens[0].upper in ("DISTINCT", "ALL")):
        tokens = tokens[1:]
    end = depth = 0
    while end < len(tokens) and (depth or not _ends_projection(tokens, end)):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(tokens[end].upper, 0)
        end += 1
    yield from split_at_commas(tokens[:end])


def _ends_projection(tokens: Tokens, index: int) -> bool:
    previous = tokens[index - 1].upper if index else ""
    if tokens[index].upper == "EXCEPT" and previous == "*":
        return False
    return tokens[index].upper in _AFTER_PROJECTION and previous not in ("DISTINCT", "WITHIN", ".", "AS")


def _select(tokens: Tokens) -> int:
    """Index of that SELECT: past WITH lists, FROM clauses and the parentheses around the query."""
    index = 0
    opens_query = True
    while index < len(tokens) and tokens[index].upper != "SELECT":
        if tokens[index].upper == "(" and not opens_query:
            index = after_parentheses(tokens, index)
            opens_query = _follows_ctes(tokens, index)
            continue
        opens_query = tokens[index].upper == "(" and opens_query
        index += 1
    return index


def _follows_ctes(tokens: Tokens, index: int) -> bool:
    return index < len(tokens) and tokens[index].upper == "("
