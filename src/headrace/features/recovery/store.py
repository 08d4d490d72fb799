"""What was dropped: announced, moved, confirmed, and the same way back.

Each step also moves the row of a dynamic table, whose name is taken until the object has left it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, delete, exc, insert, select, update

from headrace.catalog import rows
from headrace.catalog.row_access import Read, Write, named
from headrace.catalog.schema import DropStage, Lifecycle, dropped_objects, dynamic_tables
from headrace.errors import AlreadyExists, NotFound
from headrace.model.dropped import Dropped
from headrace.model.names import DROPPED_SCHEMA, TableName
from headrace.model.object_kind import ObjectKind

_NEWEST_FIRST = dropped_objects.c.id.desc()


@dataclass(frozen=True)
class DroppedAt:
    dropped: Dropped
    stage: DropStage


class DroppedObjects:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read) -> None:
        self._write = write
        self._read = read

    def begin_drop(self, dropped: Dropped) -> Dropped:
        """Announces it; a dynamic table no longer shows, and its name stays taken."""
        row = dropped_to_row(dropped) | {"stage": DropStage.DROPPING.value}
        with self._write() as connection:
            inserted = connection.execute(insert(dropped_objects).values(row))
            _move_table(connection, dropped, Lifecycle.ACTIVE, Lifecycle.DROPPING)
            (number,) = inserted.inserted_primary_key or (0,)
        return replace(dropped, id=int(number))

    def finish_drop(self, dropped: Dropped) -> None:
        with self._write() as connection:
            _move(connection, dropped, DropStage.DROPPING, DropStage.DROPPED)
            _move_table(connection, dropped, Lifecycle.DROPPING, Lifecycle.DROPPED, dropped.kept_as)

    def abandon_drop(self, dropped: Dropped) -> None:
        """As if it had never begun."""
        with self._write() as connection:
            _remove(connection, dropped)
            _move_table(connection, dropped, Lifecycle.DROPPING, Lifecycle.ACTIVE)

    def begin_undrop(self, dropped: Dropped) -> None:
        """Takes the name of a dynamic table; it shows once finish_undrop has run."""
        with self._write() as connection:
            _move(connection, dropped, DropStage.DROPPED, DropStage.UNDROPPING)
            _move_table(connection, dropped, Lifecycle.DROPPED, Lifecycle.UNDROPPING, dropped.name)

    def finish_undrop(self, dropped: Dropped) -> None:
        with self._write() as connection:
            _remove(connection, dropped)
            _move_table(connection, dropped, Lifecycle.UNDROPPING, Lifecycle.ACTIVE)

    def abandon_undrop(self, dropped: Dropped) -> None:
        with self._write() as connection:
            _move(connection, dropped, DropStage.UNDROPPING, DropStage.DROPPED)
            _move_table(connection, dropped, Lifecycle.UNDROPPING, Lifecycle.DROPPED, dropped.kept_as)

    def begin_purge(self, dropped: Dropped) -> None:
        """From here on there is no way back."""
        with self._write() as connection:
            _move(connection, dropped, DropStage.DROPPED, DropStage.PURGING)

    def forget(self, dropped: Dropped) -> None:
        """Its files are gone; of a dynamic table the history stays."""
        with self._write() as connection:
            _remove(connection, dropped)
            if dropped.dynamic_table_id is not None:
                connection.execute(
                    delete(dynamic_tables).where(dynamic_tables.c.id == dropped.dynamic_table_id)
                )

    def of_name(self, name: TableName) -> list[Dropped]:
        """Those at rest, the last one dropped first."""
        return self._at(DropStage.DROPPED, named(dropped_objects, name))

    def all(self) -> list[Dropped]:
        return self._at(DropStage.DROPPED)

    def purging(self) -> list[Dropped]:
        return self._at(DropStage.PURGING)

    def sources_of(self, dropped: Dropped) -> tuple[TableName, ...]:
        """What a dropped dynamic table reads."""
        query = select(dynamic_tables.c.sources).where(dynamic_tables.c.id == dropped.dynamic_table_id)
        with self._read(dynamic_tables, query) as found:
            return tuple(source for row in found for source in rows.sources_from_row(row))

    def unfinished(self) -> list[DroppedAt]:
        """Not at rest, the last one dropped first."""
        query = select(dropped_objects).where(dropped_objects.c.stage != DropStage.DROPPED.value)
        with self._read(dropped_objects, query.order_by(_NEWEST_FIRST)) as found:
            return [DroppedAt(_dropped_from_row(row), DropStage(row["stage"])) for row in found]

    def _at(self, stage: DropStage, *conditions: ColumnElement[bool]) -> list[Dropped]:
        query = select(dropped_objects).where(dropped_objects.c.stage == stage.value, *conditions)
        with self._read(dropped_objects, query.order_by(_NEWEST_FIRST)) as found:
            return [_dropped_from_row(row) for row in found]


def _move(connection: Connection, dropped: Dropped, before: DropStage, after: DropStage) -> None:
    at = and_(dropped_objects.c.id == dropped.id, dropped_objects.c.stage == before.value)
    change = update(dropped_objects).where(at).values(stage=after.value)
    if connection.execute(change).rowcount != 1:
        raise NotFound(f"the dropped {dropped.name} is no longer {before}")


def _remove(connection: Connection, dropped: Dropped) -> None:
    connection.execute(delete(dropped_objects).where(dropped_objects.c.id == dropped.id))


def _move_table(
    connection: Connection,
    dropped: Dropped,
    before: Lifecycle,
    after: Lifecycle,
    name: TableName | None = None,
) -> None:
    """The dynamic table's own row, under another name if one is given."""
    if dropped.dynamic_table_id is None:
        return
    table = dynamic_tables.c
    at = and_(table.id == dropped.dynamic_table_id, table.lifecycle == before.value)
    values = {"lifecycle": after.value} | ({} if name is None else rows.name_to_columns(name))
    try:
        moved = connection.execute(update(dynamic_tables).where(at).values(values)).rowcount
    except exc.IntegrityError as error:
        raise AlreadyExists(f"{name} already exists") from error.orig
    if moved != 1:
        raise NotFound(f"no dynamic table with id {dropped.dynamic_table_id} is {before}")


def dropped_to_row(dropped: Dropped) -> dict[str, Any]:
    """All columns of dropped_objects but the id and the stage."""
    return {
        "kind": dropped.kind.value,
        **rows.name_to_columns(dropped.name),
        "kept_as": dropped.kept_as.table,
        "uuid": dropped.uuid,
        "location": dropped.location,
        "dropped_at": dropped.dropped_at,
        "retention_days": dropped.retention_days,
        "dynamic_table_id": dropped.dynamic_table_id,
        "created_at": dropped.created_at,
        "rows": dropped.rows,
        "bytes": dropped.bytes,
    }


def _dropped_from_row(row: rows.Row) -> Dropped:
    return Dropped(
        kind=ObjectKind(row["kind"]),
        name=rows.name_from_columns(row),
        kept_as=TableName(row["workspace"], DROPPED_SCHEMA, row["kept_as"]),
        uuid=row["uuid"],
        location=row["location"],
        dropped_at=row["dropped_at"],
        retention_days=row["retention_days"],
        dynamic_table_id=row["dynamic_table_id"],
        created_at=row["created_at"],
        rows=row["rows"],
        bytes=row["bytes"],
        id=row["id"],
    )
