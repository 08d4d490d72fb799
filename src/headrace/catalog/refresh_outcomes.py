"""How the last refreshes of each dynamic table went."""

from __future__ import annotations

from datetime import datetime
from itertools import takewhile

from sqlalchemy import exists, func, select

from headrace.catalog import rows
from headrace.catalog.definitions import ACTIVE
from headrace.catalog.refresh_history import ENDED, NEWEST_FIRST
from headrace.catalog.row_access import Read
from headrace.catalog.schema import dynamic_tables, refreshes
from headrace.model.history import Outcome, Refresh, RefreshState, RefreshTrigger


class RefreshOutcomes:
    def __init__(self, read: Read) -> None:
        self._read = read

    def all(self) -> dict[str, Outcome]:
        """Of each active table that has been refreshed, by its id."""
        newest = (
            select(refreshes.c.end_time)
            .where(
                refreshes.c.table_id == dynamic_tables.c.id, refreshes.c.state == RefreshState.SUCCEED.value
            )
            .order_by(*NEWEST_FIRST)
            .limit(1)
            .scalar_subquery()
        )
        query = select(dynamic_tables.c.id, newest.label("end_time")).where(ACTIVE)
        with self._read(dynamic_tables, query) as found:
            ended = {row["id"]: row["end_time"] for row in found}
        failed = {row.table_id: row for row in self.failing() if row.table_id in ended}
        return {
            table_id: Outcome(
                ended[table_id],
                self.failures_in_a_row(table_id) if table_id in failed else 0,
                failed.get(table_id),
            )
            for table_id in ended
            if ended[table_id] is not None or table_id in failed
        }

    def last_starts(
        self, *, trigger: RefreshTrigger | None = None, since: datetime | None = None
    ) -> dict[str, datetime]:
        """When the last refresh of each active table began, by the table's id; of those of a trigger."""
        newest = select(func.max(refreshes.c.start_time)).where(refreshes.c.table_id == dynamic_tables.c.id)
        if trigger is not None:
            newest = newest.where(refreshes.c.trigger == trigger.value)
        if since is not None:
            newest = newest.where(refreshes.c.start_time >= since)
        query = select(dynamic_tables.c.id, newest.scalar_subquery().label("start_time")).where(ACTIVE)
        with self._read(dynamic_tables, query) as found:
            return {row["id"]: row["start_time"] for row in found if row["start_time"] is not None}

    def failing(self) -> list[Refresh]:
        """Of tables whose last refresh that has ended failed, that one."""
        newer = refreshes.alias()
        superseded = exists().where(
            newer.c.table_id == refreshes.c.table_id,
            newer.c.start_time > refreshes.c.start_time,
            newer.c.state.in_(ENDED),
        )
        failed = select(refreshes).where(refreshes.c.state == RefreshState.FAILED.value, ~superseded)
        with self._read(refreshes, failed.order_by(*NEWEST_FIRST)) as found:
            return [rows.refresh_from_row(row) for row in found]

    def failures_in_a_row(self, table_id: str, besides: str = "") -> int:
        """How many of the newest ended refreshes of a table failed, up to the first success; one left out."""
        query = select(refreshes.c.state).where(
            refreshes.c.table_id == table_id, refreshes.c.job_id != besides, refreshes.c.state.in_(ENDED)
        )
        with self._read(refreshes, query.order_by(*NEWEST_FIRST).limit(100)) as found:
            states = [row["state"] for row in found]
        return sum(1 for _ in takewhile(lambda state: state == RefreshState.FAILED.value, states))
