"""Pipes, and what their runs have done."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy import update

from headrace.catalog import rows
from headrace.catalog.named_rows import NamedRows
from headrace.catalog.row_access import Read, Write
from headrace.catalog.schema import pipes
from headrace.features.pipes.model import IngestMode, Pipe, PipeProgress, PipeSettings

_MOMENTS = ("last_run_at", "last_commit_at")


class Pipes(NamedRows[Pipe]):
    def __init__(self, write: Write, read: Read) -> None:
        super().__init__(write, read, pipes, "pipe", _to_row, _from_row)

    def change(self, pipe: Pipe, settings: PipeSettings, now: datetime) -> None:
        self._update(pipe, {"settings": _settings_to_json(settings), "modified_at": now})

    def record(self, pipe: Pipe, progress: PipeProgress) -> None:
        """Nothing, if the pipe was dropped meanwhile."""
        with self._write() as connection:
            change = update(pipes).where(pipes.c.id == pipe.id)
            connection.execute(change.values(progress=rows.moments_to_json(progress, _MOMENTS)))


def _to_row(pipe: Pipe) -> dict[str, Any]:
    return {
        "id": pipe.id,
        **rows.name_to_columns(pipe.name),
        "target": asdict(pipe.target),
        "copy": pipe.copy,
        "inside": [pipe.workspace, pipe.schema],
        "settings": _settings_to_json(pipe.settings),
        "creator": pipe.creator,
        "created_at": pipe.created_at,
        "modified_at": pipe.modified_at,
        "progress": rows.moments_to_json(pipe.progress, _MOMENTS),
    }


def _from_row(row: rows.Row) -> Pipe:
    settings = PipeSettings(**row["settings"])
    return Pipe(
        id=row["id"],
        name=rows.name_from_columns(row),
        target=rows.name_from_json(row["target"]),
        copy=row["copy"],
        workspace=row["inside"][0],
        schema=row["inside"][1],
        settings=replace(settings, ingest_mode=IngestMode(settings.ingest_mode)),
        creator=row["creator"],
        created_at=row["created_at"],
        modified_at=row["modified_at"],
        progress=PipeProgress(**rows.moments_from_json(row["progress"], _MOMENTS)),
    )


def _settings_to_json(settings: PipeSettings) -> dict[str, Any]:
    return asdict(settings) | {"ingest_mode": settings.ingest_mode.value}
