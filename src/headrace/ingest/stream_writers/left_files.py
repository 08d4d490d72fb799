"""Write-ahead files that processes have left when they ended, in the order in which their requests came.

A file can be in another directory than the one before it: a process that takes files over may end between
two of them. The numbers of the requests say which was first, and the time where no client is in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import pairwise
from pathlib import Path

from headrace.lake.write_ahead.segment import Owner, RecordHead, cut_torn_tail, read_owner


@dataclass(frozen=True)
class LeftFile:
    path: Path
    owner: Owner
    heads: Sequence[RecordHead]
    torn_bytes: int


def left_file(path: Path) -> LeftFile | None:
    """None of one that has no request, which is deleted."""
    owner = read_owner(path)
    heads, torn = cut_torn_tail(path)
    if owner is None or not heads:
        path.unlink()
        return None
    return LeftFile(path, owner, heads, torn)


def in_order(files: Sequence[LeftFile]) -> Iterator[LeftFile]:
    by_time = sorted(files, key=lambda each: each.heads[0].written_at)
    order: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(len(by_time)), ()))
    for before, after in _successions(by_time):
        order.add(after, before)
    try:
        order.prepare()
    except CycleError:  # no sequence of requests leads to it
        yield from by_time
        return
    ready: list[int] = []
    while order.is_active():
        for place in order.get_ready():
            heappush(ready, place)
        following = heappop(ready)
        yield by_time[following]
        order.done(following)


def _successions(files: Sequence[LeftFile]) -> Iterator[tuple[int, int]]:
    """Places of files of which one has requests of a client that come before those in the other."""
    first: dict[tuple[str, str], dict[int, int]] = {}
    for place, file in enumerate(files):
        for head in file.heads:
            of_client = first.setdefault((file.owner.uuid, head.client), {})
            of_client[place] = min(of_client.get(place, head.sequence), head.sequence)
    for of_client in first.values():
        places = sorted(of_client, key=lambda place: (of_client[place], place))
        yield from pairwise(places)
