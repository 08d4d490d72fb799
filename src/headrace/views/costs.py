"""What dynamic tables cost: refreshes and cluster seconds for each table and day, and the bytes they keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from headrace.catalog.refresh_history import JobProfiles
from headrace.lake.lookup.lake_indexes import ListedIndex
from headrace.lake.table.metadata_files import Head
from headrace.model.history import JobProfile, Refresh
from headrace.model.names import STATE_SCHEMA, TableName
from headrace.refresh.inner_aggregates import owner_of
from headrace.views.key_indexes import indexes_used


@dataclass(frozen=True)
class CostRow:
    """Of one dynamic table and day."""

    workspace_name: str
    schema_name: str
    name: str
    day: date
    refreshes: int
    failed_refreshes: int
    cluster_seconds: float
    rows_read: int
    bytes_read: int
    rows_written: int
    bytes_written: int
    current_bytes: int | None
    bytes_with_old_versions: int | None
    key_index_bytes: int
    """Of the indexes that its refreshes use now; one that several tables use counts for each."""
    stored_group_bytes: int
    """Of its stored groups, with old versions."""


def costs(
    refreshes: Iterable[Refresh],
    job_profiles: JobProfiles,
    heads: Mapping[TableName, Head],
    indexes: Sequence[ListedIndex],
    zone: ZoneInfo,
) -> list[CostRow]:
    """Newest day first, days being those of the lake's zone. Bytes are those of now; none of what is gone."""
    profiles = {profile.job_id: profile for profile in job_profiles.all()}
    days: dict[tuple[date, TableName], list[Refresh]] = {}
    of_table: dict[TableName, list[JobProfile]] = {}
    group_bytes = _bytes_of_groups(heads)
    for refresh in refreshes:
        day = refresh.start_time.astimezone(zone).date()
        days.setdefault((day, refresh.table), []).append(refresh)
        if refresh.job_id in profiles:
            of_table.setdefault(refresh.table, []).append(profiles[refresh.job_id])
    index_bytes = {
        name: sum(index.stored.bytes for index in indexes_used(newest, indexes))
        for name, newest in of_table.items()
    }
    newest_first = sorted(days, key=lambda key: (-key[0].toordinal(), key[1]))
    return [
        _cost(
            *key,
            days[key],
            profiles,
            heads.get(key[1]),
            index_bytes.get(key[1], 0),
            group_bytes.get(days[key][0].table_id, 0),
        )
        for key in newest_first
    ]


def _cost(
    day: date,
    name: TableName,
    rows: list[Refresh],
    profiles: Mapping[str, JobProfile],
    head: Head | None,
    key_index_bytes: int,
    stored_group_bytes: int,
) -> CostRow:
    written = [profiles[row.job_id] for row in rows if row.job_id in profiles]
    return CostRow(
        workspace_name=name.workspace,
        schema_name=name.schema,
        name=name.table,
        day=day,
        refreshes=len(rows),
        failed_refreshes=sum(row.state.value == "FAILED" for row in rows),
        cluster_seconds=round(_sum(row.cluster_seconds for row in rows), 3),
        rows_read=int(_sum(row.rows_read for row in rows)),
        bytes_read=int(_sum(row.bytes_read for row in rows)),
        rows_written=sum(profile.rows_written for profile in written),
        bytes_written=sum(profile.bytes_written for profile in written),
        current_bytes=head.bytes if head else None,
        bytes_with_old_versions=head.bytes_with_old_versions if head else None,
        key_index_bytes=key_index_bytes,
        stored_group_bytes=stored_group_bytes,
    )


def _bytes_of_groups(heads: Mapping[TableName, Head]) -> dict[str, int]:
    """By the id of the dynamic table that they belong to."""
    found: dict[str, int] = {}
    for name, head in heads.items():
        if name.schema == STATE_SCHEMA:
            owner = owner_of(name.table)
            found[owner] = found.get(owner, 0) + head.bytes_with_old_versions
    return found


def _sum(values: Iterable[float | None]) -> float:
    return sum(value for value in values if value is not None)
