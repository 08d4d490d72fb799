"""The moments of a schedule. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from cronsim import CronSim

from headrace.model.task import CronSchedule, IntervalSchedule, interval_moment

_MINUTE = timedelta(minutes=1)


def moment_before(
    schedule: IntervalSchedule | CronSchedule, now: datetime, zone: ZoneInfo
) -> datetime | None:
    """The schedule's newest moment up to now; ``zone`` is the lake's. None before its first one."""
    if isinstance(schedule, CronSchedule):
        above = _local(schedule, now, zone).replace(second=0, microsecond=0) + _MINUTE
        return next(CronSim(schedule.expression, above, reverse=True)).astimezone(UTC)
    return interval_moment(schedule, now, zone)


def moments_after(
    schedule: IntervalSchedule | CronSchedule, now: datetime, zone: ZoneInfo, count: int
) -> list[datetime]:
    """The schedule's next moments after now, as many as there are up to ``count``."""
    if isinstance(schedule, CronSchedule):
        found = islice(CronSim(schedule.expression, _local(schedule, now, zone)), count)
        return [moment.astimezone(UTC) for moment in found]
    interval = timedelta(seconds=schedule.seconds)
    before = interval_moment(schedule, now, zone)
    first = schedule.start_at if before is None else before + interval
    return [] if first is None else [first.astimezone(UTC) + number * interval for number in range(count)]


def _local(schedule: CronSchedule, now: datetime, zone: ZoneInfo) -> datetime:
    return now.astimezone(ZoneInfo(schedule.zone) if schedule.zone else zone)
