"""How the definition of a dynamic table comes, changes and goes.

A change that Iceberg's catalog takes part in is announced, executed there and confirmed: what a killed
process leaves between is finished or undone when the lake is next opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, exc, insert, null, select, update

from headrace.catalog import rows
from headrace.catalog.definitions import ACTIVE, expect_one, in_lifecycle
from headrace.catalog.row_access import Read, Write
from headrace.catalog.schema import Lifecycle, dynamic_tables, refreshes
from headrace.errors import AlreadyExists
from headrace.features.streams.store import move_source
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName

_UNFINISHED = dynamic_tables.c.lifecycle.in_(
    (Lifecycle.CREATING.value, Lifecycle.REPLACING.value, Lifecycle.DROPPING.value)
)


@dataclass(frozen=True)
class Unfinished:
    """A table whose creation, replacement or removal was begun and not ended."""

    table: DynamicTable
    lifecycle: Lifecycle


@dataclass(frozen=True)
class Altering:
    """A table whose alteration was begun and not ended."""

    table: DynamicTable
    intended: DynamicTable


class DefinitionLifecycle:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read) -> None:
        self._write = write
        self._read = read

    def begin_create(self, table: DynamicTable) -> None:
        """Takes the name; the table shows once finish_create has run."""
        row = rows.table_to_row(table) | {"lifecycle": Lifecycle.CREATING.value}
        with self._write() as connection, _unique_name(table.name):
            connection.execute(insert(dynamic_tables).values(row))

    def finish_create(self, table_id: str) -> None:
        self._move(table_id, Lifecycle.CREATING, Lifecycle.ACTIVE)

    def abandon_create(self, table_id: str) -> None:
        self._remove(table_id, Lifecycle.CREATING)

    def begin_drop(self, table_id: str) -> None:
        """Hides a table of which nothing will be kept; its name stays taken until finish_drop."""
        self._move(table_id, Lifecycle.ACTIVE, Lifecycle.DROPPING)

    def finish_drop(self, table_id: str) -> None:
        """Frees the name; the history stays."""
        self._remove(table_id, Lifecycle.DROPPING)

    def replace(self, table: DynamicTable) -> None:
        """Puts ``table`` in the place of the one with its id; the name may differ.

        Whether it is suspended stays as it is.
        """
        self._overwrite(table, Lifecycle.ACTIVE)

    def begin_replace(self, table: DynamicTable) -> None:
        """The same, with work left to do until finish_replace; ``replace`` with the old one undoes it."""
        self._overwrite(table, Lifecycle.REPLACING)

    def finish_replace(self, table_id: str) -> None:
        self._move(table_id, Lifecycle.REPLACING, Lifecycle.ACTIVE)

    def begin_alter(self, intended: DynamicTable) -> None:
        """Notes what is to become of the table; it shows as before until finish_alter."""
        with self._write() as connection:
            _change(connection, intended.id, {"intended": rows.intention_to_json(intended)})

    def finish_alter(self, intended: DynamicTable) -> None:
        """The history goes with the name, and so do the streams on the table."""
        row = rows.table_to_row(intended) | {"intended": None}
        with self._write() as connection, _unique_name(intended.name):
            named = select(dynamic_tables).where(dynamic_tables.c.id == intended.id)
            for before in connection.execute(named).mappings().all():
                move_source(connection, rows.name_from_columns(before), intended.name)
            _change(connection, intended.id, row)
            renamed = update(refreshes).where(refreshes.c.table_id == intended.id)
            connection.execute(renamed.values(rows.name_to_columns(intended.name)))

    def abandon_alter(self, table_id: str) -> None:
        with self._write() as connection:
            _change(connection, table_id, {"intended": None})

    def altering(self) -> list[Altering]:
        query = select(dynamic_tables).where(ACTIVE, dynamic_tables.c.intended.is_not(null()))
        with self._read(dynamic_tables, query) as found:
            return [Altering(rows.table_from_row(row), rows.intended_from_row(row)) for row in found]

    def unfinished(self) -> list[Unfinished]:
        with self._read(dynamic_tables, select(dynamic_tables).where(_UNFINISHED)) as found:
            pending = [Unfinished(rows.table_from_row(row), rows.lifecycle_from_row(row)) for row in found]
        return sorted(pending, key=lambda each: each.table.name)

    def _overwrite(self, table: DynamicTable, after: Lifecycle) -> None:
        row = rows.table_to_row(table) | {"lifecycle": after.value}
        del row["suspended"]
        with self._write() as connection, _unique_name(table.name):
            change = update(dynamic_tables).where(dynamic_tables.c.id == table.id, ACTIVE)
            expect_one(connection.execute(change.values(row)).rowcount, table.id, Lifecycle.ACTIVE)

    def _move(self, table_id: str, before: Lifecycle, after: Lifecycle) -> None:
        with self._write() as connection:
            change = update(dynamic_tables).where(in_lifecycle(table_id, before))
            moved = connection.execute(change.values(lifecycle=after.value))
            expect_one(moved.rowcount, table_id, before)

    def _remove(self, table_id: str, before: Lifecycle) -> None:
        with self._write() as connection:
            gone = connection.execute(delete(dynamic_tables).where(in_lifecycle(table_id, before)))
            expect_one(gone.rowcount, table_id, before)


@contextmanager
def _unique_name(name: TableName) -> Iterator[None]:
    """The one rule a row of dynamic_tables can break is that names are unique."""
    try:
        yield
    except exc.IntegrityError as error:
        raise AlreadyExists(f"{name} already exists") from error.orig


def _change(connection: Connection, table_id: str, row: dict[str, Any]) -> None:
    """Of an active table."""
    change = update(dynamic_tables).where(in_lifecycle(table_id, Lifecycle.ACTIVE))
    expect_one(connection.execute(change.values(row)).rowcount, table_id, Lifecycle.ACTIVE)
