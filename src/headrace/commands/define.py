"""From the text of a query to a definition that always means the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headrace.commands.pointing import pointing_into
from headrace.commands.workbench import Workbench
from headrace.errors import DatabaseError, Error, NotFound, NotSupportedError, Place, Refused, SqlSyntaxError
from headrace.lake.session import Analysis
from headrace.lake.tables import View
from headrace.model.dynamic_table import Column, Definition, Source
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier
from headrace.sql.determinism import nondeterministic, uses_current_date
from headrace.sql.qualify import qualify_columns
from headrace.sql.query import QueryFacts, read_query
from headrace.sql.references import TableReference
from headrace.sql.text import Span, place_of, splice

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

    bench: Workbench
    sources: dict[TableName, Source] = field(default_factory=dict)
    facts: list[tuple[QueryFacts, str | None]] = field(default_factory=list)
    """Of the query, then of each view with its name."""
    spans: dict[TableName, Span] = field(default_factory=dict)
    """Where the query itself names a source."""


def define(query: str, statement: str, offset: int, bench: Workbench) -> Defined:
    """Refuses what cannot be kept fresh; errors point into ``statement``, with ``query`` at ``offset``."""
    with pointing_into(statement, query, offset):
        facts = _read(query, bench)
        _refuse_parameters(query, facts)
        expansion = _Expansion(bench)
        expanded = _expand(query, facts, expansion)
        _refuse_chance(query, expansion)
        bench.session.analyze(query)
        analysis = _analyze_apart(expanded, bench)
        _check_sources(analysis, expansion)
    columns_of = {name: source.columns for name, source in expansion.sources.items()}
    known_columns = {column for columns in columns_of.values() for column in columns}
    definition = Definition(
        query=query,
        expanded=expanded,
        qualified=qualify_columns(expanded, columns_of) or expanded,
        sources=tuple(expansion.sources[name] for name in sorted(expansion.sources)),
        uses_current_date=any(uses_current_date(f.functions, known_columns) for f, _ in expansion.facts),
    )
    places = {name: place_of(statement, span.shifted(offset)) for name, span in expansion.spans.items()}
    return Defined(definition, analysis.columns, facts, _order_notices(expansion), places)


def _analyze_apart(expanded: str, bench: Workbench) -> Analysis:
    """As a refresh will: without what the user's session alone knows."""
    try:
        with bench.lake.borrow_session() as session:
            return session.analyze(expanded)
    except Error as error:
        raise Refused(
            f"the query does not work outside of this session: {error.message}",
            hint="a definition cannot use the session's variables, functions or settings",
        ) from error


def _read(query: str, bench: Workbench) -> QueryFacts:
    try:
        return read_query(query)
    except SqlSyntaxError as error:
        bench.session.analyze(query)
        raise NotSupportedError(
            f"Spark understands this query, but Headrace cannot follow it: {error.message}", place=error.place
        ) from None


def _refuse_parameters(query: str, facts: QueryFacts) -> None:
    for span in facts.parameters:
        raise Refused(
            "a definition cannot have parameters: it is run again at each refresh",
            hint="write the value itself",
            place=place_of(query, span),
        )
    for config in facts.session_configs:
        raise NotSupportedError(
            "parameterised definitions (SESSION_CONFIGS) are not available in this version",
            hint="write the value itself",
            place=place_of(query, config.span),
        )


def _expand(
    query: str, facts: QueryFacts, expansion: _Expansion, view: View | None = None, depth: int = 0
) -> str:
    """``query`` with each table by its full name and each view by its query."""
    if depth > _VIEW_DEPTH:
        raise Refused("views are nested too deeply, or in a circle")
    expansion.facts.append((facts, str(view.name) if view else None))
    replacements = []
    for reference in facts.tables:
        try:
            replacements.append((reference.span, _replacement(reference, expansion, view, depth)))
        except DatabaseError as error:
            raise error.at(place_of(query, reference.span) if view is None else None) from None
    return splice(query, replacements)


def _replacement(reference: TableReference, expansion: _Expansion, view: View | None, depth: int) -> str:
    session = expansion.bench.session
    if view is None and session.is_temporary_view(reference.parts):
        raise Refused(
            f"{'.'.join(reference.parts)} is a temporary view, which ends with this session",
            hint="make it a view of the lake with CREATE VIEW, or write its query into the definition",
        )
    _refuse_outside(reference)
    name = session.resolve(reference.parts, *((view.workspace, view.schema) if view else ()))
    if reference.has_time_travel:
        raise Refused(
            f"a definition reads whole tables, and {name} is fixed to one version",
            hint="leave out VERSION / TIMESTAMP AS OF",
        )
    if (table := session.catalog.table(name)) is not None:
        expansion.sources[name] = Source(name, table.columns)
        if view is None:
            expansion.spans.setdefault(name, reference.span)
        return name.sql
    if (found := session.catalog.view(name)) is not None:
        return _inlined(reference, found, expansion, depth)
    raise NotFound(f"table or view {name} does not exist", hint="SHOW TABLES lists what there is")


def _refuse_outside(reference: TableReference) -> None:
    first = reference.parts[0].lower()
    if len(reference.parts) == 2 and first in _FILE_FORMATS:
        raise Refused(
            f"a dynamic table cannot read files by path ({first}.`{reference.parts[1]}`)",
            hint="load them into a table of the lake first",
        )
    if "information_schema" in (part.lower() for part in reference.parts[:-1]):
        raise Refused(
            "a dynamic table cannot read information_schema: it is not a table of the lake",
            hint="copy what is needed into a table with CREATE TABLE ... AS SELECT, and read that",
        )


def _inlined(reference: TableReference, view: View, expansion: _Expansion, depth: int) -> str:
    inner = _expand(view.sql, read_query(view.sql), expansion, view, depth + 1)
    alias = quote_identifier(view.name.table)
    columns = ", ".join(quote_identifier(column) for column in view.columns)
    subquery = f"(SELECT * FROM (\n{inner}\n) AS {alias}({columns}))"
    return subquery if reference.alias is not None else f"{subquery} AS {alias}"


def _refuse_chance(query: str, expansion: _Expansion) -> None:
    columns = {column for source in expansion.sources.values() for column in source.columns}
    for facts, view in expansion.facts:
        where = f" (in view {view})" if view else ""
        for call, advice in nondeterministic(facts.functions, columns):
            raise Refused(
                f"{call.name} does not give the same result each time{where}",
                hint=advice,
                place=None if view else place_of(query, call.span),
            )
        for span in facts.samples:
            raise Refused(
                f"TABLESAMPLE does not give the same rows each time{where}",
                hint="filter by a hash of a key instead, such as pmod(hash(id), 10) = 0",
                place=None if view else place_of(query, span),
            )


def _check_sources(analysis: Analysis, expansion: _Expansion) -> None:
    """Spark's own view of what the query reads is the judge of ours."""
    if analysis.foreign:
        raise Refused(
            f"a dynamic table reads tables of the lake only, and this query reads {analysis.foreign[0]}",
            hint="load the data into a table of the lake first",
        )
    if analysis.tables != set(expansion.sources):
        missed = ", ".join(str(name) for name in sorted(analysis.tables ^ set(expansion.sources)))
        raise NotSupportedError(f"Headrace cannot tell how this query reads {missed}")
    if not analysis.deterministic:
        raise Refused(
            "the query calls a function that does not give the same result each time",
            hint="use deterministic functions only; declare a deterministic UDF as such",
        )


def _order_notices(expansion: _Expansion) -> tuple[str, ...]:
    names = sorted({call.name for facts, _ in expansion.facts for call in facts.order_dependent})
    if not names:
        return ()
    return (
        f"{', '.join(names)}: the result depends on the order of rows where that is not defined, "
        "and may differ between two computations of the same data",
    )
