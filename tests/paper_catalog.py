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

_CREATE = (
    "CREATE TABLE IF NOT EXISTS iceberg_tables (catalog_name TEXT, table_namespace TEXT, table_name TEXT, "
    "metadata_location TEXT, previous_metadata_location TEXT, iceberg_type TEXT)"
)


class PaperCatalog:
    """Versions are numbered from 1."""

    def __init__(self, lake: LakeDirectory) -> None:
        self._lake = lake
        self._snapshots: dict[TableName, list[dict[str, Any]]] = {}

    def create(self, name: TableName) -> None:
        """An empty table."""
        self._snapshots[name] = []
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

    def drop(self, name: TableName) -> None:
        del self._snapshots[name]
        self._execute("DELETE FROM iceberg_tables WHERE table_name = ?", (name.table,))

    def _version(self, name: TableName) -> TableVersion:
        return TableVersion(f"uuid-{name.table}", len(self._snapshots[name]) or None, 0)

    def _write(self, name: TableName) -> None:
        snapshots = self._snapshots[name]
        content = {
            "table-uuid": f"uuid-{name.table}",
            "current-snapshot-id": len(snapshots) or None,
            "current-schema-id": 0,
            "schemas": [{"schema-id": 0, "fields": []}],
            "snapshots": snapshots,
            "snapshot-log": [
                {key: each[key] for key in ("snapshot-id", "timestamp-ms")} for each in snapshots
            ],
        }
        directory = self._lake.path / "paper" / name.table
        directory.mkdir(parents=True, exist_ok=True)
        file = directory / f"{len(snapshots)}.metadata.json"
        file.write_text(json.dumps(content))
        self._execute("DELETE FROM iceberg_tables WHERE table_name = ?", (name.table,))
        entry = (name.workspace, name.schema, name.table, f"file:{file}", "TABLE")
        self._execute("INSERT INTO iceberg_tables VALUES (?, ?, ?, ?, NULL, ?)", entry)

    def _execute(self, statement: str, values: tuple[str, ...]) -> None:
        with closing(sqlite3.connect(self._lake.catalog_db)) as database:
            database.execute(_CREATE)
            database.execute(statement, values)
            database.commit()
