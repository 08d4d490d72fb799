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


def version_change(before: TableVersion | None, now: TableVersion | None) -> str:
    """What differs between two versions of a table, in words; None is a version that is not known."""
    if before is None or now is None:
        return f"{before or 'unknown'} -> {now or 'unknown'}"
    if before.uuid != now.uuid:
        return "recreated, empty" if now.snapshot_id is None else f"recreated at version {now}"
    if before.schema_id == now.schema_id:
        return f"{before} -> {now}"
    schema = f"schema {before.schema_id} -> {now.schema_id}"
    return schema if before.snapshot_id == now.snapshot_id else f"{before} -> {now}, {schema}"
