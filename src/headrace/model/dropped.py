"""What was dropped and is kept until its retention has passed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from headrace.model.names import TableName
from headrace.model.object_kind import ObjectKind


@dataclass(frozen=True)
class Dropped:
    kind: ObjectKind
    name: TableName
    """That it had."""
    kept_as: TableName
    uuid: str
    """Of the Iceberg table."""
    location: str
    """Of its files."""
    dropped_at: datetime
    retention_days: int
    dynamic_table_id: str | None = None
    created_at: datetime | None = None
    """None where nobody has written it down."""
    rows: int = 0
    bytes: int = 0
    id: int = 0
    """Later drops have larger ones; given by the metadata database."""

    @property
    def undrop_until(self) -> datetime:
        return self.dropped_at + timedelta(days=self.retention_days)

    def is_kept(self, now: datetime) -> bool:
        return now < self.undrop_until
