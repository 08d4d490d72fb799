"""Which state of a table: what a refresh records of each source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TableVersion:
    """ALTER makes no snapshot and CREATE OR REPLACE keeps the uuid, so it takes all three to tell."""

    uuid: str
    snapshot_id: int | None
    """None: nothing was ever written."""
    schema_id: int

    def __str__(self) -> str:
        return str(self.snapshot_id) if self.snapshot_id is not None else "empty"
