"""CREATE DYNAMIC TABLE."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from headrace.commands.error_location import pointing_at
from headrace.commands.new_names import expect_possible
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import (
    AlreadyExists,
    DataError,
    NotFound,
    NotSupportedError,
    Place,
    Refused,
)
from headrace.features.dynamic_tables.define import Defined, define
from headrace.features.dynamic_tables.grammar_statements import CreateDynamicTable
from headrace.features.dynamic_tables.make_table import make_table
from headrace.features.dynamic_tables.options import (
    check_cluster,
    check_interval,
    check_property,
    property_key,
)
from headrace.features.dynamic_tables.replace import check_replacement, replace_in_place, waiting_notice
from headrace.features.dynamic_tables.replaced_options import option_notices, with_options_of
from headrace.features.dynamic_tables.result_columns import check_layout, columns_of
from headrace.features.dynamic_tables.session_arguments import arguments_here, check_defaults
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import Column, Definition, DynamicTable, RequestedMode, Schedule
from headrace.model.names import TableName
from headrace.model.vcluster import DEFAULT_VCLUSTER
from headrace.refresh.analysis import plan_obstacle
from headrace.refresh.arguments import presumed
from headrace.refresh.layout import Layout, NoLayout
from headrace.refresh.observe import is_refreshed, load_target
from headrace.refresh.plan import Layouts, layout_of
from headrace.result import NOTHING, Result
from headrace.sql.queries.replacement import Waits
from headrace.sql.tokens.positions import place_of


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


def create_dynamic_table(
    statement: CreateDynamicTable, given: StatementInput, context: StatementContext
) -> Result:
    checked = check_create(statement, given.text, context)
    if isinstance(checked, LeftAlone):
        return Result(NOTHING, (f"{checked.name} already exists, nothing was done",))
    if checked.existing is None:
        layout = layout_for(checked.table, mode_place(statement, given.text), context, context.lake.layouts)
        make_table(checked.table, layout, statement, given.text, context)
    else:
        if checked.table.mode is RequestedMode.INCREMENTAL:
            layout_for(checked.table, mode_place(statement, given.text), context, context.lake.layouts)
        with pointing_at(given.text, statement.name.span):
            replace_in_place(checked.existing, checked.table, statement, context)
    return Result(NOTHING, checked.notices)


def check_create(statement: CreateDynamicTable, text: str, context: StatementContext) -> Checked | LeftAlone:
    """Changes nothing."""
    with pointing_at(text, statement.name.span):
        name = context.resolve(statement.name)
        existing = context.lake.store.definitions.find(name)
        if existing is not None and statement.if_not_exists:
            return LeftAlone(name)
        _check_name(name, existing, statement, context)
    _check_options(statement, text, context)
    known = {**(existing.properties if existing else {}), **statement.properties}
    defined = define(statement.query, text, statement.query_offset, context, known)
    check_cycle(name, defined.definition, context, defined.places)
    columns = columns_of(statement, text, defined, context.session)
    check_layout(statement, text, columns)
    wanted = _dynamic_table(name, statement, text, defined, columns, context)
    if existing is not None:
        wanted = with_options_of(existing, wanted, statement)
    interval = statement.places.get("INTERVAL")
    check_defaults(wanted, place_of(text, interval) if interval else None)
    notices = defined.notices + _schedule_notice(wanted, context)
    if existing is None:
        return Checked(wanted, None, notices)
    with pointing_at(text, statement.name.span):
        replacement = check_replacement(existing, wanted, context)
    waits = isinstance(replacement, Waits) and is_refreshed(load_target(existing, context.session.catalog))
    notices += option_notices(existing, wanted) + (waiting_notice(existing) if waits else ())
    return Checked(wanted, existing, notices, waits)


def sources_of(table: DynamicTable, session: LakeSession) -> dict[TableName, Table]:
    catalog = session.catalog
    return {source.name: catalog.existing_table(source.name) for source in table.definition.sources}


def _check_name(
    name: TableName, existing: DynamicTable | None, statement: CreateDynamicTable, context: StatementContext
) -> None:
    if existing is not None:
        if not statement.or_replace:
            raise AlreadyExists(
                f"dynamic table {name} already exists",
                hint="use CREATE OR REPLACE to change it, or IF NOT EXISTS to keep it",
            )
        return
    catalog = context.session.catalog
    if not catalog.has_schema(name.workspace, name.schema):
        raise NotFound(
            f"schema {name.workspace}.{name.schema} does not exist", hint="create it with CREATE SCHEMA"
        )
    expect_possible(name.table)
    if (taken := context.kind_of(name)) is not None:
        raise AlreadyExists(f"{name} already exists and is a {taken}", hint="choose another name")


def _check_options(statement: CreateDynamicTable, text: str, context: StatementContext) -> None:
    places = statement.places
    if statement.interval_seconds is not None:
        least = context.lake.settings.minimum_interval_seconds
        check_interval(statement.interval_seconds, least, place_of(text, places["INTERVAL"]))
    if statement.cluster is not None:
        span = places.get("VCLUSTER") or places["REFRESH VCLUSTER"]
        check_cluster(statement.cluster, context.lake.store.vclusters, place_of(text, span))
    for key, value in statement.properties.items():
        check_property(key, value, place_of(text, places["PROPERTIES"]))


def _cluster(statement: CreateDynamicTable) -> str:
    return (statement.cluster or DEFAULT_VCLUSTER).lower()


def check_cycle(
    name: TableName, definition: Definition, context: StatementContext, places: Mapping[TableName, Place]
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
        upstream = None if table in seen else context.lake.store.definitions.find(table)
        seen.add(table)
        if upstream is not None:
            paths += [(source.name, (*path, source.name)) for source in upstream.definition.sources]


def _circle(name: TableName, path: tuple[TableName, ...]) -> str:
    if path == (name,):
        return f"dynamic table {name} cannot read itself"
    return f"dynamic tables cannot depend on each other in a cycle: {' reads '.join(map(str, (name, *path)))}"


def _dynamic_table(
    name: TableName,
    statement: CreateDynamicTable,
    text: str,
    defined: Defined,
    columns: tuple[Column, ...],
    context: StatementContext,
) -> DynamicTable:
    now = context.now()
    return DynamicTable(
        id=uuid.uuid4().hex,
        name=name,
        definition=defined.definition,
        columns=columns,
        creator=context.user,
        created_at=now,
        modified_at=now,
        schedule=Schedule(statement.interval_seconds, _start(statement, text, context.lake.settings.zone)),
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


def _schedule_notice(table: DynamicTable, context: StatementContext) -> tuple[str, ...]:
    if table.schedule.interval_seconds is None or context.lake.is_scheduled:
        return ()
    return (
        f"no scheduler is running for this lake, so {table.name} is not refreshed automatically; "
        "start one with `headrace serve`",
    )


def layout_for(
    table: DynamicTable, mode_at: Place | None, context: StatementContext, planned: Layouts
) -> Layout | NoLayout:
    """Refused where the user insists on INCREMENTAL and the query cannot be maintained so."""
    layout = possible_layout(table, context, planned)
    if table.mode is not RequestedMode.INCREMENTAL:
        return layout
    if isinstance(layout, Layout):
        with context.lake.borrow_session() as session:
            reason, rewrite = plan_obstacle(layout, sources_of(table, context.session), session), None
    else:
        reason, rewrite = layout.reason, layout.rewrite
    if reason is not None:
        raise NotSupportedError(
            f"incremental refresh is not supported: {reason}",
            hint=rewrite or "use REFRESH_MODE = AUTO, which recomputes the table when necessary",
            place=mode_at,
        )
    return layout


def mode_place(statement: CreateDynamicTable, text: str) -> Place | None:
    span = statement.places.get("REFRESH_MODE")
    return None if span is None else place_of(text, span)


def possible_layout(table: DynamicTable, context: StatementContext, planned: Layouts) -> Layout | NoLayout:
    """With parameters, one that some values give it; which ones hardly ever matters."""
    given = arguments_here(table.definition.expanded, context.session)
    sources = sources_of(table, context.session)
    with context.lake.borrow_session() as session:
        for supposed in presumed(table, given):
            layout = layout_of(supposed, sources, planned, session)
            if isinstance(layout, Layout):
                break
    return layout
