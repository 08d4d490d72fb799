"""Syncs, and what their runs have done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import select, update

from headrace.catalog import rows
from headrace.catalog.named_rows import NamedRows
from headrace.catalog.row_access import Read, Write
from headrace.catalog.schema import syncs
from headrace.features.syncs.model import (
    BatchReads,
    Sync,
    SyncMode,
    SyncProgress,
    SyncSettings,
    SyncStart,
    SyncTable,
)
from headrace.model.task import CronSchedule, IntervalSchedule

_MOMENTS = ("last_run_at", "last_commit_at", "caught_up_at")


class Syncs(NamedRows[Sync]):
    def __init__(self, write: Write, read: Read) -> None:
        super().__init__(write, read, syncs, "sync", _to_row, _from_row)

    def change(self, sync: Sync, settings: SyncSettings, now: datetime) -> None:
        self._update(sync, {"settings": _settings_to_json(settings), "modified_at": now})

    def change_tables(self, sync: Sync, tables: Sequence[SyncTable]) -> None:
        self._update(sync, {"tables": [_table_to_json(table) for table in tables]})

    def record(self, sync: Sync, progress: SyncProgress, tables: Sequence[SyncTable] | None = None) -> None:
        """Nothing, if the sync was dropped meanwhile. Of tables, those that it still has."""
        with self._write() as connection:
            change = update(syncs).where(syncs.c.id == sync.id)
            values: dict[str, Any] = {"progress": rows.moments_to_json(progress, _MOMENTS)}
            if tables is not None:
                stored = (
                    connection.execute(select(syncs.c.tables).where(syncs.c.id == sync.id)).scalar() or []
                )
                known = {table.source: _table_to_json(table) for table in tables}
                values["tables"] = [known.get(each["source"], each) for each in stored]
            connection.execute(change.values(values))


def _to_row(sync: Sync) -> dict[str, Any]:
    return {
        "id": sync.id,
        **rows.name_to_columns(sync.name),
        "connection": sync.connection,
        "definition": {
            "patterns": list(sync.patterns),
            "target_workspace": sync.target_workspace,
            "target_schema": sync.target_schema,
            "prefix": sync.prefix,
            "mode": sync.mode.value,
            "start": sync.start.value,
            "reads": asdict(sync.reads),
        },
        "tables": [_table_to_json(table) for table in sync.tables],
        "settings": _settings_to_json(sync.settings),
        "creator": sync.creator,
        "created_at": sync.created_at,
        "modified_at": sync.modified_at,
        "progress": rows.moments_to_json(sync.progress, _MOMENTS),
    }


def _from_row(row: rows.Row) -> Sync:
    definition = row["definition"]
    return Sync(
        id=row["id"],
        name=rows.name_from_columns(row),
        connection=row["connection"],
        patterns=tuple(definition["patterns"]),
        target_workspace=definition["target_workspace"],
        target_schema=definition["target_schema"],
        prefix=definition["prefix"],
        mode=SyncMode(definition["mode"]),
        start=SyncStart(definition["start"]),
        tables=tuple(_table_from_json(table) for table in row["tables"]),
        settings=_settings_from_json(row["settings"]),
        creator=row["creator"],
        created_at=row["created_at"],
        modified_at=row["modified_at"],
        progress=SyncProgress(**rows.moments_from_json(row["progress"], _MOMENTS)),
        reads=BatchReads(**definition.get("reads", {})),
    )


def _settings_to_json(settings: SyncSettings) -> dict[str, Any]:
    content = asdict(settings) | {"schedule": None}
    match settings.schedule:
        case IntervalSchedule(seconds, start_at):
            start = None if start_at is None else start_at.isoformat()
            return content | {"schedule": {"seconds": seconds, "start_at": start}}
        case CronSchedule(expression, zone):
            return content | {"schedule": {"expression": expression, "zone": zone}}
    return content


def _settings_from_json(content: dict[str, Any]) -> SyncSettings:
    return SyncSettings(**content | {"schedule": _schedule_from_json(content.get("schedule"))})


def _schedule_from_json(content: dict[str, Any] | None) -> IntervalSchedule | CronSchedule | None:
    if content is None:
        return None
    if "expression" in content:
        return CronSchedule(content["expression"], content["zone"])
    start = content["start_at"]
    return IntervalSchedule(content["seconds"], None if start is None else datetime.fromisoformat(start))


def _table_to_json(table: SyncTable) -> dict[str, Any]:
    return asdict(table) | {"key": list(table.key)}


def _table_from_json(content: dict[str, Any]) -> SyncTable:
    return SyncTable(
        **content | {"target": rows.name_from_json(content["target"]), "key": tuple(content["key"])}
    )
