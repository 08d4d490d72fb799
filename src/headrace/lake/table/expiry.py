"""Which versions of a table are no longer kept.

Those that readers have not come past yet are, up to a limit; of the others the newest, and the older they are
the fewer: one for each ten minutes of the last day, for each hour of the last week, for each day before that.
Older ones than the table's retention go.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

NEWEST = 50
"""Versions that are not thinned out."""
_LEAST_AGE = timedelta(minutes=10)
"""Of the newest, even without retention: somebody may be reading them."""
_SPACING = (
    (timedelta(days=1), timedelta(minutes=10)),
    (timedelta(days=7), timedelta(hours=1)),
    (timedelta.max, timedelta(days=1)),
)
"""Up to which age one version is kept for how long a time."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class KeptVersion:
    id: int
    parent: int | None
    made_at: datetime


def expendable(
    versions: Sequence[KeptVersion],
    current: int,
    needed: Collection[int],
    named: Collection[int],
    *,
    retention: timedelta,
    for_readers: timedelta,
    now: datetime,
) -> list[int]:
    """``versions`` newest first; ``needed`` were seen last by readers, ``named`` have a branch or tag."""
    known = {version.id: version for version in versions}
    kept = {current, *named}
    for seen in needed:
        if seen in known and now - known[seen].made_at <= for_readers:
            kept.update(_between(known, current, seen))
    kept.update(_remembered(versions, retention, now))
    return [version.id for version in versions if version.id not in kept]


def _remembered(versions: Sequence[KeptVersion], retention: timedelta, now: datetime) -> Iterator[int]:
    """The last of each stretch of time stands for it."""
    taken = set()
    for place, version in enumerate(versions):
        age = now - version.made_at
        if place < NEWEST and age <= max(retention, _LEAST_AGE):
            yield version.id
        elif age <= retention:
            spacing = next(spacing for oldest, spacing in _SPACING if age <= oldest)
            stretch = (spacing, (version.made_at - _EPOCH) // spacing)
            if stretch not in taken:
                taken.add(stretch)
                yield version.id


def _between(known: Mapping[int, KeptVersion], one: int, other: int) -> set[int]:
    """All that lead from one to the other, which may both have come after what they have in common."""
    ours, theirs = list(_line(known, one)), list(_line(known, other))
    common = set(ours) & set(theirs)
    return {*_up_to(ours, common), *_up_to(theirs, common)}


def _up_to(line: list[int], common: Collection[int]) -> Iterator[int]:
    for version in line:
        yield version
        if version in common:
            return


def _line(known: Mapping[int, KeptVersion], start: int) -> Iterator[int]:
    at: int | None = start
    while at is not None and at in known:
        yield at
        at = known[at].parent
