"""Backfills, as they go on and as they ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select

from headrace.catalog.row_access import Read, Write, older, upsert
from headrace.catalog.rows import Row
from headrace.catalog.schema import backfills
from headrace.model.backfill import Backfill, BackfillItem, BackfillState
from headrace.model.change import OnRecord
from headrace.model.position import Position
from headrace.model.task import RunState

_RUNNING = backfills.c.state == BackfillState.RUNNING.value


class Backfills:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read, on_record: OnRecord) -> None:
        self._write = write
        self._read = read
        self._on_record = on_record

    def record(self, backfill: Backfill) -> None:
        """Inserts or updates it."""
        with self._write() as connection:
            upsert(connection, backfills, _to_row(backfill))
        self._on_record(backfill.progress)

    def find(self, backfill_id: str) -> Backfill | None:
        with self._read(backfills, select(backfills).where(backfills.c.id == backfill_id)) as found:
            return next(map(_from_row, found), None)

    def history(self, limit: int | None = None, before: Position | None = None) -> Sequence[Backfill]:
        """Newest first."""
        columns = (backfills.c.created_at, backfills.c.id)
        query = select(backfills).where(older(columns, before)).limit(limit)
        with self._read(backfills, query.order_by(*(column.desc() for column in columns))) as found:
            return [_from_row(row) for row in found]

    def running(self) -> list[Backfill]:
        with self._read(backfills, select(backfills).where(_RUNNING)) as found:
            return [_from_row(row) for row in found]

    def delete_before(self, moment: datetime) -> int:
        """Those that ended and were created earlier."""
        with self._write() as connection:
            old = delete(backfills).where(backfills.c.created_at < moment, ~_RUNNING)
            return connection.execute(old).rowcount


def _to_row(backfill: Backfill) -> dict[str, Any]:
    return {
        "id": backfill.id,
        "task": backfill.task,
        "parameter": backfill.parameter,
        "parallelism": backfill.parallelism,
        "creator": backfill.creator,
        "created_at": backfill.created_at,
        "ended_at": backfill.ended_at,
        "state": backfill.state.value,
        "items": [{**asdict(item), "state": item.state.value} for item in backfill.items],
        "after": {name: list(others) for name, others in backfill.after.items()},
        "parameters": dict(backfill.parameters),
    }


def _from_row(row: Row) -> Backfill:
    return Backfill(
        id=row["id"],
        task=row["task"],
        parameter=row["parameter"],
        parallelism=row["parallelism"],
        creator=row["creator"],
        created_at=row["created_at"],
        items=tuple(BackfillItem(**{**each, "state": RunState(each["state"])}) for each in row["items"]),
        after={name: tuple(others) for name, others in row["after"].items()},
        parameters=dict(row["parameters"]),
        state=BackfillState(row["state"]),
        ended_at=row["ended_at"],
    )
