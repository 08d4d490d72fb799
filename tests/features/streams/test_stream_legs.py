"""Which parts of a table's history are read for a stream, and as what."""

from __future__ import annotations

from headrace.features.streams.legs import Leg, commit_of, insertion_legs, whole_way
from headrace.lake.table.tables import Snapshot


def line(*operations: str) -> list[Snapshot]:
    """Snapshots 1, 2, 3, ..., newest first, each upon the one before."""
    made = [
        Snapshot(number, operation, {}, number - 1 or None, sequence=number)
        for number, operation in enumerate(operations, 1)
    ]
    return made[::-1]


def legs(history: list[Snapshot], since: int | None) -> list[tuple[int | None, int]]:
    return [(leg.since, leg.until) for leg in insertion_legs(history, since, history[0].id)]


def test_appends_are_read_together() -> None:
    history = line("append", "append", "replace", "append")
    assert legs(history, None) == [(None, 4)]
    assert legs(history, 1) == [(1, 4)]
    assert legs(history, 4) == []


def test_what_changes_rows_is_read_by_itself() -> None:
    history = line("append", "append", "overwrite", "overwrite", "append")
    assert legs(history, 1) == [(1, 2), (2, 3), (3, 4), (4, 5)]
    assert legs(history, 3) == [(3, 4), (4, 5)]


def test_what_only_deletes_is_not_read_and_hides_nothing() -> None:
    history = line("append", "append", "delete", "append", "delete")
    assert legs(history, 1) == [(1, 2), (3, 4)]
    assert legs(history, 4) == []


def test_the_net_change_is_one_leg_with_all_commits() -> None:
    history = line("append", "delete", "append")
    commits = tuple(commit_of(snapshot) for snapshot in history[::-1])
    assert whole_way(history, 1, 3) == Leg(1, 3, commits[1:])
    assert whole_way(history, None, 3) == Leg(None, 3, commits)
    assert whole_way(history, 3, 3) == Leg(3, 3, commits[2:])


def test_a_table_that_was_set_back() -> None:
    history = line("append", "append", "append")
    assert whole_way(history, 3, 2).commits == (commit_of(history[1]),)
    assert [(leg.since, leg.until) for leg in insertion_legs(history, 3, 2)] == [(3, 2)]
