"""The columns of a dynamic table: those of its query, as a table can hold them."""

from __future__ import annotations

import re
from dataclasses import replace

from headrace.commands.error_location import pointing_at, pointing_into
from headrace.errors import NotFound, Refused
from headrace.features.dynamic_tables.define import Defined
from headrace.features.dynamic_tables.grammar_clauses import columns_in
from headrace.features.dynamic_tables.grammar_statements import CreateDynamicTable
from headrace.lake.session import LakeSession
from headrace.model.dynamic_table import Column
from headrace.model.stored_types import stored_type
from headrace.sql.parsing.statements import ColumnSpec
from headrace.sql.queries.hiding import OWN_PREFIX, is_hidden
from headrace.sql.tokens.positions import Span, place_of

ICEBERG_COLUMNS = frozenset(
    {"_file", "_pos", "_deleted", "_spec_id", "_partition", "_row_id", "_last_updated_sequence_number"}
)


def columns_of(
    statement: CreateDynamicTable, text: str, defined: Defined, session: LakeSession
) -> tuple[Column, ...]:
    spans = _output_spans(statement, defined)
    if statement.columns:
        columns = _listed_columns(statement, text, defined.columns, session)
    else:
        _refuse_unnamed(statement, text, defined)
        columns = defined.columns
    seen: set[str] = set()
    stored = []
    for column, span in zip(columns, spans, strict=True):
        with pointing_at(text, span):
            stored.append(_stored(column, seen))
        seen.add(column.name.lower())
    return tuple(stored)


def _output_spans(statement: CreateDynamicTable, defined: Defined) -> list[Span | None]:
    """Where each column of the query is written; None where a star gives it."""
    outputs = defined.facts.outputs
    if len(outputs) != len(defined.columns) or any(output.is_star for output in outputs):
        return [None] * len(defined.columns)
    return [output.span.shifted(statement.query_offset) for output in outputs]


def _stored(column: Column, seen: set[str]) -> Column:
    if column.name.lower() in seen:
        raise Refused(
            f"the query returns two columns named {column.name}", hint="give one of them another name with AS"
        )
    if is_hidden(column.name):
        raise Refused(
            f"column {column.name} cannot have a name that starts with {OWN_PREFIX}",
            hint="such names are reserved for Headrace; give it another one with AS",
        )
    if column.name.lower() in ICEBERG_COLUMNS:
        raise Refused(
            f"column {column.name} cannot have that name, which is reserved for Iceberg",
            hint="give it another one with AS",
        )
    return replace(column, type=_stored_type(column))


def _refuse_unnamed(statement: CreateDynamicTable, text: str, defined: Defined) -> None:
    for position, output in enumerate(defined.facts.outputs, 1):
        if output.name is None and not output.is_star:
            raise Refused(
                f"column {position} of the query has no name",
                hint="name it with AS, or list the names after the table's name",
                place=place_of(text, output.span.shifted(statement.query_offset)),
            )


def _listed_columns(
    statement: CreateDynamicTable, text: str, given: tuple[Column, ...], session: LakeSession
) -> tuple[Column, ...]:
    listed = statement.columns
    if len(listed) != len(given):
        raise Refused(
            f"the number of columns listed is {len(listed)}, but the query returns {len(given)}",
            hint="list all of them, or none",
            place=place_of(text, statement.places["COLUMNS"]),
        )
    for spec, column in zip(listed, given, strict=True):
        _check_type(spec, column, text, session)
    return tuple(Column(s.name, column.type, s.comment) for s, column in zip(listed, given, strict=True))


def _check_type(spec: ColumnSpec, column: Column, text: str, session: LakeSession) -> None:
    if spec.type is None or spec.type_span is None:
        return
    with pointing_into(text, spec.type, spec.type_span.start):
        listed = session.canonical_type(spec.type)
    if listed != column.type:
        raise Refused(
            f"column {spec.name} is listed as {listed}, but the query returns {column.type}",
            hint="CAST it in the query, or leave out the type",
            place=place_of(text, spec.type_span),
        )


def check_layout(statement: CreateDynamicTable, text: str, columns: tuple[Column, ...]) -> None:
    names = [column.name.lower() for column in columns]
    for clause in ("PARTITIONED BY", "CLUSTERED BY"):
        if clause not in statement.places:
            continue
        for column, span in columns_in(text, statement.places[clause]):
            if column.lower() not in names:
                raise NotFound(
                    f"column {column} of {clause} does not exist",
                    hint=f"columns of the query: {', '.join(names)}",
                    place=place_of(text, span),
                )


def _stored_type(column: Column) -> str:
    stored = stored_type(column.type)
    if re.search(r"\bvoid\b", stored):
        raise Refused(
            f"column {column.name} is NULL and has no type", hint="specify its type with CAST(NULL AS ...)"
        )
    if "interval" in stored:
        raise Refused(
            f"column {column.name} is an {column.type}, which a table cannot store",
            hint="store it as a number of seconds or months",
        )
    return stored
