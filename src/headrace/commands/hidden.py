"""Columns that Headrace keeps in a dynamic table for itself: no statement of the user's sees them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress

from headrace.commands.statement_context import StatementContext
from headrace.errors import Error, NotFound
from headrace.lake.session import LakeSession, Parameters
from headrace.lake.spark.spark_rows import SparkRows
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier, quote_string
from headrace.result import Result
from headrace.sql.parsed import ParsedStatement
from headrace.sql.queries.hiding import Narrowed, is_hidden, narrowed, visible
from headrace.sql.spark.effects import EffectKind
from headrace.sql.spark.functions import parameter_markers
from headrace.sql.spark.relations import TableReading
from headrace.sql.tokens.dotted_name import dotted_parts
from headrace.sql.tokens.positions import Edit, Rewritten, Span

_COMPUTED_NAMES = ("execute", "identifier")
"""Words of statements that can read a table without naming it."""


def without_hidden(
    statement: ParsedStatement, parameters: Parameters | None, context: StatementContext
) -> Rewritten:
    """``statement`` with each dynamic table that has hidden columns narrowed to the others.

    A view keeps its text, so it lists the columns of every dynamic table: they may get hidden ones later.
    """
    named = _named_in(statement.text, context.lake.store.definitions.names())
    if not named:
        return Rewritten(statement.text)
    stored = any(effect.kind in _STORED for effect in statement.effects)
    edits = _Hiding(named, parameters, context, always=stored).edits(statement)
    return Rewritten(statement.text, tuple(edits))


_STORED = (EffectKind.CREATE_VIEW, EffectKind.REPLACE_VIEW, EffectKind.ALTER_VIEW)


def possible_tables(parts: tuple[str, ...], session: LakeSession) -> list[TableName]:
    """The table meant, and with a branch or tag behind the name, the table that has it."""
    if not parts or (len(parts) > 2 and parts[0].lower() == "spark_catalog"):
        return []
    possible = []
    if parts[-1].lower().startswith(("branch_", "tag_")) and len(parts) > 1:
        possible.append(session.resolve(parts[:-1]))
    if len(parts) <= 3 and not (possible and len(parts) == 3 and parts[0] not in session.workspaces):
        possible.append(session.resolve(parts))
    return possible


def _named_in(text: str, names: frozenset[TableName]) -> frozenset[TableName]:
    """The dynamic tables that the statement may read."""
    lowered = text.lower()
    if any(word in lowered for word in _COMPUTED_NAMES):
        return names
    return frozenset(name for name in names if quote_identifier(name.table)[1:-1].lower() in lowered)


class _Hiding:
    def __init__(
        self,
        tables: Collection[TableName],
        parameters: Parameters | None,
        context: StatementContext,
        *,
        always: bool,
    ) -> None:
        self._tables = tables
        self._words = {name.table.lower() for name in tables}
        self._parameters = parameters
        self._context = context
        self._always = always

    def edits(self, statement: ParsedStatement) -> list[Edit]:
        found = (self._place(statement, relation) for relation in statement.relations)
        places = [place for place in found if place is not None]
        return [*narrowed(statement, places), *self._executed(statement)]

    def _executed(self, statement: ParsedStatement) -> Iterator[Edit]:
        for executed in statement.executed_strings:
            text = executed.literal
            if text is None and not statement.is_block:
                text = self._value(statement, executed.span)
            if text is not None and (edits := self.edits(ParsedStatement(text))):
                yield executed.span, quote_string(Rewritten(text, tuple(edits)).text)

    def _value(self, statement: ParsedStatement, expression: Span) -> str | None:
        with suppress(Error):
            ((value,),) = Result(self._run_part("SELECT", statement, expression)).fetchall()
            return value if isinstance(value, str) else None
        return None

    def _run_part(self, before: str, statement: ParsedStatement, part: Span) -> SparkRows:
        """A part of the statement as one of its own, with those of the parameters that belong to it."""
        text, parameters = statement.text, self._parameters
        if parameters is not None and not isinstance(parameters, Mapping):
            markers = [span for span in parameter_markers(statement.tokens) if span.of(text) == "?"]
            parameters = [
                value
                for marker, value in zip(markers, parameters, strict=False)
                if part.start <= marker.start < part.end
            ]
        return self._context.session.run(f"{before} {part.of(text)}", parameters)

    def _place(self, statement: ParsedStatement, relation: TableReading) -> Narrowed | None:
        parts = relation.parts or self._computed_name(statement, relation.span)
        if parts is None or self._words.isdisjoint(part.lower() for part in parts):
            return None
        if self._context.session.is_temporary_view(parts):
            return None
        with suppress(NotFound):
            for name in possible_tables(parts, self._context.session):
                if name in self._tables:
                    return self._of_table(statement, relation, parts, name)
        return None

    def _computed_name(self, statement: ParsedStatement, clause: Span) -> tuple[str, ...] | None:
        """Of ``IDENTIFIER(expression)``."""
        opening = statement.text.index("(", clause.start)
        value = self._value(statement, Span(opening, clause.end))
        return None if value is None else dotted_parts(value)

    def _of_table(
        self, statement: ParsedStatement, relation: TableReading, parts: tuple[str, ...], name: TableName
    ) -> Narrowed | None:
        table = self._context.session.catalog.table(name)
        if table is None:
            return None
        path: tuple[str, ...] = (name.workspace, name.schema, name.table)
        columns = table.columns
        is_branch = parts[-1].lower() != name.table.lower()
        if relation.has_time_travel or is_branch:
            columns = self._columns_then(statement, Span(relation.span.start, relation.end)) or columns
        if not self._always and not any(map(is_hidden, (*columns, *table.columns))):
            return None
        return Narrowed(relation, (*path, parts[-1]) if is_branch else path, visible(columns))

    def _columns_then(self, statement: ParsedStatement, table: Span) -> tuple[str, ...] | None:
        """Of a table at some version; None where only the whole statement can tell what is wrong."""
        with suppress(Error):
            return tuple(name for name, _ in self._run_part("SELECT * FROM", statement, table).types)
        return None
