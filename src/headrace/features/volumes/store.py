"""Volumes."""

from __future__ import annotations

from typing import Any

from headrace.catalog import rows
from headrace.catalog.named_rows import NamedRows
from headrace.catalog.row_access import Read, Write
from headrace.catalog.schema import volumes
from headrace.features.volumes.model import Volume


class Volumes(NamedRows[Volume]):
    def __init__(self, write: Write, read: Read) -> None:
        super().__init__(write, read, volumes, "volume", _to_row, _from_row)


def _to_row(volume: Volume) -> dict[str, Any]:
    return {
        "id": volume.id,
        **rows.name_to_columns(volume.name),
        "location": volume.location,
        "comment": volume.comment,
        "creator": volume.creator,
        "created_at": volume.created_at,
    }


def _from_row(row: rows.Row) -> Volume:
    return Volume(
        row["id"],
        rows.name_from_columns(row),
        row["location"],
        row["comment"],
        row["creator"],
        row["created_at"],
    )
