"""When a dynamic table is to be refreshed next."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from headrace.model.dynamic_table import DynamicTable

FAILURES_IN_A_ROW = 5
"""After so many the schedule suspends itself."""


def next_due(table: DynamicTable, last_start: datetime | None) -> datetime | None:
    """One interval after the last refresh, whoever asked for that, else after the creation.

    Runs that were missed are not made up for: the next one does their work. None without a schedule.
    """
    schedule = table.schedule
    if schedule.interval_seconds is None or table.suspended:
        return None
    start = schedule.start_at
    if start is not None and (last_start is None or last_start < start):
        return start
    return (last_start or table.created_at) + timedelta(seconds=schedule.interval_seconds)


def slack(due: Iterable[DynamicTable]) -> timedelta:
    """How early others go along with those that are due: so tables with the same interval stay in step."""
    return timedelta(seconds=min(table.schedule.interval_seconds or 0 for table in due) / 2)
