"""Which way is cheaper, by sizes alone."""

from __future__ import annotations

import pytest

from headrace.algebra.relation import Scan, Version
from headrace.model.names import TableName
from headrace.refresh.cost import Estimate, Sizes, estimate

T = TableName("lake", "public", "t")
SCAN = Scan(T, (("c1", "a"),))
CHANGE = Scan(T, (("c1", "a"),), Version.CHANGE, "c2")


def estimated(
    rows: int,
    changed: int,
    result: int,
    *,
    last_full: float | None = None,
    adds_only: bool = False,
    adds_up: bool = False,
    delta: tuple[Scan, ...] = (CHANGE,),
) -> Estimate:
    return estimate(
        [SCAN],
        list(delta),
        Sizes({T: rows}, {T: changed}, result),
        adds_only=adds_only,
        adds_up=adds_up,
        finds_by_key=changed <= 20_000,
        writes_difference=result <= 100_000,
        last_full_seconds=last_full,
    )


@pytest.mark.parametrize("changed", [1, 5, 10])
def test_small_tables_stay_incremental(changed: int) -> None:
    assert not estimated(10, changed, 10).prefers_full(2)


def test_few_changes_in_a_large_table() -> None:
    found = estimated(10_000_000, 1000, 10_000_000)
    assert found.incremental < found.full / 5


def test_a_change_of_everything_is_recomputed() -> None:
    assert estimated(1_000_000, 2_000_000, 1_000_000).prefers_full(2)


def test_the_margin_decides() -> None:
    found = Estimate(incremental=3.0, full=2.0)
    assert found.prefers_full(1.4)
    assert not found.prefers_full(1.5)
    assert str(found) == "estimated 3.0 s, FULL 2.0 s"


def test_a_slow_full_refresh_in_the_past_counts_up_to_twice_the_estimate() -> None:
    alone = estimated(1_000_000, 100, 1000).full
    assert estimated(1_000_000, 100, 1000, last_full=alone * 1.5).full == pytest.approx(alone * 1.5)
    assert estimated(1_000_000, 100, 1000, last_full=60).full == pytest.approx(alone * 2)
    assert estimated(1_000_000, 100, 1000, last_full=0.01).full == alone


def test_appending_is_cheaper_than_merging() -> None:
    assert estimated(1000, 10, 1000, adds_only=True).incremental < estimated(1000, 10, 1000).incremental


def test_adding_up_is_cheaper_than_merging_each_row() -> None:
    changed = 1_000_000
    assert not estimated(changed, changed, 1000, adds_up=True).prefers_full(2)
    assert estimated(changed, changed, 1000).prefers_full(2)


def test_a_change_that_reads_many_small_tables_is_recomputed() -> None:
    assert not estimated(1000, 10, 1000, delta=(CHANGE, SCAN) * 2).prefers_full(2)
    assert estimated(1000, 10, 1000, delta=(CHANGE, SCAN) * 10).prefers_full(2)
