"""A definition's query at chosen source versions: the user's own text, names replaced and nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date

from headrace.lake.pin import is_subquery, pinned
from headrace.lake.tables import Table
from headrace.model.dynamic_table import Definition
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier
from headrace.sql.determinism import CURRENT_DATE, builtin_name
from headrace.sql.functions import FunctionCall
from headrace.sql.lexer import Token, tokenize
from headrace.sql.query import read_query
from headrace.sql.references import TableReference
from headrace.sql.text import Span, splice

_EMPTY_PARENTHESES = re.compile(r"\s*\(\s*\)")


def pinned_query(definition: Definition, tables: Mapping[TableName, Table], today: date) -> str:
    facts = read_query(definition.expanded)
    wanted = {source.name: source.columns for source in definition.sources}
    replacements, renamed = [], set()
    for reference in facts.tables:
        table = tables[TableName(*reference.parts)]
        sql = pinned(
            table.name, table.version.snapshot_id, table.snapshot_fields, table.fields, wanted[table.name]
        )
        if is_subquery(sql) and reference.alias is None:
            sql += f" AS {quote_identifier(table.name.table)}"
            renamed.add(table.name)
        replacements.append((reference.span, sql))
    replacements += _shortened_columns(definition.expanded, facts.tables, renamed)
    if definition.uses_current_date:
        replacements += [(span, f"DATE '{today}'") for span in _current_dates(definition, facts.functions)]
    return splice(definition.expanded, replacements)


def _shortened_columns(
    text: str, references: tuple[TableReference, ...], renamed: Collection[TableName]
) -> Iterator[tuple[Span, str]]:
    """``schema.table.column`` where the table became a subquery, whose alias has one part only."""
    prefixes = {
        tuple(part.lower() for part in parts): quote_identifier(name.table)
        for name in renamed
        for parts in ((name.workspace, name.schema, name.table), (name.schema, name.table))
    }
    tables = {reference.span.start for reference in references}
    for chain in _dotted_names(tokenize(text)) if prefixes else ():
        for length in (3, 2):
            alias = prefixes.get(tuple(token.value.lower() for token in chain[:length]))
            if alias is not None and len(chain) > length and chain[0].span.start not in tables:
                yield chain[0].span.to(chain[length - 1].span), alias
                break


def _dotted_names(tokens: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
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


def _current_dates(definition: Definition, calls: tuple[FunctionCall, ...]) -> Iterator[Span]:
    """Calls of current_date, parentheses included."""
    columns = {column.lower() for source in definition.sources for column in source.columns}
    for call in calls:
        if builtin_name(call) not in CURRENT_DATE or (call.parenless and call.name in columns):
            continue
        written = call.span.of(definition.expanded).lower().split(".")[-1].strip("`")
        if written not in CURRENT_DATE:
            continue
        parentheses = _EMPTY_PARENTHESES.match(definition.expanded, call.span.end)
        yield Span(call.span.start, parentheses.end() if parentheses else call.span.end)
