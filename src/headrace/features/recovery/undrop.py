"""UNDROP."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from headrace.catalog.store import MetadataStore
from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import AlreadyExists, Error, LakeDamaged, NotFound, Refused
from headrace.features.recovery.grammar import Undrop
from headrace.features.recovery.trash import bring_back
from headrace.lake.table.tables import TableCatalog
from headrace.model.dropped import Dropped
from headrace.model.names import TableName
from headrace.model.object_kind import ObjectKind
from headrace.model.quoting import show_identifier
from headrace.result import NOTHING, Result

_LISTED = "SHOW TABLES HISTORY lists what can be undropped"


def undrop(statement: Undrop, given: StatementInput, context: StatementContext) -> Result:
    """The last one dropped of that name; of any kind, unless the user names one."""
    with pointing_at(given.text, statement.name.span), context.lake.moving_names:
        name = context.resolve(statement.name)
        _expect_free(name, context.kind_of(name))
        store, catalog = context.lake.store, context.session.catalog
        every = store.dropped.of_name(name)
        dropped = _last_dropped(name, statement.kind, every, context.now(), context.lake.settings.zone)
        _check(dropped, store, catalog)
        bring_back(dropped, store.dropped, store.streams, catalog)
    return Result(NOTHING)


def _expect_free(name: TableName, taken: str | None) -> None:
    if taken is not None:
        raise AlreadyExists(f"{name} already exists and is a {taken}", hint="rename or drop that one first")


def _last_dropped(
    name: TableName, kind: ObjectKind, every: list[Dropped], now: datetime, zone: ZoneInfo
) -> Dropped:
    matching = [dropped for dropped in every if kind in (ObjectKind.TABLE, dropped.kind)]
    kept = [dropped for dropped in matching if dropped.is_kept(now)]
    if kept:
        return kept[0]
    raise _nothing_kept(name, kind, every, matching, zone)


def _nothing_kept(
    name: TableName,
    kind: ObjectKind,
    every: list[Dropped],
    matching: list[Dropped],
    zone: ZoneInfo,
) -> Error:
    if matching:
        until = matching[0].undrop_until.astimezone(zone)
        return NotFound(
            f"{name} can no longer be undropped: its retention ended at {until:%Y-%m-%d %H:%M:%S}",
            hint=_LISTED,
        )
    if every:
        return Refused(
            f"the dropped {name} is not a {kind.lower()}",
            hint=f"use UNDROP {every[0].kind} {name}",
        )
    return NotFound(f"dropped {kind.lower()} {name} does not exist", hint=_LISTED)


def _check(dropped: Dropped, store: MetadataStore, catalog: TableCatalog) -> None:
    name = dropped.name
    if not catalog.has_schema(name.workspace, name.schema):
        schema = f"{show_identifier(name.workspace)}.{show_identifier(name.schema)}"
        raise NotFound(f"schema {schema} does not exist", hint=f"CREATE SCHEMA {schema} first")
    if dropped.kind is ObjectKind.TABLE_STREAM:
        return
    if not catalog.has(dropped.kept_as, dropped.uuid):
        raise LakeDamaged(f"the data of {name} was removed by another program")
    if dropped.dynamic_table_id is not None and (circle := _circle(dropped, store)) is not None:
        raise Refused(
            f"dynamic tables cannot depend on each other in a cycle: {' reads '.join(map(str, circle))}",
            hint=f"drop {circle[1]} first",
        )


def _circle(dropped: Dropped, store: MetadataStore) -> tuple[TableName, ...] | None:
    """From the table back to itself, through what was created while it was away."""
    readers: list[tuple[TableName, ...]] = [(dropped.name,)]
    sources = store.dropped.sources_of(dropped)
    seen: set[TableName] = set()
    while readers:
        path = readers.pop()
        if path[0] in sources:
            return (dropped.name, *path)
        for reader in store.definitions.readers_of(path[0]):
            if reader not in seen:
                seen.add(reader)
                readers.append((reader, *path))
    return None
