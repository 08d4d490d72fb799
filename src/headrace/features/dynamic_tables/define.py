"""From the text of a query to a definition that always means the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headrace.commands.error_location import pointing_at, pointing_by_words, pointing_into, same_words
from headrace.commands.hidden import without_hidden
from headrace.commands.statement_context import StatementContext
from headrace.errors import Error, NotFound, NotSupportedError, Place, Refused, SqlSyntaxError
from headrace.features.dynamic_tables.repeatable import (
    Part,
    refuse_chance,
    refuse_clock_strings,
    refuse_parameters,
)
from headrace.features.dynamic_tables.session_arguments import arguments_here
from headrace.lake.session import Analysis, LakeSession
from headrace.lake.table.tables import View
from headrace.model.dynamic_table import Column, Definition, Source
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier, show_identifier
from headrace.refresh.arguments import with_some_values
from headrace.sql.parsed import ParsedStatement
from headrace.sql.queries.hiding import only_columns, visible
from headrace.sql.queries.qualify import qualify_columns
from headrace.sql.queries.qualify_clause import without_qualify
from headrace.sql.queries.query import QueryFacts, read_query
from headrace.sql.queries.references import TableReference
from headrace.sql.queries.shorten import shortened_columns
from headrace.sql.query_parameters import parameter_of
from headrace.sql.spark.determinism import uses_current_date
from headrace.sql.tokens.positions import Rewritten, Span, moved, place_of, splice

_FILE_FORMATS = {
    "parquet",
    "orc",
    "json",
    "csv",
    "text",
    "avro",
    "xml",
    "binaryfile",
    "iceberg",
    "delta",
    "jdbc",
}
_VIEW_DEPTH = 50
_OWN_LEAVES = {"UnionLoopRef"}
"""Leaves of Spark's plan that stand for a part of the query: a recursive CTE within itself."""


@dataclass(frozen=True)
class Defined:
    definition: Definition
    columns: tuple[Column, ...]
    facts: QueryFacts
    notices: tuple[str, ...]
    places: Mapping[TableName, Place]
    """Where the statement names each source; those inside views have none."""


@dataclass
class _Expansion:
    """What replacing names and views has come across so far."""

    context: StatementContext
    sources: dict[TableName, Source] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    """The query, then each view."""
    spans: dict[TableName, Span] = field(default_factory=dict)
    """Where the query itself names a source."""
    narrowed: dict[TableName, tuple[str, ...]] = field(default_factory=dict)
    """Sources with hidden columns, and the others that they have."""
    reading: Span | None = None
    """What of the query is being replaced."""


def define(
    query: str,
    statement: str,
    offset: int,
    context: StatementContext,
    properties: Mapping[str, str] | None = None,
) -> Defined:
    """Refuses what cannot be kept fresh; errors point into ``statement``, with ``query`` at ``offset``.

    ``properties`` may have defaults for parameters; others are taken from the session, or made up.
    """
    sent = without_qualify(ParsedStatement(query)).text
    given = _defaults(properties or {}) | arguments_here(sent, context.session)
    with pointing_into(statement, query, offset), pointing_by_words(query, sent):
        facts = _read(sent, context.session)
        refuse_parameters(sent, facts)
        expansion = _Expansion(context)
        expanded = _expand(sent, facts, expansion)
        columns_of = {name: source.columns for name, source in expansion.sources.items()}
        known_columns = {column.lower() for columns in columns_of.values() for column in columns}
        refuse_chance(sent, expansion.parts, known_columns)
        analysed = ParsedStatement(with_some_values(sent, given))
        context.session.analyze(without_hidden(analysed, None, context))
        seen = only_columns(with_some_values(expanded, given), expansion.narrowed)
        analysis = _analyze_apart(seen, sent, context)
        _check_sources(analysis, expansion)
        refuse_clock_strings(sent, seen.text, expansion.parts, context)
    definition = Definition(
        query=query,
        expanded=expanded,
        qualified=qualify_columns(expanded, columns_of) or expanded,
        sources=tuple(expansion.sources[name] for name in sorted(expansion.sources)),
        uses_current_date=any(
            uses_current_date(part.facts.functions, known_columns) for part in expansion.parts
        ),
    )
    places = {}
    for name, span in expansion.spans.items():
        place = place_of(query, span) if sent == query else same_words(place_of(sent, span), query)
        if place is not None:
            places[name] = moved(place, query, statement, offset)
    return Defined(definition, analysis.columns, facts, _order_notices(expansion), places)


def _defaults(properties: Mapping[str, str]) -> dict[str, str]:
    named = ((parameter_of(key), value) for key, value in properties.items())
    return {name: value for name, value in named if name is not None}


def _analyze_apart(expanded: Rewritten, query: str, context: StatementContext) -> Analysis:
    """As a refresh will: without what the user's session alone knows."""
    try:
        with context.lake.borrow_session() as session:
            return session.analyze(expanded)
    except Error as error:
        raise Refused(
            f"the query cannot run outside this session: {error.message}",
            hint="a definition cannot use the session's variables, functions or settings",
            place=same_words(error.place, query),
        ) from error


def _read(query: str, session: LakeSession) -> QueryFacts:
    try:
        return read_query(query)
    except SqlSyntaxError as error:
        session.analyze(with_some_values(query, {}))
        raise NotSupportedError(
            f"Spark accepts this query, but Headrace cannot parse it: {error.message}",
            hint="enclose names that are also SQL keywords in backticks",
            place=error.place,
        ) from None


def _expand(
    query: str, facts: QueryFacts, expansion: _Expansion, view: View | None = None, depth: int = 0
) -> str:
    """``query`` with each table by its full name and each view by its query."""
    if depth > _VIEW_DEPTH:
        raise Refused("views are nested too deeply, or depend on each other in a cycle")
    expansion.parts.append(Part(facts, view.name if view else None, expansion.reading))
    replacements, subqueries = [], set()
    for reference in facts.tables:
        if view is None:
            expansion.reading = reference.span
        with pointing_at(query, reference.span if view is None else None):
            name = _resolve(reference, expansion, view)
            sql = _replacement(reference, name, expansion, depth)
        replacements.append((reference.span, sql))
        if reference.alias is None and sql != name.sql:
            subqueries.add(name)
        elif view is None:
            expansion.spans.setdefault(name, reference.span)
    replacements += [(span, "SELECT * FROM") for span in facts.table_queries]
    return splice(query, [*replacements, *shortened_columns(query, facts.tables, subqueries)])


def _resolve(reference: TableReference, expansion: _Expansion, view: View | None) -> TableName:
    session = expansion.context.session
    if view is not None:
        return session.resolve(reference.parts, view.workspace, view.schema)
    if session.is_temporary_view(reference.parts):
        raise Refused(
            f"{_shown(reference)} is a temporary view, which exists only in this session",
            hint="create a view of the lake with CREATE VIEW, or include its query in the definition",
        )
    return session.resolve(reference.parts)


def _shown(reference: TableReference) -> str:
    return ".".join(map(show_identifier, reference.parts))


def _replacement(reference: TableReference, name: TableName, expansion: _Expansion, depth: int) -> str:
    catalog = expansion.context.session.catalog
    if reference.has_time_travel:
        raise Refused(
            f"a definition cannot read {name} at a fixed version",
            hint="remove VERSION AS OF or TIMESTAMP AS OF",
        )
    if (stream := expansion.context.lake.store.streams.find(name)) is not None:
        raise Refused(
            f"a dynamic table cannot read the table stream {name}",
            hint=f"read {stream.source} instead: a refresh finds its changes automatically",
        )
    if (table := catalog.table(name)) is not None:
        is_dynamic = expansion.context.lake.store.definitions.find(name) is not None
        columns = visible(table.columns) if is_dynamic else table.columns
        expansion.sources[name] = Source(name, columns)
        if columns != table.columns:
            expansion.narrowed[name] = columns
        return name.sql
    if (found := catalog.view(name)) is not None:
        return _inlined(reference, found, expansion, depth)
    _refuse_outside(reference)
    raise NotFound(f"table or view {name} does not exist", hint="SHOW TABLES lists all tables").of(
        *name.parts
    )


def _refuse_outside(reference: TableReference) -> None:
    first = reference.parts[0].lower()
    if len(reference.parts) == 2 and first in _FILE_FORMATS:
        raise Refused(
            f"a dynamic table cannot read files by path ({_shown(reference)})",
            hint="load them into a table of the lake first",
        )
    if "information_schema" in (part.lower() for part in reference.parts[:-1]):
        raise Refused(
            "a dynamic table cannot read information_schema: it is not a table of the lake",
            hint="copy what is needed into a table with CREATE TABLE ... AS SELECT, and read that",
        )


def _inlined(reference: TableReference, view: View, expansion: _Expansion, depth: int) -> str:
    """A view has the columns it was created with, whatever a star in its query has come to mean."""
    try:
        facts = read_query(view.sql)
    except SqlSyntaxError as error:
        raise NotSupportedError(f"Headrace cannot parse the view {view.name}: {error.message}") from None
    inner = _expand(view.sql, facts, expansion, view, depth + 1)
    given = _number_of_columns(only_columns(inner, expansion.narrowed), view, expansion.context)
    alias = quote_identifier(view.name.table)
    columns = [quote_identifier(column) for column in view.columns]
    further = [f"__hr_{position}" for position in range(len(columns), given)]
    subquery = (
        f"(SELECT {', '.join(columns)} FROM (\n{inner}\n) AS {alias}({', '.join([*columns, *further])}))"
    )
    return subquery if reference.alias is not None else f"{subquery} AS {alias}"


def _number_of_columns(query: Rewritten, view: View, context: StatementContext) -> int:
    try:
        with context.lake.borrow_session() as session:
            given = len(session.analyze(query).columns)
    except Error as error:
        raise Refused(
            f"view {view.name} is not valid: {error.message}", hint="create the view again"
        ) from error
    if given < len(view.columns):
        raise Refused(
            f"view {view.name} has {len(view.columns)} columns, but its query now returns {given}",
            hint="create the view again",
        )
    return given


def _check_sources(analysis: Analysis, expansion: _Expansion) -> None:
    """Spark's own view of what the query reads is the judge of ours."""
    foreign = [leaf for leaf in analysis.foreign if leaf not in _OWN_LEAVES]
    if foreign:
        raise Refused(
            f"a dynamic table can read only tables of the lake, but this query reads {foreign[0]}",
            hint="load the data into a table of the lake first",
        )
    if analysis.tables != set(expansion.sources):
        missed = ", ".join(str(name) for name in sorted(analysis.tables ^ set(expansion.sources)))
        raise NotSupportedError(f"Headrace cannot determine how this query reads {missed}")
    if not analysis.deterministic:
        raise Refused(
            "the query calls a function that does not return the same result each time",
            hint="use deterministic functions only; declare a deterministic UDF as such",
        )


def _order_notices(expansion: _Expansion) -> tuple[str, ...]:
    names = sorted({call.name for part in expansion.parts for call in part.facts.order_dependent})
    if not names:
        return ()
    return (
        f"{', '.join(names)}: the result depends on the order of the rows, which is not defined, "
        "and may differ between two computations of the same data",
    )
