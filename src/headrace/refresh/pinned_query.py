"""A definition's query at chosen source versions: the user's own text, names replaced and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from headrace.lake.table.pin import Field, is_subquery, pinned
from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import Definition
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier
from headrace.sql.queries.query import read_query
from headrace.sql.queries.shorten import shortened_columns
from headrace.sql.spark.determinism import CURRENT_DATE, builtin_name
from headrace.sql.spark.functions import FunctionCall
from headrace.sql.tokens.positions import Span, splice

_EMPTY_PARENTHESES = re.compile(r"\s*\(\s*\)")


@dataclass(frozen=True)
class SourceVersion:
    snapshot_id: int | None
    written: tuple[Field, ...]
    """The schema that reading the snapshot gives."""
    fields: tuple[Field, ...]
    """The schema that the table had at that moment."""


def current_version(table: Table) -> SourceVersion:
    return SourceVersion(table.version.snapshot_id, table.snapshot_fields, table.fields)


def pinned_query(
    definition: Definition, versions: Mapping[TableName, SourceVersion], today: date | None
) -> str:
    """``today`` is what current_date gives; None where the query does not ask."""
    facts = read_query(definition.expanded)
    wanted = {source.name: source.columns for source in definition.sources}
    replacements, renamed = [], set()
    for reference in facts.tables:
        name = TableName(*reference.parts)
        at = versions[name]
        sql = pinned(name, at.snapshot_id, at.written, at.fields, wanted[name])
        if is_subquery(sql) and reference.alias is None:
            sql += f" AS {quote_identifier(name.table)}"
            renamed.add(name)
        replacements.append((reference.span, sql))
    replacements += shortened_columns(definition.expanded, facts.tables, renamed)
    if definition.uses_current_date:
        replacements += [(span, f"DATE '{today}'") for span in _current_dates(definition, facts.functions)]
    return splice(definition.expanded, replacements)


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
