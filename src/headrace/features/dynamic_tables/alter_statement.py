"""ALTER DYNAMIC TABLE: nothing is recomputed, and a refresh that runs is waited for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from headrace.catalog.definition_lifecycle import Altering
from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import AlreadyExists, NotFound
from headrace.features.dynamic_tables.create import layout_for
from headrace.features.dynamic_tables.grammar_statements import (
    AlterDynamicTable,
    RenameColumn,
    RenameTo,
    Resume,
    SetComment,
    SetProperties,
    SetRefresh,
    SetRefreshMode,
    Suspend,
    UnsetProperties,
)
from headrace.features.dynamic_tables.lake_side import apply, concerns_lake, settle_alteration
from headrace.features.dynamic_tables.options import (
    check_cluster,
    check_interval,
    check_property,
    property_key,
)
from headrace.features.dynamic_tables.rename import with_column_renamed, with_new_name
from headrace.features.dynamic_tables.session_arguments import check_defaults
from headrace.model.dynamic_table import DynamicTable, RequestedMode
from headrace.model.quoting import quote_string
from headrace.result import NOTHING, Result
from headrace.sql.parsing.statements import Property, Word
from headrace.sql.tokens.positions import Span, place_of


def alter_dynamic_table(
    statement: AlterDynamicTable, given: StatementInput, context: StatementContext
) -> Result:
    with (
        pointing_at(given.text, statement.name.span),
        context.alone_with(statement.name, "ALTER {kind} {name}") as table,
    ):
        match statement.action:
            case Suspend():
                notices = _set_suspended(table, context, suspended=True)
            case Resume():
                notices = _set_suspended(table, context, suspended=False)
            case RenameTo() as action:
                notices = _rename(table, action, given.text, context)
            case RenameColumn() as action:
                notices = change(table, with_column_renamed(table, action, given.text, context), context)
            case SetComment(comment):
                notices = change(table, replace(table, comment=comment), context)
            case SetProperties(properties):
                notices = change(table, with_properties(table, properties, given.text), context)
            case UnsetProperties() as action:
                wanted = without_properties(table, action, given.text)
                check_defaults(wanted, place_of(given.text, statement.span))
                notices = change(table, wanted, context)
            case SetRefresh() as action:
                notices = change(table, _with_schedule(table, action, given.text, context), context)
            case SetRefreshMode(mode):
                notices = change(table, _with_mode(table, mode, given.text, statement.span, context), context)
            case _:
                assert_never(statement.action)
    return Result(NOTHING, notices)


def change(table: DynamicTable, wanted: DynamicTable, context: StatementContext) -> tuple[str, ...]:
    """What dies in between is finished or undone when the lake is next opened."""
    if wanted == table:
        return (f"{table.name} already has these values, nothing was done",)
    store = context.lake.store
    alteration = Altering(table, replace(wanted, modified_at=context.now()))
    if not concerns_lake(alteration):
        store.lifecycle.replace(alteration.intended)
        return ()
    store.lifecycle.begin_alter(alteration.intended)
    try:
        apply(alteration, context.session)
    except BaseException:
        settle_alteration(alteration, context.session.catalog, store.lifecycle)
        raise
    try:
        store.lifecycle.finish_alter(alteration.intended)
    except AlreadyExists:
        apply(Altering(alteration.intended, table), context.session)
        store.lifecycle.abandon_alter(table.id)
        raise
    return ()


def _set_suspended(table: DynamicTable, context: StatementContext, *, suspended: bool) -> tuple[str, ...]:
    if table.suspended is suspended:
        return (f"{table.name} is {'already' if suspended else 'not'} suspended, nothing was done",)
    context.lake.store.definitions.set_suspended(table.id, suspended, context.now())
    return ()


def _rename(table: DynamicTable, action: RenameTo, text: str, context: StatementContext) -> tuple[str, ...]:
    with pointing_at(text, action.name.span):
        wanted = with_new_name(table, action.name.parts, context)
        notices = change(table, wanted, context)
    readers = context.lake.store.definitions.readers_of(table.name)
    if wanted.name == table.name or not readers:
        return notices
    listed = ", ".join(map(str, readers))
    return (
        f"{table.name} is still read by {listed}: the rows do not change until a table of that name exists",
    )


def with_properties(table: DynamicTable, properties: Iterable[Property], text: str) -> DynamicTable:
    for each in properties:
        check_property(each.name.text, each.value.text, place_of(text, each.value.span))
    new = {property_key(each.name.text): each.value.text for each in properties}
    return replace(table, properties={**table.properties, **new})


def without_properties(table: DynamicTable, action: UnsetProperties, text: str) -> DynamicTable:
    gone = {property_key(name.text) for name in action.names}
    if not action.if_exists:
        check_present(action.names, table.properties, text)
    kept = {key: value for key, value in table.properties.items() if key not in gone}
    return replace(table, properties=kept)


def check_present(names: Iterable[Word], present: Iterable[str], text: str) -> None:
    for name in names:
        if property_key(name.text) not in present:
            raise NotFound(
                f"property {quote_string(name.text)} does not exist",
                hint="UNSET PROPERTIES IF EXISTS ignores missing properties",
                place=place_of(text, name.span),
            )


def _with_schedule(
    table: DynamicTable, action: SetRefresh, text: str, context: StatementContext
) -> DynamicTable:
    least = context.lake.settings.minimum_interval_seconds
    check_interval(action.interval_seconds, least, place_of(text, action.interval_span))
    named = action.cluster
    cluster = table.cluster
    if named is not None:
        cluster = check_cluster(named.text, context.lake.store.vclusters, place_of(text, named.span))
    schedule = replace(table.schedule, interval_seconds=action.interval_seconds)
    wanted = replace(table, schedule=schedule, cluster=cluster)
    check_defaults(wanted, place_of(text, action.interval_span))
    return wanted


def _with_mode(
    table: DynamicTable, mode: RequestedMode, text: str, span: Span, context: StatementContext
) -> DynamicTable:
    wanted = replace(table, mode=mode)
    if mode is RequestedMode.INCREMENTAL:
        layout_for(wanted, place_of(text, span), context, context.lake.layouts)
    return wanted
