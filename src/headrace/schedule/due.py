"""When a dynamic table is to be refreshed next. Pure.

The due times of a table are a grid: a baseline plus k intervals. The baseline is START WITH where that is
given, else the last manual refresh, else the creation. A scheduled refresh does not move it, however late it
begins, so due times do not drift. Due times that were missed are not made up for: one refresh stands for all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from headrace.model.dynamic_table import DynamicTable

FAILURES_IN_A_ROW = 5
"""After so many the schedule suspends itself."""


@dataclass(frozen=True)
class PastRuns:
    last_start: datetime | None = None
    """Of any refresh."""
    manual_start: datetime | None = None
    """Of the last manual one."""
    served: datetime | None = None
    """The due time that the last scheduled refresh stood for: later than its start where it began early."""


def next_due(table: DynamicTable, past: PastRuns) -> datetime | None:
    """The first due time after the last refresh; None without a schedule."""
    seconds = table.schedule.interval_seconds
    if seconds is None or table.suspended:
        return None
    interval = timedelta(seconds=seconds)
    first = table.schedule.start_at or max(table.created_at, past.manual_start or table.created_at) + interval
    done = max((at for at in (past.last_start, past.served) if at is not None), default=None)
    if done is None or done < first:
        return first
    return first + ((done - first) // interval + 1) * interval


def slack(due: Iterable[DynamicTable]) -> timedelta:
    """How early others go along with those that are due: so tables with the same interval stay in step."""
    return timedelta(seconds=min(table.schedule.interval_seconds or 0 for table in due) / 2)


def joins_early(table: DynamicTable) -> bool:
    """Whether it may go along with others before its due time; START WITH means what it says."""
    return table.schedule.start_at is None
