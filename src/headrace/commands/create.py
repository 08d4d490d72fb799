"""CREATE DYNAMIC TABLE."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from headrace.commands.arguments import arguments_here, check_defaults
from headrace.commands.define import Defined, define
from headrace.commands.new_names import expect_possible
from headrace.commands.options import (
    check_cluster,
    check_interval,
    check_property,
    property_key,
)
from headrace.commands.pointing import pointing_at, pointing_into
from headrace.commands.replace import check_replacement, replace_in_place, waiting_notice, was_refreshed
from headrace.commands.workbench import Workbench
from headrace.errors import (
    AlreadyExists,
    DataError,
    Error,
    NotFound,
    NotSupportedError,
    Place,
    ProgrammingError,
    Refused,
)
from headrace.lake.in_line import QUERY, iceberg_properties
from headrace.lake.tables import TABLE_ID, Table
from headrace.model.dynamic_table import Column, Definition, DynamicTable, RequestedMode, Schedule
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier, quote_string
from headrace.model.stored_types import stored_type
from headrace.model.vcluster import DEFAULT_VCLUSTER
from headrace.refresh.arguments import presumed
from headrace.refresh.layout import Layout, NoLayout
from headrace.refresh.plan import Layouts, layout_of
from headrace.result import NOTHING, Result
from headrace.sql.clauses import columns_in
from headrace.sql.hiding import OWN_PREFIX, is_hidden
from headrace.sql.replacement import Waits
from headrace.sql.statements import ColumnSpec, CreateDynamicTable
from headrace.sql.text import Span, place_of

ICEBERG_COLUMNS = frozenset(
    {"_file", "_pos", "_deleted", "_spec_id", "_partition", "_row_id", "_last_updated_sequence_number"}
)


@dataclass(frozen=True)
class Checked:
    """A definition that nothing speaks against."""

    table: DynamicTable
    existing: DynamicTable | None
    """The dynamic table of that name, which is to be replaced."""
    notices: tuple[str, ...]
    waits: bool = False
    """Whether a replacement does not take effect at once."""


@dataclass(frozen=True)
class LeftAlone:
    """IF NOT EXISTS, and it exists."""

    name: TableName


def create_dynamic_table(statement: CreateDynamicTable, text: str, bench: Workbench) -> Result:
    checked = check_create(statement, text, bench)
    if isinstance(checked, LeftAlone):
        return Result(NOTHING, (f"{checked.name} already exists, nothing was done",))
    if checked.existing is None:
        layout = layout_for(checked.table, mode_place(statement, text), bench, bench.lake.layouts)
        _create(checked.table, layout, statement, text, bench)
    else:
        if checked.table.mode is RequestedMode.INCREMENTAL:
            layout_for(checked.table, mode_place(statement, text), bench, bench.lake.layouts)
        with pointing_at(text, statement.name.span):
            replace_in_place(checked.existing, checked.table, bench)
    return Result(NOTHING, checked.notices)


def check_create(statement: CreateDynamicTable, text: str, bench: Workbench) -> Checked | LeftAlone:
    """Changes nothing."""
    with pointing_at(text, statement.name.span):
        name = bench.resolve(statement.name)
        existing = bench.lake.store.find(name)
        if existing is not None and statement.if_not_exists:
            return LeftAlone(name)
        _check_name(name, existing, statement, bench)
    _check_options(statement, text, bench)
    defined = define(statement.query, text, statement.query_offset, bench, statement.properties)
    check_cycle(name, defined.definition, bench, defined.places)
    columns = _columns(statement, text, defined, bench)
    _check_layout(statement, text, columns)
    wanted = _dynamic_table(name, statement, text, defined, columns, bench)
    interval = statement.places.get("INTERVAL")
    check_defaults(wanted, place_of(text, interval) if interval else None)
    notices = defined.notices + _schedule_notice(wanted, bench)
    if existing is None:
        return Checked(wanted, None, notices)
    with pointing_at(text, statement.name.span):
        replacement = check_replacement(existing, wanted, bench)
    waits = isinstance(replacement, Waits) and was_refreshed(existing, bench)
    return Checked(wanted, existing, notices + (waiting_notice(existing) if waits else ()), waits)


def sources_of(table: DynamicTable, bench: Workbench) -> dict[TableName, Table]:
    catalog = bench.session.catalog
    return {source.name: catalog.existing_table(source.name) for source in table.definition.sources}


def _check_name(
    name: TableName, existing: DynamicTable | None, statement: CreateDynamicTable, bench: Workbench
) -> None:
    if existing is not None:
        if not statement.or_replace:
            raise AlreadyExists(
                f"dynamic table {name} already exists",
                hint="use CREATE OR REPLACE to change it, or IF NOT EXISTS to leave it",
            )
        return
    catalog = bench.session.catalog
    if not catalog.has_schema(name.workspace, name.schema):
        raise NotFound(
            f"schema {name.workspace}.{name.schema} does not exist", hint="CREATE SCHEMA makes one"
        )
    expect_possible(name.table)
    if (taken := bench.kind_of(name)) is not None:
        raise AlreadyExists(f"{name} already exists and is a {taken}", hint="choose another name")


def _check_options(statement: CreateDynamicTable, text: str, bench: Workbench) -> None:
    places = statement.places
    if statement.interval_seconds is not None:
        least = bench.lake.settings.minimum_interval_seconds
        check_interval(statement.interval_seconds, least, place_of(text, places["INTERVAL"]))
    if statement.cluster is not None:
        span = places.get("VCLUSTER") or places["REFRESH VCLUSTER"]
        check_cluster(statement.cluster, bench.lake.store, place_of(text, span))
    for key, value in statement.properties.items():
        check_property(key, value, place_of(text, places["PROPERTIES"]))


def _cluster(statement: CreateDynamicTable) -> str:
    return (statement.cluster or DEFAULT_VCLUSTER).lower()


def check_cycle(
    name: TableName, definition: Definition, bench: Workbench, places: Mapping[TableName, Place]
) -> None:
    """``places`` are those of the sources in the user's text, where they are there."""
    seen: set[TableName] = set()
    paths: list[tuple[TableName, tuple[TableName, ...]]] = [
        (source.name, (source.name,)) for source in definition.sources
    ]
    while paths:
        table, path = paths.pop()
        if table == name:
            raise Refused(_circle(name, path), place=places.get(path[0]))
        upstream = None if table in seen else bench.lake.store.find(table)
        seen.add(table)
        if upstream is not None:
            paths += [(source.name, (*path, source.name)) for source in upstream.definition.sources]


def _circle(name: TableName, path: tuple[TableName, ...]) -> str:
    if path == (name,):
        return f"dynamic table {name} cannot read itself"
    return f"dynamic tables cannot read each other in a circle: {' reads '.join(map(str, (name, *path)))}"


def _columns(
    statement: CreateDynamicTable, text: str, defined: Defined, bench: Workbench
) -> tuple[Column, ...]:
    spans = _output_spans(statement, defined)
    if statement.columns:
        columns = _listed_columns(statement, text, defined.columns, bench)
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
            f"the query gives two columns named {column.name}", hint="give one of them another name with AS"
        )
    if is_hidden(column.name):
        raise Refused(
            f"column {column.name} cannot have a name that starts with {OWN_PREFIX}",
            hint="such names are Headrace's own; give it another one with AS",
        )
    if column.name.lower() in ICEBERG_COLUMNS:
        raise Refused(
            f"column {column.name} cannot have that name, which is a column of Iceberg's own",
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
    statement: CreateDynamicTable, text: str, given: tuple[Column, ...], bench: Workbench
) -> tuple[Column, ...]:
    listed = statement.columns
    if len(listed) != len(given):
        raise Refused(
            f"the number of columns listed is {len(listed)}, and the query gives {len(given)}",
            hint="list all of them, or none",
            place=place_of(text, statement.places["COLUMNS"]),
        )
    for spec, column in zip(listed, given, strict=True):
        _check_type(spec, column, text, bench)
    return tuple(Column(s.name, column.type, s.comment) for s, column in zip(listed, given, strict=True))


def _check_type(spec: ColumnSpec, column: Column, text: str, bench: Workbench) -> None:
    if spec.type is None or spec.type_span is None:
        return
    with pointing_into(text, spec.type, spec.type_span.start):
        listed = bench.session.canonical_type(spec.type)
    if listed != column.type:
        raise Refused(
            f"column {spec.name} is listed as {listed}, and the query gives {column.type}",
            hint="CAST it in the query, or leave out the type",
            place=place_of(text, spec.type_span),
        )


def _check_layout(statement: CreateDynamicTable, text: str, columns: tuple[Column, ...]) -> None:
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
        raise Refused(f"column {column.name} is NULL and has no type", hint="CAST(NULL AS ...) gives it one")
    if "interval" in stored:
        raise Refused(
            f"column {column.name} is an {column.type}, which a table cannot hold",
            hint="keep it as a number of seconds or months",
        )
    return stored


def _dynamic_table(
    name: TableName,
    statement: CreateDynamicTable,
    text: str,
    defined: Defined,
    columns: tuple[Column, ...],
    bench: Workbench,
) -> DynamicTable:
    now = bench.now()
    return DynamicTable(
        id=uuid.uuid4().hex,
        name=name,
        definition=defined.definition,
        columns=columns,
        creator=bench.user,
        created_at=now,
        modified_at=now,
        schedule=Schedule(statement.interval_seconds, _start(statement, text, bench.lake.settings.zone)),
        cluster=_cluster(statement),
        mode=statement.mode,
        comment=statement.comment,
        properties={property_key(key): value for key, value in statement.properties.items()},
        partitioned_by=statement.partitioned_by,
        clustered_by=statement.clustered_by,
    )


def _start(statement: CreateDynamicTable, text: str, zone: ZoneInfo) -> datetime | None:
    if statement.start_at is None:
        return None
    try:
        moment = datetime.fromisoformat(statement.start_at)
    except ValueError:
        raise DataError(
            f"'{statement.start_at}' is not a timestamp",
            hint="write it as '2024-06-01 08:00:00'",
            place=place_of(text, statement.places["START WITH"]),
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _schedule_notice(table: DynamicTable, bench: Workbench) -> tuple[str, ...]:
    if table.schedule.interval_seconds is None or bench.lake.is_scheduled:
        return ()
    return (
        f"no scheduler runs on this lake, so nothing refreshes {table.name} by itself: "
        "`headrace serve` starts one",
    )


def layout_for(
    table: DynamicTable, mode_at: Place | None, bench: Workbench, planned: Layouts
) -> Layout | NoLayout:
    """Refused where the user insists on INCREMENTAL and the query cannot be maintained so."""
    layout = possible_layout(table, bench, planned)
    if isinstance(layout, NoLayout) and table.mode is RequestedMode.INCREMENTAL:
        raise NotSupportedError(
            f"incremental refresh not supported: {layout.reason}",
            hint=layout.rewrite or "use REFRESH_MODE = AUTO, which recomputes the table when it must",
            place=mode_at,
        )
    return layout


def mode_place(statement: CreateDynamicTable, text: str) -> Place | None:
    span = statement.places.get("REFRESH_MODE")
    return None if span is None else place_of(text, span)


def possible_layout(table: DynamicTable, bench: Workbench, planned: Layouts) -> Layout | NoLayout:
    """With parameters, one that some values give it; which ones hardly ever matters."""
    given = arguments_here(table.definition.expanded, bench)
    sources = sources_of(table, bench)
    with bench.lake.borrow_session() as session:
        for supposed in presumed(table, given):
            layout = layout_of(supposed, sources, planned, session)
            if isinstance(layout, Layout):
                break
    return layout


def _create(
    table: DynamicTable,
    layout: Layout | NoLayout,
    statement: CreateDynamicTable,
    text: str,
    bench: Workbench,
) -> None:
    """Announced, made, confirmed: what dies between is undone when the lake is next opened."""
    hidden = layout.hidden if isinstance(layout, Layout) else ()
    store = bench.lake.store
    with bench.lake.alone_with(table):
        store.begin_create(table)
        try:
            with bench.lake.borrow_session() as session:
                for clause, ddl in (
                    ("PARTITIONED BY", _ddl(table, hidden)),
                    ("CLUSTERED BY", _order_ddl(table)),
                ):
                    span = statement.places.get(clause)
                    with _blaming(place_of(text, span) if span else None):
                        if ddl is not None:
                            session.run(ddl)
        except BaseException:
            bench.session.catalog.drop_if_owned(table.name, table.id)
            store.abandon_create(table.id)
            raise
        store.finish_create(table.id)


@contextmanager
def _blaming(place: Place | None) -> Iterator[None]:
    """Around SQL of our own: what is wrong with it is what the user wrote at ``place``."""
    try:
        yield
    except Error as error:
        error.place = place if isinstance(error, ProgrammingError | NotSupportedError) else None
        raise


def _ddl(table: DynamicTable, hidden: tuple[Column, ...]) -> str:
    columns = ", ".join(_column_ddl(column) for column in (*table.columns, *hidden))
    clauses = [f"CREATE TABLE {table.name.sql} ({columns}) USING iceberg"]
    if table.partitioned_by:
        clauses.append(f"PARTITIONED BY ({', '.join(table.partitioned_by)})")
    if table.comment is not None:
        clauses.append(f"COMMENT {quote_string(table.comment)}")
    properties = iceberg_properties(table.properties) | {TABLE_ID: table.id, QUERY: table.definition.query}
    return " ".join([*clauses, f"TBLPROPERTIES ({_listed(properties)})"])


def _order_ddl(table: DynamicTable) -> str | None:
    if not table.clustered_by:
        return None
    return f"ALTER TABLE {table.name.sql} WRITE ORDERED BY {', '.join(table.clustered_by)}"


def _listed(properties: Mapping[str, str]) -> str:
    return ", ".join(f"{quote_string(key)} = {quote_string(value)}" for key, value in properties.items())


def _column_ddl(column: Column) -> str:
    comment = f" COMMENT {quote_string(column.comment)}" if column.comment is not None else ""
    return f"{quote_identifier(column.name)} {column.type}{comment}"
