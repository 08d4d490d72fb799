"""Which versions go, by age, number and readers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.lake.table.expiry import NEWEST, KeptVersion, expendable

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


def line(count: int, apart: timedelta = MINUTE, first: int = 1) -> list[KeptVersion]:
    """One version after the other, the newest made now and given first."""
    last = first + count - 1
    return [
        KeptVersion(number, number - 1 if number > first else None, NOW - (last - number) * apart)
        for number in range(last, first - 1, -1)
    ]


def left(
    versions: list[KeptVersion],
    *,
    needed: tuple[int, ...] = (),
    named: tuple[int, ...] = (),
    retention: timedelta = DAY,
    for_readers: timedelta = 7 * DAY,
    current: int | None = None,
) -> list[int]:
    """What is kept, newest first."""
    gone = expendable(
        versions,
        current or versions[0].id,
        needed,
        named,
        retention=retention,
        for_readers=for_readers,
        now=NOW,
    )
    taken = set(gone)
    assert len(taken) == len(gone)
    return [version.id for version in versions if version.id not in taken]


def test_few_versions_stay() -> None:
    assert left(line(NEWEST)) == list(range(NEWEST, 0, -1))


def test_many_versions_in_a_short_time_are_thinned_out() -> None:
    kept = left(line(500, timedelta(seconds=1)))
    assert kept[:NEWEST] == list(range(500, 500 - NEWEST, -1))
    assert len(kept) <= NEWEST + 2


def test_a_table_refreshed_each_minute_for_ninety_days() -> None:
    kept = left(line(90 * 24 * 60), retention=90 * DAY)
    assert 300 < len(kept) < 500
    assert kept[-1] < 3 * 24 * 60


def test_what_is_older_than_the_retention_goes() -> None:
    kept = left(line(100, HOUR), retention=DAY)
    assert kept == list(range(100, 100 - 25, -1))


def test_without_retention_the_newest_stay_for_a_while() -> None:
    assert left(line(100, MINUTE), retention=timedelta(0)) == list(range(100, 89, -1))


def test_the_current_version_stays_however_old_it_is() -> None:
    old = [KeptVersion(1, None, NOW - 400 * DAY)]
    assert left(old) == [1]


def test_all_versions_since_the_one_a_reader_saw_stay() -> None:
    kept = left(line(100, HOUR), needed=(30,))
    assert kept == list(range(100, 29, -1))


def test_a_reader_that_is_too_far_behind_is_not_waited_for() -> None:
    kept = left(line(400, HOUR), needed=(30,), for_readers=7 * DAY)
    assert kept == list(range(400, 400 - 25, -1))


def test_a_version_that_is_gone_holds_nothing() -> None:
    assert left(line(100, HOUR), needed=(-1,)) == list(range(100, 75, -1))


def test_branches_and_tags_stay() -> None:
    assert left(line(100, HOUR), named=(7,))[-1] == 7


def test_after_going_back_the_way_a_reader_has_to_take_stays() -> None:
    """The reader saw 90, the table was set back to 40, and 101 came after that."""
    versions = [KeptVersion(101, 40, NOW), *line(100, HOUR)]
    kept = left(versions, needed=(90,), retention=timedelta(0), current=101)
    assert kept == [101, 100, *range(90, 39, -1)]


@given(
    st.lists(st.integers(0, 200_000), min_size=1, max_size=300),
    st.integers(0, 90),
    st.integers(0, 299),
)
def test_thinning_out_again_at_once_takes_nothing(minutes: list[int], days: int, seen: int) -> None:
    ages = sorted(minutes)
    versions = [
        KeptVersion(len(ages) - place, len(ages) - place - 1 or None, NOW - age * MINUTE)
        for place, age in enumerate(ages)
    ]
    once = left(versions, retention=days * DAY, needed=(seen,))
    rest = [version for version in versions if version.id in once]
    assert set(left(rest, retention=days * DAY, needed=(seen,))) >= set(once[:NEWEST])
    assert once[0] == versions[0].id


@pytest.mark.parametrize("days", [1, 7, 90])
def test_the_number_is_bounded(days: int) -> None:
    assert len(left(line(days * 24 * 60), retention=days * DAY)) <= NEWEST + 145 + 6 * 24 + days
