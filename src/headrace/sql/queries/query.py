"""What a query reads, calls and returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from headrace.sql.queries.dialect import parse_query_tokens, table_queries
from headrace.sql.queries.outputs import OutputColumn, read_outputs
from headrace.sql.queries.references import TableReference, table_references
from headrace.sql.spark.functions import (
    FunctionCall,
    SessionConfig,
    clock_strings,
    function_calls,
    metadata_columns,
    order_dependent,
    parameter_markers,
    session_configs,
)
from headrace.sql.tokens.lexer import Token, tokenize
from headrace.sql.tokens.positions import Span


@dataclass(frozen=True)
class QueryFacts:
    tables: tuple[TableReference, ...]
    """Each occurrence on its own, in the order of the text."""
    functions: tuple[FunctionCall, ...]
    outputs: tuple[OutputColumn, ...]
    """Of the whole query; a set operation takes its names from the first branch."""
    order_dependent: tuple[FunctionCall, ...]
    parameters: tuple[Span, ...]
    session_configs: tuple[SessionConfig, ...]
    samples: tuple[Span, ...]
    """Each TABLESAMPLE, of subqueries too."""
    clock_strings: tuple[Span, ...]
    """Strings that Spark may read the clock for."""
    table_queries: tuple[Span, ...]
    """Each TABLE that means ``SELECT * FROM``."""
    metadata_columns: tuple[Token, ...]
    """Names of columns that Iceberg adds to every table."""
    has_limit: bool
    """LIMIT or OFFSET at the top."""
    has_order_by: bool


def read_query(text: str) -> QueryFacts:
    """Facts about a query, or SqlSyntaxError where it cannot be read."""
    tokens = tokenize(text)
    tree = parse_query_tokens(text, tokens)
    calls = function_calls(tokens, set(_name_offsets(tree)))
    return QueryFacts(
        tables=table_references(text, tree, tokens),
        functions=calls,
        outputs=read_outputs(tree, tokens),
        order_dependent=order_dependent(calls),
        parameters=parameter_markers(tokens),
        session_configs=session_configs(tokens),
        samples=tuple(token.span for token in tokens if token.upper == "TABLESAMPLE"),
        clock_strings=clock_strings(tokens),
        table_queries=tuple(table_queries(tokens)),
        metadata_columns=metadata_columns(tokens),
        has_limit=any(_limits(level) for level in _top_levels(tree)),
        has_order_by=any(level.args.get("order") is not None for level in _top_levels(tree)),
    )


def _top_levels(tree: exp.Expr) -> Iterator[exp.Expr]:
    """The query itself, inside and outside of parentheses around the whole of it."""
    level: exp.Expr = tree
    yield level
    while isinstance(level, exp.Subquery):
        level = level.this
        yield level


def _limits(level: exp.Expr) -> bool:
    limit = level.args.get("limit")
    limits_all = isinstance(limit, exp.Limit) and limit.expression.name.upper() == "ALL"
    return (limit is not None and not limits_all) or level.args.get("offset") is not None


def _name_offsets(tree: exp.Expr) -> Iterator[int]:
    """Where identifiers stand that name tables, aliases and their columns."""
    for node in tree.find_all(exp.Table, exp.Alias, exp.Aliases, exp.TableAlias):
        for identifier in _naming_identifiers(node):
            if "start" in identifier.meta:
                yield identifier.meta["start"]


def _naming_identifiers(node: exp.Expr) -> Iterator[exp.Expr]:
    match node:
        case exp.Table():
            yield from (part for part in node.parts if isinstance(part, exp.Identifier))
        case exp.TableAlias():
            yield from node.find_all(exp.Identifier)
        case exp.Alias():
            alias = node.args.get("alias")
            if isinstance(alias, exp.Identifier):
                yield alias
        case exp.Aliases():
            yield from (alias for alias in node.aliases if isinstance(alias, exp.Expr))
