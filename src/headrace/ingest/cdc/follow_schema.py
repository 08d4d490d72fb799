"""Columns of a source that have changed since its table was made."""

from __future__ import annotations

import re
from collections.abc import Mapping

from headrace.errors import DataError
from headrace.features.syncs.model import SyncMode
from headrace.ingest.cdc.changes import SourceColumn, SourceTable
from headrace.ingest.cdc.declared_types import keeps_values
from headrace.ingest.cdc.write_sql import added_columns
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.quoting import quote_identifier

_WIDER = {("int", "bigint"), ("float", "double")}
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")


class SchemaChanged(DataError):
    """In a way that the table cannot follow."""


def follow_schema(
    table: Table,
    source: SourceTable,
    key: tuple[str, ...],
    mode: SyncMode,
    session: LakeSession,
    *,
    fills: bool = False,
) -> None:
    """Adds new columns and widens types; what cannot be followed stops the table.

    ``fills``: all rows are read after it, so that a new column has its values in older rows, too.

    A shard need not have all columns of its table: shards are altered one after the other.
    """
    if source.key != key:
        raise _stopped(source, f"its key was ({', '.join(key)}) and is ({', '.join(source.key)})")
    known = _columns(table, mode, session)
    wanted = {column.name: column for column in source.columns}
    gone = [name for name in known if name not in wanted]
    if gone and mode is not SyncMode.SHARD_MERGE:
        raise _stopped(source, f"column {gone[0]} was dropped or renamed")
    changes = [_change(known.get(column.name), column, source, fills) for column in source.columns]
    for change in filter(None, changes):
        session.run(f"ALTER TABLE {table.name.sql} {change}")


def declared_columns(source: SourceTable) -> dict[str, str]:
    """As a position has them: PostgreSQL's number of the column, where there is one, and its type."""
    return {
        column.name: column.declared if column.number is None else f"{column.number} {column.declared}"
        for column in source.columns
    }


def expect_same_values(known: Mapping[str, str], source: SourceTable) -> None:
    """What ALTER TABLE has done to the values of rows is not in the log."""
    now = declared_columns(source)
    for name, before in known.items():
        if name not in now:
            raise _stopped(source, f"column {name} was dropped or renamed")
        (number, was), (own, declared) = _parts(before), _parts(now[name])
        if number != own:
            raise _stopped(source, f"column {name} was dropped or renamed, and there is another one")
        if not keeps_values(was, declared):
            raise _stopped(source, f"column {name} was {was} and is {declared}")
    for column in source.columns:
        if column.name not in known and column.has_default:
            raise _with_default(source, column)


def _parts(declared: str) -> tuple[str, str]:
    number, _, kind = declared.partition(" ")
    return (number, kind) if number.isdigit() else ("", declared)


def _columns(table: Table, mode: SyncMode, session: LakeSession) -> dict[str, str]:
    own = {name for name, _ in added_columns(mode)}
    return {
        column.name: column.type
        for column in session.analyze(f"SELECT * FROM {table.name.sql}").columns
        if column.name not in own
    }


def _change(known: str | None, column: SourceColumn, source: SourceTable, fills: bool) -> str | None:
    name = quote_identifier(column.name)
    if known is None:
        if column.has_default and not fills:
            raise _with_default(source, column)
        return f"ADD COLUMN {name} {column.type}"
    if known == column.type:
        return None
    if (known, column.type) in _WIDER or _is_wider_decimal(known, column.type):
        return f"ALTER COLUMN {name} TYPE {column.type}"
    raise _stopped(source, f"column {column.name} was {known} and is {column.source_type} ({column.type})")


def _is_wider_decimal(known: str, wanted: str) -> bool:
    before, after = _DECIMAL.fullmatch(known), _DECIMAL.fullmatch(wanted)
    if before is None or after is None:
        return False
    return before[2] == after[2] and int(after[1]) > int(before[1])


def _with_default(source: SourceTable, column: SourceColumn) -> SchemaChanged:
    return _stopped(source, f"column {column.name} was added with a default, which older rows have, too")


def _stopped(source: SourceTable, what: str) -> SchemaChanged:
    return SchemaChanged(f"{source.full_name} has changed: {what}")
