"""UNDROP."""

from __future__ import annotations

from headrace.commands.keep import bring_back
from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.errors import AlreadyExists, Error, LakeDamaged, NotFound, Refused
from headrace.model.dropped import Dropped
from headrace.model.names import TableName
from headrace.model.object_kind import ObjectKind
from headrace.model.quoting import show_identifier
from headrace.result import NOTHING, Result
from headrace.sql.statements import Undrop

_LISTED = "SHOW TABLES HISTORY lists what can be undropped"


def undrop(statement: Undrop, text: str, bench: Workbench) -> Result:
    """The last one dropped of that name; of any kind, unless the user names one."""
    with pointing_at(text, statement.name.span), bench.lake.moving_names:
        name = bench.resolve(statement.name)
        _expect_free(name, bench)
        dropped = _last_dropped(name, statement.kind, bench)
        _check(dropped, bench)
        bring_back(dropped, bench.lake.store.dropped, bench.lake.store.streams, bench.session.catalog)
    return Result(NOTHING)


def _expect_free(name: TableName, bench: Workbench) -> None:
    if (taken := bench.kind_of(name)) is not None:
        raise AlreadyExists(f"{name} already exists and is a {taken}", hint="rename or drop that one first")


def _last_dropped(name: TableName, kind: ObjectKind, bench: Workbench) -> Dropped:
    every = bench.lake.store.dropped.of_name(name)
    matching = [dropped for dropped in every if kind in (ObjectKind.TABLE, dropped.kind)]
    kept = [dropped for dropped in matching if dropped.is_kept(bench.now())]
    if kept:
        return kept[0]
    raise _nothing_kept(name, kind, every, matching, bench)


def _nothing_kept(
    name: TableName, kind: ObjectKind, every: list[Dropped], matching: list[Dropped], bench: Workbench
) -> Error:
    if matching:
        until = matching[0].undrop_until.astimezone(bench.lake.settings.zone)
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


def _check(dropped: Dropped, bench: Workbench) -> None:
    name, catalog = dropped.name, bench.session.catalog
    if not catalog.has_schema(name.workspace, name.schema):
        schema = f"{show_identifier(name.workspace)}.{show_identifier(name.schema)}"
        raise NotFound(f"schema {schema} does not exist", hint=f"CREATE SCHEMA {schema} first")
    if dropped.kind is ObjectKind.TABLE_STREAM:
        return
    if not catalog.has(dropped.kept_as, dropped.uuid):
        raise LakeDamaged(f"the data of {name} was removed by another program")
    if dropped.dynamic_table_id is not None and (circle := _circle(dropped, bench)) is not None:
        raise Refused(
            f"dynamic tables cannot depend on each other in a cycle: {' reads '.join(map(str, circle))}",
            hint=f"drop {circle[1]} first",
        )


def _circle(dropped: Dropped, bench: Workbench) -> tuple[TableName, ...] | None:
    """From the table back to itself, through what was created while it was away."""
    store = bench.lake.store
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
