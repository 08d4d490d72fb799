"""Tables and views that a query reads, CTE names left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from headrace.errors import SqlSyntaxError
from headrace.sql.tokens.lexer import Tokens
from headrace.sql.tokens.positions import Span, place_of
from headrace.sql.tokens.targets import read_target


@dataclass(frozen=True)
class TableReference:
    parts: tuple[str, ...]
    span: Span
    """Of the name, backticks included."""
    alias: str | None = None
    has_time_travel: bool = False
    sampled: bool = False


def table_references(text: str, tree: exp.Expr, tokens: Tokens) -> tuple[TableReference, ...]:
    found = (_reference(text, table, tokens) for table in _tables(tree))
    return tuple(sorted((table for table in found if table), key=lambda table: table.span))


def _tables(tree: exp.Expr) -> Iterator[exp.Table]:
    """Table nodes that no CTE in sight answers for."""
    pending: list[tuple[exp.Expr, frozenset[str]]] = [(tree, frozenset())]
    while pending:
        node, ctes = pending.pop()
        with_ = node.args.get("with_")
        if isinstance(with_, exp.With):
            for cte in with_.expressions:
                name = cte.alias.lower()
                pending.append((cte.this, ctes | {name} if with_.recursive else ctes))
                ctes = ctes | {name}
        if isinstance(node, exp.Table) and not _is_cte(node, ctes):
            yield node
        if not isinstance(node, exp.Hint):
            pending += [(child, ctes) for child in node.iter_expressions() if child is not with_]


def _is_cte(table: exp.Table, ctes: frozenset[str]) -> bool:
    return len(table.parts) == 1 and isinstance(table.this, exp.Identifier) and table.name.lower() in ctes


def _reference(text: str, table: exp.Table, tokens: Tokens) -> TableReference | None:
    named = _dynamic_name(text, table, tokens) if isinstance(table.this, exp.Func) else _plain_name(table)
    if named is None:
        return None
    parts, span = named
    return TableReference(
        parts=parts,
        span=span,
        alias=table.alias or None,
        has_time_travel=table.args.get("version") is not None or table.args.get("when") is not None,
        sampled=table.args.get("sample") is not None,
    )


def _plain_name(table: exp.Table) -> tuple[tuple[str, ...], Span] | None:
    parts = table.parts
    if not all(isinstance(part, exp.Identifier) for part in parts):
        return None
    if any("start" not in part.meta for part in parts):
        raise SqlSyntaxError(
            f"the name {table.sql()} cannot be found in the query", hint="put it in backticks"
        )
    return tuple(part.name for part in parts), Span(parts[0].meta["start"], parts[-1].meta["end"] + 1)


def _dynamic_name(text: str, table: exp.Table, tokens: Tokens) -> tuple[tuple[str, ...], Span] | None:
    """``IDENTIFIER('a.b')``; None for the table functions."""
    if not isinstance(table.this, exp.Anonymous) or table.this.name.upper() != "IDENTIFIER":
        return None
    start = _token_index(tokens, table.this)
    target, span, _ = read_target(tokens[start:], tokens[start].span)
    if target is None:
        message = "the table name must be a string literal"
        raise SqlSyntaxError(message, hint="IDENTIFIER('schema.table')", place=place_of(text, span))
    return target, span


def _token_index(tokens: Tokens, node: exp.Expr) -> int:
    offset = node.meta["start"]
    return next(index for index, token in enumerate(tokens) if token.span.start == offset)
