"""Volumes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from headrace.features.volumes.model import Volume


@dataclass(frozen=True)
class VolumeRow:
    schema_name: str
    name: str
    location: str
    comment: str | None
    creator: str
    created_time: datetime

    @staticmethod
    def of(volume: Volume) -> VolumeRow:
        return VolumeRow(
            volume.name.schema,
            volume.name.table,
            volume.location,
            volume.comment,
            volume.creator,
            volume.created_at,
        )
