"""Iceberg tables of a lake that are metadata files alone, without rows and without a JVM."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime
from typing import Any

from headrace.lake.directory import LakeDirectory
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import TableName
from headrace.model.version import TableVersion
from headrace.refresh.record import RefreshRecord, to_summary

_CREATE_SCHEMAS = (
    "CREATE TABLE IF NOT EXISTS iceberg_namespace_properties (catalog_name TEXT, namespace TEXT, "
    "property_key TEXT, property_value TEXT)"
)
_CREATE = (
    "CREATE TABLE IF NOT EXISTS iceberg_tables (catalog_name TEXT, table_namespace TEXT, table_name TEXT, "
    "metadata_location TEXT, previous_metadata_location TEXT, iceberg_type TEXT)"
)

_DELETE = "DELETE FROM iceberg_tables WHERE table_name = ?"


class PaperCatalog:
    """Versions are numbered from 1."""

    def __init__(self, lake: LakeDirectory) -> None:
        self._lake = lake
        self._snapshots: dict[TableName, list[dict[str, Any]]] = {}
        self._fields: dict[TableName, list[dict[str, Any]]] = {}
        self._uuids: dict[TableName, str] = {}
        """Of tables that were renamed."""

    def create(self, name: TableName, columns: dict[str, str] | None = None) -> None:
        """An empty table; of ``columns`` those whose type ends with ``!`` are NOT NULL."""
        self._snapshots[name] = []
        self._fields[name] = [
            {"id": number, "name": column, "required": kind.endswith("!"), "type": kind.rstrip("!")}
            for number, (column, kind) in enumerate((columns or {}).items(), 1)
        ]
        self._write(name)

    def commit(self, name: TableName, at: datetime, summary: dict[str, str] | None = None) -> None:
        snapshots = self._snapshots.setdefault(name, [])
        number = len(snapshots) + 1
        made = {"operation": "append", **(summary or {})}
        moment = int(at.timestamp() * 1000)
        snapshots.append({"snapshot-id": number, "schema-id": 0, "timestamp-ms": moment, "summary": made})
        self._write(name)

    def refresh(self, table: DynamicTable, at: datetime) -> None:
        """A version that contains all sources as they are now."""
        versions = {source.name: self._version(source.name) for source in table.definition.sources}
        self.commit(table.name, at, to_summary(RefreshRecord("job", table.definition.fingerprint, versions)))

    def rename(self, name: TableName, new_name: TableName) -> None:
        """It keeps its identity."""
        self._snapshots[new_name] = self._snapshots.pop(name)
        self._fields[new_name] = self._fields.pop(name, [])
        self._uuids[new_name] = self._uuid(name)
        self._execute((_DELETE, (name.table,)))
        self._write(new_name)

    def drop(self, name: TableName) -> None:
        del self._snapshots[name]
        self._execute((_DELETE, (name.table,)))

    def _uuid(self, name: TableName) -> str:
        return self._uuids.get(name, f"uuid-{name.table}")

    def _version(self, name: TableName) -> TableVersion:
        return TableVersion(self._uuid(name), len(self._snapshots[name]) or None, 0)

    def _write(self, name: TableName) -> None:
        snapshots = self._snapshots[name]
        content = {
            "table-uuid": self._uuid(name),
            "current-snapshot-id": len(snapshots) or None,
            "current-schema-id": 0,
            "schemas": [{"schema-id": 0, "fields": self._fields.get(name, [])}],
            "snapshots": snapshots,
            "snapshot-log": [
                {key: each[key] for key in ("snapshot-id", "timestamp-ms")} for each in snapshots
            ],
        }
        directory = self._lake.path / "paper" / name.table
        directory.mkdir(parents=True, exist_ok=True)
        file = directory / f"{len(snapshots)}.metadata.json"
        file.write_text(json.dumps(content))
        entry = (name.workspace, name.schema, name.table, f"file:{file}", "TABLE")
        self._execute(
            (_DELETE, (name.table,)), ("INSERT INTO iceberg_tables VALUES (?, ?, ?, ?, NULL, ?)", entry)
        )

    def _execute(self, *statements: tuple[str, tuple[str, ...]]) -> None:
        """In one transaction."""
        with closing(sqlite3.connect(self._lake.catalog_db)) as database:
            database.execute(_CREATE_SCHEMAS)
            database.execute(_CREATE)
            for statement, values in statements:
                database.execute(statement, values)
            database.commit()
