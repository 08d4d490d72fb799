"""Statements about tables and schemas, which tell what there is without reading it."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

import pyarrow as pa

from headrace.commands.hidden import possible_tables
from headrace.commands.statement_context import StatementContext
from headrace.errors import NotFound
from headrace.lake.session import LakeSession
from headrace.lake.spark.spark_rows import SparkRows
from headrace.model.names import HIDDEN_SCHEMAS, TableName
from headrace.result import LocalRows, Result, Rows
from headrace.sql.parsed import ParsedStatement
from headrace.sql.queries.hiding import is_hidden, visible
from headrace.sql.spark.effects import EffectKind
from headrace.sql.tokens.dotted_name import dotted_parts
from headrace.sql.tokens.lexer import Tokens, words_of
from headrace.sql.tokens.positions import place_of
from headrace.sql.tokens.targets import read_target

_HIDDEN_LINE = re.compile(r"^ \|-- __hr_[^\n]*\n(?: \|    [^\n]*\n)*", re.MULTILINE | re.IGNORECASE)


def refuse_hidden_column(statement: ParsedStatement, context: StatementContext) -> None:
    """``DESC table column``, which is no query; Spark would propose hidden ones for a column it misses."""
    tokens = statement.tokens
    if words_of(tokens[:1]) not in (["DESC"], ["DESCRIBE"]):
        return
    start = 1
    while words_of(tokens[start : start + 1]) in (["TABLE"], ["EXTENDED"], ["FORMATTED"]):
        start += 1
    asked = read_target(tokens[start:], tokens[0].span)[2]
    columns = _columns_of(*_target(tokens[start:]), context)
    if columns is None or not asked or not asked[0].is_name or words_of(asked[:1]) == ["PARTITION"]:
        return
    if asked[0].value.lower() not in (column.lower() for column in visible(columns)):
        raise NotFound(
            f"column {asked[0].value} does not exist",
            hint=f"columns here include {', '.join(visible(columns))}",
            place=place_of(statement.text, asked[0].span),
        )


def visible_answer(statement: ParsedStatement, rows: SparkRows, context: StatementContext) -> Rows:
    """``rows`` as Spark answers, without what they tell of hidden columns."""
    tokens = statement.tokens
    answer: Rows = rows
    match words_of(tokens[:3]):
        case ["SHOW" | "EXECUTE", *_] if [name for name, _ in rows.types] == ["namespace"]:
            answer = _changed(rows, lambda row: None if row["namespace"] in HIDDEN_SCHEMAS else row)
        case ["SHOW", "COLUMNS", _]:
            if _columns_of(*_target(tokens[3:]), context) is not None:
                answer = _changed(rows, lambda row: None if is_hidden(row["col_name"]) else row)
        case ["SHOW", "TABLE", "EXTENDED"]:
            answer = _changed(rows, lambda row: _told_less(row, context))
        case ["CALL", *_]:
            _narrow_changelog(statement, rows, context)
    return answer


def _target(tokens: Tokens) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The table, and the schema if one follows: ``dt IN s``."""
    if not tokens:
        return (), ()
    parts, _, rest = read_target(tokens, tokens[0].span)
    within = words_of(rest[:1]) in (["IN"], ["FROM"])
    schema = read_target(rest[1:], tokens[0].span)[0] if within else None
    return parts or (), schema or ()


def _columns_of(
    parts: tuple[str, ...], schema: tuple[str, ...], context: StatementContext
) -> tuple[str, ...] | None:
    """Of a dynamic table with hidden columns; None of anything else."""
    with suppress(NotFound):
        for name in possible_tables((*schema, *parts), context.session):
            table = context.session.catalog.table(name) if context.lake.store.definitions.find(name) else None
            if table is not None and any(map(is_hidden, table.columns)):
                return table.columns
    return None


_Row = dict[str, str]


def _changed(rows: SparkRows, change: Callable[[_Row], _Row | None]) -> Rows:
    table = rows.arrow()
    before = table.to_pylist()
    after = [row for row in map(change, before) if row is not None]
    return rows if after == before else LocalRows(pa.Table.from_pylist(after, schema=table.schema))


def _told_less(row: _Row, context: StatementContext) -> _Row:
    if row["isTemporary"] or context.lake.store.definitions.find(_shown_table(row, context.session)) is None:
        return row
    return row | {"information": _HIDDEN_LINE.sub("", row["information"])}


def _shown_table(row: _Row, session: LakeSession) -> TableName:
    return TableName(session.workspace, row["namespace"] or session.schema, row["tableName"])


def _narrow_changelog(statement: ParsedStatement, rows: SparkRows, context: StatementContext) -> None:
    """Iceberg's create_changelog_view makes a temporary view of all columns."""
    for effect in statement.effects:
        if effect.kind is EffectKind.CALL and (effect.target or ("",))[-1].lower() == "create_changelog_view":
            named = [dotted_parts(argument.value or "") or () for argument in effect.arguments]
            if any(_columns_of(parts, (), context) is not None for parts in named):
                ((view,),) = Result(rows).fetchall()
                context.session.narrow_view(view, is_hidden)
