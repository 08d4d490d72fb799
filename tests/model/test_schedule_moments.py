"""The next moments of a schedule."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.model.schedule_moments import moment_before, moments_after
from headrace.model.task import CronSchedule, IntervalSchedule

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2024, 3, 30, 12, 0, 30, tzinfo=UTC)


def shown(schedule: IntervalSchedule | CronSchedule, zone: ZoneInfo = BERLIN, count: int = 3) -> list[str]:
    return [f"{moment:%d %H:%M}" for moment in moments_after(schedule, NOW, zone, count)]


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (IntervalSchedule(60), ["30 12:01", "30 12:02", "30 12:03"]),
        (IntervalSchedule(3600), ["30 13:00", "30 14:00", "30 15:00"]),
        (IntervalSchedule(60, datetime(2024, 3, 31, tzinfo=UTC)), ["31 00:00", "31 00:01", "31 00:02"]),
        (
            IntervalSchedule(7200, datetime(2024, 3, 1, 1, 30, tzinfo=UTC)),
            ["30 13:30", "30 15:30", "30 17:30"],
        ),
        (CronSchedule("30 2 * * *", "UTC"), ["31 02:30", "01 02:30", "02 02:30"]),
        (CronSchedule("0 9 * * *"), ["31 07:00", "01 07:00", "02 07:00"]),
        (CronSchedule("*/20 * * * *"), ["30 12:20", "30 12:40", "30 13:00"]),
    ],
)
def test_next_moments(schedule: IntervalSchedule | CronSchedule, expected: list[str]) -> None:
    """Berlin's clocks change on the 31st of March."""
    assert shown(schedule) == expected


@given(st.integers(60, 100_000), st.integers(0, 2**31))
def test_the_next_moment_is_one_that_the_scheduler_sees(seconds: int, now: int) -> None:
    """In summer, too, when the lake's zone is not as far from UTC as it was on the first of January 1970."""
    moment, schedule = datetime.fromtimestamp(now, UTC), IntervalSchedule(seconds)
    (first,) = moments_after(schedule, moment, BERLIN, 1)
    assert moment_before(schedule, first, BERLIN) == first
    before = moment_before(schedule, first - timedelta(microseconds=1), BERLIN)
    assert before is not None
    assert before <= moment < first
