"""The way from a stream's offset to the present version of its table, in parts that are read one by one.

The net change takes one part. What was inserted takes more: a row that was inserted and then deleted was
inserted all the same, and is not there at the end. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headrace.features.streams.change_sql import StreamCommit
from headrace.lake.table.tables import Snapshot


@dataclass(frozen=True)
class Leg:
    since: int | None
    """None is the empty table."""
    until: int
    commits: tuple[StreamCommit, ...]
    """Those on the way, oldest first; at least the last one."""


def whole_way(kept: Sequence[Snapshot], since: int | None, until: int) -> Leg:
    known = {snapshot.id: snapshot for snapshot in kept}
    way = _way(known, since, until) or [known[until]]
    return Leg(since, until, tuple(map(commit_of, way)))


def insertion_legs(kept: Sequence[Snapshot], since: int | None, until: int) -> list[Leg]:
    """Appends together, each other commit that writes rows by itself, and those that only delete not at all.

    Where a table was set back to an older version, there is no such way, and the net change has to do.
    """
    way = _way({snapshot.id: snapshot for snapshot in kept}, since, until)
    if way is None:
        return [whole_way(kept, since, until)]
    legs: list[Leg] = []
    start, together = since, list[Snapshot]()
    for snapshot in way:
        if snapshot.operation in ("append", "replace"):
            together.append(snapshot)
            continue
        legs += _appended(start, together)
        if snapshot.operation != "delete":
            legs.append(Leg(snapshot.parent, snapshot.id, (commit_of(snapshot),)))
        start, together = snapshot.id, []
    return legs + _appended(start, together)


def _appended(start: int | None, together: list[Snapshot]) -> list[Leg]:
    return [Leg(start, together[-1].id, tuple(map(commit_of, together)))] if together else []


def _way(known: dict[int, Snapshot], since: int | None, until: int) -> list[Snapshot] | None:
    """The commits after ``since``, oldest first; None where ``until`` does not follow from it."""
    found: list[Snapshot] = []
    at: int | None = until
    while at != since:
        if at is None or at not in known:
            return None
        found.append(known[at])
        at = known[at].parent
    return found[::-1]


def commit_of(snapshot: Snapshot) -> StreamCommit:
    return StreamCommit(snapshot.id, snapshot.made_at, snapshot.sequence)
