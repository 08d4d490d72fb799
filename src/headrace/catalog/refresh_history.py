"""The refreshes that ran, run and wait, with the profiles of their jobs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, exists, or_, select

from headrace.catalog import rows
from headrace.catalog.row_access import Read, Write, named, older, upsert
from headrace.catalog.schema import dynamic_tables, job_profiles, refreshes
from headrace.model.change import OnRecord
from headrace.model.history import JobProfile, Refresh, RefreshMode, RefreshState
from headrace.model.names import TableName
from headrace.model.position import Position

ENDED = (RefreshState.SUCCEED.value, RefreshState.FAILED.value)
UNENDED = tuple(state.value for state in RefreshState if state.value not in ENDED)
NEWEST_FIRST = (refreshes.c.start_time.desc(), refreshes.c.job_id.desc())


class RefreshHistory:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read, on_record: OnRecord) -> None:
        self._write = write
        self._read = read
        self._on_record = on_record

    def record(self, refresh: Refresh, profile: JobProfile | None = None) -> None:
        """Inserts or updates by job_id; without a profile, one recorded earlier stays."""
        if profile is not None and profile.job_id != refresh.job_id:
            raise ValueError(f"profile of job {profile.job_id} given with refresh {refresh.job_id}")
        with self._write() as connection:
            upsert(connection, refreshes, rows.refresh_to_row(refresh))
            if profile is not None:
                upsert(connection, job_profiles, rows.profile_to_row(profile))
        self._on_record(refresh)

    def record_all(self, listed: Sequence[Refresh]) -> None:
        """The same for many at once, without profiles; all or none."""
        if listed:
            with self._write() as connection:
                upsert(connection, refreshes, *map(rows.refresh_to_row, listed))
        for refresh in listed:
            self._on_record(refresh)

    def find(self, job_id: str) -> Refresh | None:
        return next(iter(self._refreshes(select(refreshes).where(refreshes.c.job_id == job_id))), None)

    def history(
        self,
        table: TableName | None = None,
        limit: int | None = None,
        before: Position | None = None,
        since: datetime | None = None,
    ) -> list[Refresh]:
        """Newest first. Of ``table``: what ran under that name, and all of the table that has it now."""
        query = select(refreshes).order_by(*NEWEST_FIRST).limit(limit)
        query = query.where(older((refreshes.c.start_time, refreshes.c.job_id), before))
        if since is not None:
            query = query.where(refreshes.c.start_time >= since)
        if table is not None:
            holder = select(dynamic_tables.c.id).where(named(dynamic_tables, table)).scalar_subquery()
            query = query.where(or_(named(refreshes, table), refreshes.c.table_id == holder))
        return self._refreshes(query)

    def latest(self, table_id: str) -> Refresh | None:
        query = select(refreshes).where(refreshes.c.table_id == table_id)
        return next(iter(self._refreshes(query.order_by(*NEWEST_FIRST).limit(1))), None)

    def latest_of_all(self) -> dict[str, Refresh]:
        """The last refresh of each dynamic table that has one, by the table's id: one query for all."""
        newer = refreshes.alias()
        newest = (
            select(newer.c.job_id)
            .where(newer.c.table_id == dynamic_tables.c.id)
            .order_by(newer.c.start_time.desc(), newer.c.job_id.desc())
            .limit(1)
            .scalar_subquery()
        )
        query = select(refreshes).where(refreshes.c.job_id.in_(select(newest).select_from(dynamic_tables)))
        return {refresh.table_id: refresh for refresh in self._refreshes(query)}

    def last_successes(self, table_id: str, most: int) -> list[Refresh]:
        """Those of modes that change rows, newest first."""
        succeeded = select(refreshes).where(
            refreshes.c.table_id == table_id,
            refreshes.c.state == RefreshState.SUCCEED,
            refreshes.c.mode.in_((RefreshMode.INCREMENTAL, RefreshMode.FULL)),
        )
        return self._refreshes(succeeded.order_by(*NEWEST_FIRST).limit(most))

    def unended(self) -> list[Refresh]:
        """Neither SUCCEED nor FAILED, newest first."""
        return self._refreshes(
            select(refreshes).where(refreshes.c.state.in_(UNENDED)).order_by(*NEWEST_FIRST)
        )

    def unended_of(self, table_id: str) -> list[Refresh]:
        return [refresh for refresh in self.unended() if refresh.table_id == table_id]

    def delete_before(self, moment: datetime) -> int:
        """Removes what started earlier, but no unended refresh and no existing table's latest one."""
        old = (refreshes.c.start_time < moment, refreshes.c.state.in_(ENDED))
        with self._write() as connection:
            return connection.execute(delete(refreshes).where(*old, or_(_superseded(), _orphaned()))).rowcount

    def _refreshes(self, query: Select[Any]) -> list[Refresh]:
        with self._read(refreshes, query) as found:
            return [rows.refresh_from_row(row) for row in found]


class JobProfiles:
    """Of refreshes, with which they are recorded."""

    def __init__(self, read: Read) -> None:
        self._read = read

    def find(self, job_id: str) -> JobProfile | None:
        with self._read(job_profiles, select(job_profiles).where(job_profiles.c.job_id == job_id)) as found:
            return next((rows.profile_from_row(row) for row in found), None)

    def all(self) -> list[JobProfile]:
        query = select(job_profiles).join(refreshes, refreshes.c.job_id == job_profiles.c.job_id)
        with self._read(job_profiles, query.order_by(*NEWEST_FIRST)) as found:
            return [rows.profile_from_row(row) for row in found]


def _superseded() -> ColumnElement[bool]:
    newer = refreshes.alias()
    no_earlier = newer.c.start_time >= refreshes.c.start_time
    later = or_(newer.c.start_time > refreshes.c.start_time, newer.c.job_id > refreshes.c.job_id)
    return exists().where(newer.c.table_id == refreshes.c.table_id, no_earlier, later)


def _orphaned() -> ColumnElement[bool]:
    return ~exists().where(dynamic_tables.c.id == refreshes.c.table_id)
