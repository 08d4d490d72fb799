"""Table streams, and how far each has been consumed.

A consumption is announced before its statement runs and ended after; the table written to says which way it
ended where the process did not live to.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, delete, exc, insert, select, update

from headrace.catalog import rows
from headrace.catalog.row_access import Read, Write, named
from headrace.catalog.schema import DropStage, consumptions, dropped_objects, table_streams
from headrace.errors import AlreadyExists, NotFound, StreamBusy
from headrace.features.recovery.store import dropped_to_row
from headrace.features.streams.model import Consumption, StreamMode, TableStream
from headrace.model.dropped import Dropped
from headrace.model.names import DROPPED_SCHEMA, TableName
from headrace.model.version import TableVersion

_ACTIVE = table_streams.c.schema != DROPPED_SCHEMA


class TableStreams:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read) -> None:
        self._write = write
        self._read = read

    def create(self, stream: TableStream, *, instead_of: str | None = None) -> None:
        """``instead_of`` is the id of the stream that it replaces."""
        with self._write() as connection:
            if instead_of is not None:
                _expect_free(connection, instead_of)
                connection.execute(delete(table_streams).where(table_streams.c.id == instead_of))
            try:
                connection.execute(insert(table_streams).values(_stream_to_row(stream)))
            except exc.IntegrityError as error:
                raise AlreadyExists(f"{stream.name} already exists") from error.orig

    def find(self, name: TableName) -> TableStream | None:
        return next(iter(self._streams(_ACTIVE, named(table_streams, name))), None)

    def all(self) -> list[TableStream]:
        return self._streams(_ACTIVE)

    def names(self) -> frozenset[TableName]:
        columns = table_streams.c
        query = select(columns.workspace, columns.schema, columns.name).where(_ACTIVE)
        with self._read(table_streams, query) as found:
            return frozenset(rows.name_from_columns(row) for row in found)

    def in_schema(self, workspace: str, schema: str) -> list[TableStream]:
        return self._streams(table_streams.c.workspace == workspace, table_streams.c.schema == schema)

    def reading(self, uuid: str) -> list[TableStream]:
        """Those of the table with this identity, dropped ones too."""
        return [stream for stream in self._streams() if stream.offset.uuid == uuid]

    def follow_rename(self, before: TableName, after: TableName) -> None:
        """Of a table that streams are on."""
        with self._write() as connection:
            move_source(connection, before, after)

    def drop(self, stream: TableStream, dropped: Dropped) -> None:
        """Frees the name."""
        row = dropped_to_row(dropped) | {"stage": DropStage.DROPPED.value}
        with self._write() as connection:
            _expect_free(connection, stream.id)
            connection.execute(insert(dropped_objects).values(row))
            _rename(connection, stream.id, dropped.kept_as)

    def undrop(self, dropped: Dropped) -> None:
        with self._write() as connection:
            _forget_drop(connection, dropped)
            _rename(connection, dropped.uuid, dropped.name)

    def forget(self, dropped: Dropped) -> None:
        """For good."""
        with self._write() as connection:
            _forget_drop(connection, dropped)
            connection.execute(delete(table_streams).where(table_streams.c.id == dropped.uuid))

    def begin(self, consumption: Consumption, streams: list[TableStream]) -> None:
        """Unless one of ``streams`` is not as given: dropped, moved on, or claimed by another."""
        with self._write() as connection:
            connection.execute(insert(consumptions).values(_consumption_to_row(consumption)))
            for stream in streams:
                _claim(connection, stream, consumption.id)

    def finish(self, consumption: Consumption) -> None:
        """All of its streams move together."""
        with self._write() as connection:
            for stream, offset in consumption.offsets.items():
                moved = {"offset": asdict(offset), "initial_rows_due": False, "claimed_by": None}
                connection.execute(update(table_streams).where(_held(stream, consumption)).values(moved))
            connection.execute(delete(consumptions).where(consumptions.c.id == consumption.id))

    def abandon(self, consumption: Consumption) -> None:
        """As if it had never begun."""
        with self._write() as connection:
            for stream in consumption.offsets:
                released = update(table_streams).where(_held(stream, consumption))
                connection.execute(released.values(claimed_by=None))
            connection.execute(delete(consumptions).where(consumptions.c.id == consumption.id))

    def unended(self, consumption_id: str | None = None) -> list[Consumption]:
        """All, or the one of that id."""
        query = select(consumptions).order_by(consumptions.c.begun_at)
        if consumption_id is not None:
            query = query.where(consumptions.c.id == consumption_id)
        with self._read(consumptions, query) as found:
            return [_consumption_from_row(row) for row in found]

    def _streams(self, *conditions: ColumnElement[bool]) -> list[TableStream]:
        with self._read(table_streams, select(table_streams).where(*conditions)) as found:
            return sorted((_stream_from_row(row) for row in found), key=lambda stream: stream.name)


def move_source(connection: Connection, before: TableName, after: TableName) -> None:
    query = select(table_streams.c.id, table_streams.c.source)
    for stream_id, source in connection.execute(query).all():
        if source == asdict(before):
            moved = update(table_streams).where(table_streams.c.id == stream_id)
            connection.execute(moved.values(source=asdict(after)))


def _held(stream_id: str, consumption: Consumption) -> ColumnElement[bool]:
    return and_(table_streams.c.id == stream_id, table_streams.c.claimed_by == consumption.id)


def _expect_free(connection: Connection, stream_id: str) -> None:
    query = select(table_streams.c.claimed_by).where(table_streams.c.id == stream_id)
    if connection.execute(query).scalar() is not None:
        raise StreamBusy("the stream is being consumed", hint="try again when the other statement has ended")


def _claim(connection: Connection, stream: TableStream, consumption_id: str) -> None:
    query = select(table_streams).where(table_streams.c.id == stream.id)
    row = connection.execute(query).mappings().first()
    if row is None or _stream_from_row(row) != stream or stream.claimed_by is not None:
        raise StreamBusy(
            f"another statement has concurrently consumed or changed {stream.name}", hint="try again"
        )
    change = update(table_streams).where(table_streams.c.id == stream.id)
    connection.execute(change.values(claimed_by=consumption_id))


def _rename(connection: Connection, stream_id: str, name: TableName) -> None:
    change = update(table_streams).where(table_streams.c.id == stream_id)
    try:
        connection.execute(change.values(rows.name_to_columns(name)))
    except exc.IntegrityError as error:
        raise AlreadyExists(f"{name} already exists") from error.orig


def _forget_drop(connection: Connection, dropped: Dropped) -> None:
    gone = connection.execute(delete(dropped_objects).where(dropped_objects.c.id == dropped.id))
    if gone.rowcount != 1:
        raise NotFound(f"the dropped {dropped.name} is no longer kept")


def _stream_to_row(stream: TableStream) -> dict[str, Any]:
    return {
        "id": stream.id,
        **rows.name_to_columns(stream.name),
        "source": asdict(stream.source),
        "offset": asdict(stream.offset),
        "mode": stream.mode.value,
        "shows_initial_rows": stream.shows_initial_rows,
        "initial_rows_due": stream.initial_rows_due,
        "creator": stream.creator,
        "created_at": stream.created_at,
        "comment": stream.comment,
        "claimed_by": stream.claimed_by,
    }


def _stream_from_row(row: rows.Row) -> TableStream:
    return TableStream(
        id=row["id"],
        name=rows.name_from_columns(row),
        source=rows.name_from_json(row["source"]),
        offset=TableVersion(**row["offset"]),
        mode=StreamMode(row["mode"]),
        shows_initial_rows=row["shows_initial_rows"],
        initial_rows_due=row["initial_rows_due"],
        creator=row["creator"],
        created_at=row["created_at"],
        comment=row["comment"],
        claimed_by=row["claimed_by"],
    )


def _consumption_to_row(consumption: Consumption) -> dict[str, Any]:
    return {
        "id": consumption.id,
        **rows.name_to_columns(consumption.target),
        "begun_at": consumption.begun_at,
        "offsets": {stream: asdict(offset) for stream, offset in consumption.offsets.items()},
    }


def _consumption_from_row(row: rows.Row) -> Consumption:
    return Consumption(
        id=row["id"],
        target=rows.name_from_columns(row),
        begun_at=row["begun_at"],
        offsets={stream: TableVersion(**offset) for stream, offset in row["offsets"].items()},
    )
