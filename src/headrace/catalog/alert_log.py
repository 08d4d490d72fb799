"""Alerts that were fired, and whether what they are about is over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import delete, select

from headrace.catalog.row_access import Read, Write, older, upsert
from headrace.catalog.rows import Row
from headrace.catalog.schema import fired_alerts
from headrace.model.alert import AlertKind, FiredAlert
from headrace.model.position import Position

_COLUMNS = (fired_alerts.c.since, fired_alerts.c.kind, fired_alerts.c.subject)


class AlertLog:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read) -> None:
        self._write = write
        self._read = read

    def record(self, alerts: Iterable[FiredAlert]) -> None:
        """Inserts or updates each."""
        with self._write() as connection:
            upsert(connection, fired_alerts, *({**vars(each), "kind": each.kind.value} for each in alerts))

    def open(self) -> list[FiredAlert]:
        """Those that are about something that is not over."""
        with self._read(fired_alerts, select(fired_alerts).where(fired_alerts.c.ended_at.is_(None))) as found:
            return [_from_row(row) for row in found]

    def history(self, limit: int | None = None, before: Position | None = None) -> Sequence[FiredAlert]:
        """Newest first."""
        query = select(fired_alerts).where(older(_COLUMNS, before)).limit(limit)
        with self._read(fired_alerts, query.order_by(*(column.desc() for column in _COLUMNS))) as found:
            return [_from_row(row) for row in found]

    def delete_before(self, moment: datetime) -> int:
        """Those that were over earlier."""
        with self._write() as connection:
            return connection.execute(delete(fired_alerts).where(fired_alerts.c.ended_at < moment)).rowcount


def _from_row(row: Row) -> FiredAlert:
    return FiredAlert(**{**row, "kind": AlertKind(row["kind"])})
