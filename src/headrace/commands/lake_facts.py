"""What the lake holds and what happened in it, by its databases and metadata files alone: without Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from headrace.catalog import MetadataStore
from headrace.commands.conditions import lake_state
from headrace.errors import NotFound
from headrace.lake.metadata_files import Head, MetadataFiles
from headrace.model.catalog_backend import CatalogBackend
from headrace.model.clock import Clock, system_clock
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import Refresh
from headrace.model.names import DEFAULT_WORKSPACE, DROPPED_SCHEMA, TableName
from headrace.model.near_names import did_you_mean, near_names
from headrace.refresh.condition import Condition, conditions
from headrace.refresh.record import REFRESH_ID


@dataclass(frozen=True)
class LakeFacts:
    store: MetadataStore
    heads: CatalogBackend
    files: MetadataFiles
    zone: ZoneInfo
    clock: Clock = system_clock

    def conditions(self, wanted: Iterable[TableName] | None = None) -> dict[TableName, Condition]:
        """Of the wanted dynamic tables; without any given, of all."""
        state = lake_state(self.store, self.heads.locations(), self.files)
        return conditions(state, self.clock(), wanted)

    def objects(self) -> dict[TableName, str]:
        """Kind of each."""
        dynamic = self.store.names()
        found = {name: "dynamic table" if name in dynamic else "table" for name in self.heads.locations()}
        found |= dict.fromkeys(self.heads.locations("VIEW"), "view")
        return {name: kind for name, kind in found.items() if name.schema != DROPPED_SCHEMA}

    def head(self, location: str | None) -> Head | None:
        return self.files.head(location, REFRESH_ID) if location is not None else None

    def lineage(self) -> dict[str, Any]:
        """Which table is made from which, and in what state each dynamic table is."""
        tables = {table.name: table for table in self.store.all()}
        found = self.conditions()
        sources = {source.name for table in tables.values() for source in table.definition.sources}
        gone = self._gone(sources)
        return {
            "nodes": [
                self._node(name, tables[name], found[name])
                if name in tables
                else {"name": str(name), "kind": "table", "exists": name not in gone}
                for name in sorted(tables.keys() | sources)
            ],
            "edges": [
                {"from": str(source.name), "to": str(table.name)}
                for table in sorted(tables.values(), key=lambda table: table.name)
                for source in table.definition.sources
            ],
        }

    def _gone(self, sources: set[TableName]) -> set[TableName]:
        """Those that do not exist; what other workspaces have is not known here."""
        return {
            name for name in sources - self.heads.locations().keys() if name.workspace == DEFAULT_WORKSPACE
        }

    def _node(self, name: TableName, table: DynamicTable, found: Condition) -> dict[str, Any]:
        last = self.store.latest(table.id)
        return {
            "name": str(name),
            "kind": "dynamic table",
            **condition_facts(found),
            "interval_seconds": table.schedule.interval_seconds,
            "last_refresh": None
            if last is None
            else {
                "state": last.state,
                "mode": last.mode,
                "start_time": last.start_time,
                "error_message": last.error_message,
            },
        }

    def refreshes(self, table: TableName | None, limit: int) -> list[dict[str, Any]]:
        """Newest first; of a table that was dropped too, as long as it is kept."""
        name = None if table is None else self._with_history(table)
        return [refresh_facts(row) for row in self.store.history(name, limit)]

    def _with_history(self, wanted: TableName) -> TableName:
        """The dynamic table that is meant, whatever the case of its name."""
        names = self.store.names()
        if wanted in names or self.store.history(wanted, 1):
            return wanted
        typed = [part.lower() for part in wanted.parts]
        alike = [name for name in names if [part.lower() for part in name.parts] == typed]
        if len(alike) == 1:
            return alike[0]
        raise NotFound(
            f"dynamic table {wanted} does not exist",
            hint=did_you_mean(near_names(wanted, names)) or "`headrace graph` lists all dynamic tables",
        )


def condition_facts(found: Condition) -> dict[str, Any]:
    return {
        "state": found.state,
        "reason": found.reason,
        "consecutive_failures": found.consecutive_failures,
        "last_success": found.last_success,
        "lag_seconds": None if found.lag is None else found.lag.total_seconds(),
    }


def table_facts(
    table: DynamicTable,
    found: Condition,
    head: Head | None,
    last: Refresh | None,
    next_refresh: datetime | None,
) -> dict[str, Any]:
    return {
        "name": str(table.name),
        **condition_facts(found),
        "query": table.definition.query,
        "sources": [str(source.name) for source in table.definition.sources],
        "columns": [{"name": column.name, "type": column.type} for column in table.columns],
        "interval_seconds": table.schedule.interval_seconds,
        "cluster": table.cluster,
        "mode": table.mode,
        "suspended": table.suspended,
        "creator": table.creator,
        "next_refresh": next_refresh,
        "last_refresh": refresh_facts(last) if last is not None else None,
        "rows": head.rows if head else None,
        "bytes": head.bytes if head else None,
        "bytes_with_old_versions": head.bytes_with_old_versions if head else None,
    }


def refresh_facts(row: Refresh) -> dict[str, Any]:
    return {
        "job_id": row.job_id,
        "table": str(row.table),
        "cluster": row.cluster,
        "state": row.state,
        "trigger": row.trigger,
        "mode": row.mode,
        "mode_reason": row.mode_reason,
        "start_time": row.start_time,
        "end_time": row.end_time,
        "rows_inserted": row.stats.rows_inserted if row.stats else None,
        "rows_deleted": row.stats.rows_deleted if row.stats else None,
        "rows_read": row.rows_read,
        "bytes_read": row.bytes_read,
        "cluster_seconds": row.cluster_seconds,
        "error_message": row.error_message,
        "suspended_reason": row.suspended_reason,
        "source_versions": _versions(row),
    }


def _versions(row: Refresh) -> Mapping[str, str]:
    return {str(name): str(version) for name, version in row.source_versions.items()}
