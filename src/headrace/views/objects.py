"""Tables, views and schemas, whatever their kind; and tables that were dropped."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from headrace.model.dropped import Dropped

ObjectType = Literal["table", "dynamic table", "view"]


@dataclass(frozen=True)
class SchemaView:
    workspace: str
    schema: str


@dataclass(frozen=True)
class ObjectView:
    name: str
    kind: ObjectType


@dataclass(frozen=True)
class TableRow:
    """Of SHOW TABLES."""

    schema_name: str
    table_name: str
    is_view: bool
    is_materialized_view: bool
    is_external: bool
    is_dynamic: bool

    @staticmethod
    def of(schema: str, name: str, *, is_view: bool = False, is_dynamic: bool = False) -> TableRow:
        return TableRow(
            schema, name, is_view, is_materialized_view=False, is_external=False, is_dynamic=is_dynamic
        )


@dataclass(frozen=True)
class SchemaTableRow:
    """Of information_schema.tables."""

    table_catalog: str
    table_schema: str
    table_name: str
    table_type: str
    comment: str | None
    creator: str | None
    row_count: int | None
    bytes: int | None
    last_altered: datetime | None


@dataclass(frozen=True)
class SchemaColumnRow:
    """Of information_schema.columns."""

    table_catalog: str
    table_schema: str
    table_name: str
    column_name: str
    ordinal_position: int
    data_type: str
    is_nullable: Literal["YES", "NO"]
    comment: str | None


@dataclass(frozen=True)
class RemovedTableRow:
    """Of VACUUM: a dropped table whose files were deleted."""

    schema_name: str
    table_name: str
    kind: str
    dropped_time: datetime
    rows: int
    bytes: int

    @staticmethod
    def of(dropped: Dropped) -> RemovedTableRow:
        name = dropped.name
        return RemovedTableRow(
            name.schema, name.table, dropped.kind.value, dropped.dropped_at, dropped.rows, dropped.bytes
        )


@dataclass(frozen=True)
class DroppedTableRow:
    """Of SHOW TABLES HISTORY: a dropped table that can be undropped."""

    schema_name: str
    table_name: str
    kind: str
    created_time: datetime | None
    dropped_time: datetime
    retention_days: int
    undrop_until: datetime
    rows: int
    bytes: int

    @staticmethod
    def of(dropped: Dropped) -> DroppedTableRow:
        return DroppedTableRow(
            schema_name=dropped.name.schema,
            table_name=dropped.name.table,
            kind=dropped.kind.value,
            created_time=dropped.created_at,
            dropped_time=dropped.dropped_at,
            retention_days=dropped.retention_days,
            undrop_until=dropped.undrop_until,
            rows=dropped.rows,
            bytes=dropped.bytes,
        )
