"""Table streams with what they have not consumed yet, by metadata files alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from headrace.features.streams.model import StreamMode, TableStream
from headrace.lake.table.object_metadata import TableMetadata
from headrace.lake.table.tables import Snapshot


@dataclass(frozen=True)
class StreamView:
    id: str
    """The full name."""
    workspace: str
    schema: str
    name: str
    table: str
    mode: StreamMode
    show_initial_rows: bool
    initial_rows_pending: bool
    """Whether the rows at the offset are still to be read, before any change."""
    state: str
    """`active`, or `stale`: the changes after the offset are not kept any more."""
    offset_version: int | None
    current_version: int | None
    pending_versions: int | None
    """Versions of the table after the offset that change rows; null of a stale stream."""
    pending_rows_added: int | None
    """As the versions report them: the stream returns the net change, which can be less."""
    pending_rows_deleted: int | None
    oldest_pending_time: datetime | None
    creator: str
    created_time: datetime
    comment: str | None

    @staticmethod
    def of(stream: TableStream, table: TableMetadata | None) -> StreamView:
        pending = None if table is None else _pending(stream, table.versions)
        current = table.current if table else None
        return StreamView(
            id=str(stream.name),
            workspace=stream.name.workspace,
            schema=stream.name.schema,
            name=stream.name.table,
            table=str(stream.source),
            mode=stream.mode,
            show_initial_rows=stream.shows_initial_rows,
            initial_rows_pending=stream.initial_rows_due,
            state="stale" if pending is None else "active",
            offset_version=stream.offset.snapshot_id,
            current_version=current.id if current else None,
            pending_versions=None if pending is None else len(pending),
            pending_rows_added=None if pending is None else _sum(pending, "added-records"),
            pending_rows_deleted=None if pending is None else _sum(pending, *_DELETED),
            oldest_pending_time=pending[-1].made_at if pending else None,
            creator=stream.creator,
            created_time=stream.created_at,
            comment=stream.comment,
        )


_DELETED = ("deleted-records", "added-position-deletes")


def _pending(stream: TableStream, versions: Sequence[Snapshot]) -> list[Snapshot] | None:
    """Newest first, without rewrites; None where the offset is not kept any more."""
    by_id = {version.id: version for version in versions}
    current = versions[0] if versions else None
    found: list[Snapshot] = []
    while current is not None and current.id != stream.offset.snapshot_id:
        if current.operation != "replace":
            found.append(current)
        if current.parent is None:
            return found if stream.offset.snapshot_id is None else None
        current = by_id.get(current.parent)
    is_reached = current is not None or (not versions and stream.offset.snapshot_id is None)
    return found if is_reached else None


def _sum(versions: Sequence[Snapshot], *keys: str) -> int:
    return sum(version.count(key) for version in versions for key in keys)
