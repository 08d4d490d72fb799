"""The definitions of dynamic tables that statements see."""

from __future__ import annotations

import json
from datetime import datetime

from sqlalchemy import JSON, ColumnElement, Text, and_, cast, select, update

from headrace.catalog import rows
from headrace.catalog.row_access import Read, Write, named
from headrace.catalog.schema import Lifecycle, dynamic_tables
from headrace.errors import NotFound
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName

_JSON_COLUMNS = tuple(column.name for column in dynamic_tables.c if isinstance(column.type, JSON))
_STORED = select(
    *(
        cast(column, Text).label(column.name) if column.name in _JSON_COLUMNS else column
        for column in dynamic_tables.c
        if column is not dynamic_tables.c.intended
    )
)
"""Rows as they are stored: JSON is not parsed."""
ACTIVE = dynamic_tables.c.lifecycle.in_((Lifecycle.ACTIVE.value, Lifecycle.REPLACING.value))


class Definitions:
    """Of active tables. Each method is one transaction."""

    def __init__(self, write: Write, read: Read) -> None:
        self._write = write
        self._read = read
        self._parsed: dict[str, tuple[tuple[object, ...], DynamicTable]] = {}
        """By id, with the stored row: a scheduler reads all definitions each second, and few ever change."""

    def find(self, name: TableName) -> DynamicTable | None:
        return next(iter(self._active(named(dynamic_tables, name))), None)

    def all(self) -> list[DynamicTable]:
        found = self._active()
        if len(self._parsed) > len(found):
            present = {table.id for table in found}
            self._parsed = {key: parsed for key, parsed in self._parsed.items() if key in present}
        return found

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
        with self._read(dynamic_tables, _STORED.where(ACTIVE, *conditions)) as found:
            return sorted((self._table(row) for row in found), key=lambda table: table.name.parts)

    def _table(self, row: rows.Row) -> DynamicTable:
        stored = tuple(row.values())
        known = self._parsed.get(row["id"])
        if known is None or known[0] != stored:
            parsed = {name: json.loads(row[name]) for name in _JSON_COLUMNS if name in row}
            known = self._parsed[row["id"]] = (stored, rows.table_from_row({**row, **parsed}))
        return known[1]


def in_lifecycle(table_id: str, lifecycle: Lifecycle) -> ColumnElement[bool]:
    return and_(dynamic_tables.c.id == table_id, dynamic_tables.c.lifecycle == lifecycle.value)


def expect_one(count: int, table_id: str, lifecycle: Lifecycle) -> None:
    if count != 1:
        raise NotFound(f"no dynamic table with id {table_id} is {lifecycle}")
