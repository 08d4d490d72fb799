"""The definitions of dynamic tables that statements see."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, select, update

from headrace.catalog import rows
from headrace.catalog.row_access import Read, Write, named
from headrace.catalog.schema import Lifecycle, dynamic_tables
from headrace.errors import NotFound
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName

ACTIVE = dynamic_tables.c.lifecycle.in_((Lifecycle.ACTIVE.value, Lifecycle.REPLACING.value))


class Definitions:
    """Of active tables. Each method is one transaction."""

    def __init__(self, write: Write, read: Read) -> None:
        self._write = write
        self._read = read

    def find(self, name: TableName) -> DynamicTable | None:
        return next(iter(self._active(named(dynamic_tables, name))), None)

    def all(self) -> list[DynamicTable]:
        return self._active()

    def names(self) -> frozenset[TableName]:
        """Of all active tables."""
        columns = dynamic_tables.c
        query = select(columns.workspace, columns.schema, columns.name).where(ACTIVE)
        with self._read(dynamic_tables, query) as found:
            return frozenset(rows.name_from_columns(row) for row in found)

    def in_schema(self, workspace: str, schema: str) -> list[DynamicTable]:
        return self._active(dynamic_tables.c.workspace == workspace, dynamic_tables.c.schema == schema)

    def readers_of(self, name: TableName) -> list[TableName]:
        """The active tables that read ``name`` directly."""
        columns = dynamic_tables.c
        query = select(columns.workspace, columns.schema, columns.name, columns.sources).where(ACTIVE)
        with self._read(dynamic_tables, query) as found:
            return sorted(rows.name_from_columns(row) for row in found if name in rows.sources_from_row(row))

    def set_suspended(self, table_id: str, suspended: bool, modified_at: datetime) -> None:
        with self._write() as connection:
            change = update(dynamic_tables).where(in_lifecycle(table_id, Lifecycle.ACTIVE))
            changed = connection.execute(change.values(suspended=suspended, modified_at=modified_at))
            expect_one(changed.rowcount, table_id, Lifecycle.ACTIVE)

    def _active(self, *conditions: ColumnElement[bool]) -> list[DynamicTable]:
        with self._read(dynamic_tables, select(dynamic_tables).where(ACTIVE, *conditions)) as found:
            return sorted((rows.table_from_row(row) for row in found), key=lambda table: table.name)


def in_lifecycle(table_id: str, lifecycle: Lifecycle) -> ColumnElement[bool]:
    return and_(dynamic_tables.c.id == table_id, dynamic_tables.c.lifecycle == lifecycle.value)


def expect_one(count: int, table_id: str, lifecycle: Lifecycle) -> None:
    if count != 1:
        raise NotFound(f"no dynamic table with id {table_id} is {lifecycle}")
