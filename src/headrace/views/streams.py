"""Table streams."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from headrace.features.streams.model import StreamMode, TableStream


@dataclass(frozen=True)
class TableStreamRow:
    schema_name: str
    name: str
    table_name: str
    mode: StreamMode
    show_initial_rows: bool
    state: str
    stale_reason: str | None
    offset_version: int | None
    creator: str
    created_time: datetime
    comment: str | None

    @staticmethod
    def of(stream: TableStream, state: str, reason: str | None) -> TableStreamRow:
        return TableStreamRow(
            schema_name=stream.name.schema,
            name=stream.name.table,
            table_name=str(stream.source),
            mode=stream.mode,
            show_initial_rows=stream.shows_initial_rows,
            state=state,
            stale_reason=reason,
            offset_version=stream.offset.snapshot_id,
            creator=stream.creator,
            created_time=stream.created_at,
            comment=stream.comment,
        )
