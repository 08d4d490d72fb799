"""Columns named with their table's schema, where the table has become a subquery."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier
from headrace.sql.queries.references import TableReference
from headrace.sql.tokens.lexer import Token, Tokens, tokenize
from headrace.sql.tokens.positions import Edit


def shortened_columns(
    text: str, references: tuple[TableReference, ...], subqueries: Collection[TableName]
) -> Iterator[Edit]:
    """``schema.table.`` before a column as ``table.``: the alias of a subquery has one part only."""
    paths: dict[tuple[str, ...], str] = {
        (name.workspace, name.schema, name.table): name.table for name in subqueries
    }
    return shortened_paths(tokenize(text), {reference.span.start for reference in references}, paths)


def shortened_paths(
    tokens: Tokens, relations: Collection[int], aliases: Mapping[tuple[str, ...], str]
) -> Iterator[Edit]:
    """The same for any aliases, by the full path of the table; ``relations`` are where tables are named."""
    prefixes = {
        tuple(part.lower() for part in path[start:]): quote_identifier(alias)
        for path, alias in aliases.items()
        for start in range(len(path) - 1)
    }
    lengths = sorted({len(prefix) for prefix in prefixes}, reverse=True)
    for chain in dotted_names(tokens) if prefixes else ():
        for length in lengths:
            alias = prefixes.get(tuple(token.value.lower() for token in chain[:length]))
            if alias is not None and len(chain) > length and chain[0].span.start not in relations:
                yield chain[0].span.to(chain[length - 1].span), alias
                break


def dotted_names(tokens: Tokens) -> Iterator[tuple[Token, ...]]:
    """Chains such as ``a.b.c`` and ``a.*``, but not the names of functions."""
    position = 0
    while position < len(tokens):
        end = position + 1
        if tokens[position].is_name:
            while end + 1 < len(tokens) and tokens[end].text == "." and _continues(tokens[end + 1]):
                end += 2
            if end == len(tokens) or tokens[end].text != "(":
                yield tokens[position:end:2]
        position = end


def _continues(token: Token) -> bool:
    return token.is_name or token.text == "*"
