"""The rows of a table stream: found, made readable for Spark, and shown to it under the stream's name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from headrace.errors import StreamStale
from headrace.features.streams.change_sql import (
    OWN_COLUMNS,
    ChangedRows,
    ShownColumn,
    all_rows,
    inserted_rows,
    net_changes,
    no_rows,
)
from headrace.features.streams.legs import Leg, commit_of, insertion_legs, whole_way
from headrace.features.streams.model import StreamMode, TableStream
from headrace.lake.change_scan.changes import Changes, NoChangeScan, find_changes
from headrace.lake.session import LakeSession
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.table.pin import Field, pinned, sql_type
from headrace.lake.table.tables import TABLE_ID, Table
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier
from headrace.model.version import TableVersion
from headrace.sql.queries.hiding import is_hidden

_OWN_TYPES = ("string", "bigint", "timestamp")


@dataclass(frozen=True)
class StreamRows:
    sql: str
    columns: str
    """With their types, as DDL."""
    upto: TableVersion
    """Where the stream stands once they are consumed."""


def visible_fields(table: Table) -> tuple[Field, ...]:
    """What a stream shows of its source."""
    hides = TABLE_ID in table.properties
    return tuple(field for field in table.fields if not (hides and is_hidden(field.name)))


def stream_columns(table: Table) -> list[tuple[str, str]]:
    """Names and types of all that a stream has."""
    own = list(zip(OWN_COLUMNS, _OWN_TYPES, strict=True))
    return own + [(field.name, sql_type(field.type)) for field in visible_fields(table)]


def staleness(stream: TableStream, table: Table, session: LakeSession) -> str | None:
    """Why the stream can no longer be read; None if it can."""
    if stream.offset.uuid != table.version.uuid:
        return f"{table.name} is not the table that it was created on"
    if stream.initial_rows_due:
        at = stream.offset.snapshot_id
        return None if at is None or table.has_snapshot(at) else f"version {at} of {table.name} has expired"
    found = find_changes(session, table, _since(stream, table))
    return found.reason if isinstance(found, NoChangeScan) else None


@contextmanager
def stream_rows(stream: TableStream, table: Table, session: LakeSession) -> Iterator[StreamRows]:
    """Inside, the SQL can be read by any session; raises StreamStale."""
    columns = stream_columns(table)
    ddl = ", ".join(f"{quote_identifier(name)} {kind}" for name, kind in columns)
    with ExitStack() as stack:
        parts = list(_parts(stream, table, session, stack))
        upto = stream.offset if stream.initial_rows_due else table.version
        yield StreamRows(" UNION ALL ".join(parts) or no_rows(columns), ddl, upto)


def _parts(stream: TableStream, table: Table, session: LakeSession, stack: ExitStack) -> Iterator[str]:
    shown = [
        ShownColumn(field.name, session.comparable(quote_identifier(field.name), sql_type(field.type)))
        for field in visible_fields(table)
    ]
    if stream.initial_rows_due or stream.offset.uuid != table.version.uuid:
        yield from _initial_rows(stream, table, shown, session)
        return
    for leg in _legs(stream, table):
        changed = _changed(leg, stream, table, session, stack)
        inserts_only = stream.mode is StreamMode.APPEND_ONLY
        yield (inserted_rows if inserts_only else net_changes)(changed, shown)


def _initial_rows(
    stream: TableStream, table: Table, shown: list[ShownColumn], session: LakeSession
) -> Iterator[str]:
    reason = staleness(stream, table, session)
    if reason is not None:
        raise stale(stream, reason)
    version = stream.offset.snapshot_id
    if version is not None:
        columns = [column.name for column in shown]
        at_version = pinned(table.name, version, table.fields_at(version), table.fields, columns)
        yield all_rows(at_version, commit_of(table.snapshot_of(version)), shown)


def _legs(stream: TableStream, table: Table) -> list[Leg]:
    since, until = stream.offset.snapshot_id, table.version.snapshot_id
    if until is None:
        if since is not None:
            raise stale(stream, f"{table.name} was replaced after version {since}")
        return []
    kept = table.versions().kept
    if stream.mode is StreamMode.APPEND_ONLY:
        return insertion_legs(kept, since, until)
    return [whole_way(kept, since, until)]


def _changed(
    leg: Leg, stream: TableStream, table: Table, session: LakeSession, stack: ExitStack
) -> ChangedRows:
    since = replace(_since(stream, table), snapshot_id=leg.since)
    found = find_changes(session, table, since, leg.until)
    if isinstance(found, NoChangeScan):
        raise stale(stream, found.reason)
    changes: Changes = stack.enter_context(found)
    return ChangedRows(changes.dated_sql, changes.has_row_id, changes.estimate.insert_only, leg.commits)


def _since(stream: TableStream, table: Table) -> TableVersion:
    """Rows are read with the columns of today, whatever columns there were then."""
    return replace(stream.offset, schema_id=table.version.schema_id)


def stale(stream: TableStream, reason: str) -> StreamStale:
    return StreamStale(
        f"table stream {stream.name} is stale: {reason}",
        hint=f"CREATE OR REPLACE TABLE STREAM {stream.name} ON TABLE {stream.source} recreates it",
    )


@contextmanager
def streams_shown(shown: Mapping[TableName, StreamRows], session: LakeSession) -> Iterator[None]:
    """Inside, what this thread has Spark analyse finds the streams by their names, through views too."""
    with spark_errors():
        views = java_class(session.spark, "headrace.catalog.StreamViews")
        for name, rows in shown.items():
            views.show(name.schema, name.table, rows.sql, rows.columns)
    try:
        yield
    finally:
        views.hide()
