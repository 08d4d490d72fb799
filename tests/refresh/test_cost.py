"""Which way is cheaper, by sizes alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from headrace.algebra.operators.scan import Scan, SourceVersion
from headrace.model.estimate import Estimate
from headrace.model.history import Refresh, RefreshMode, RefreshState, RefreshTrigger
from headrace.model.names import TableName
from headrace.refresh.cost import KnownIndexes, Sizes, corrected, estimate

T = TableName("lake", "public", "t")
SCAN = Scan(T, (("c1", "a"),))
CHANGE = Scan(T, (("c1", "a"),), SourceVersion.CHANGE, "c2")


def estimated(
    rows: int,
    changed: int,
    result: int,
    *,
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
    )


@pytest.mark.parametrize("changed", [1, 5, 10])
def test_small_tables_stay_incremental(changed: int) -> None:
    assert not estimated(10, changed, 10).prefers_full(1.2)


def test_few_changes_in_a_large_table() -> None:
    found = estimated(10_000_000, 1000, 10_000_000)
    assert found.incremental < found.full / 5


def test_a_source_that_is_looked_up_by_key_costs_less_than_one_that_is_read() -> None:
    sizes = Sizes({T: 10_000_000}, {T: 100}, 10_000_000)
    kinds = {"adds_only": False, "adds_up": False, "finds_by_key": True, "writes_difference": False}
    read = estimate([SCAN], [CHANGE, SCAN], sizes, **kinds)
    found = estimate([SCAN], [CHANGE, SCAN], sizes, **kinds, looked_up=[SCAN])
    assert found.full == read.full
    assert found.incremental < read.incremental / 2


class TestIndexes:
    def of(self, rows: int, indexes: KnownIndexes) -> Estimate:
        sizes = Sizes({T: rows}, {T: 100}, rows)
        kinds = {"adds_only": False, "adds_up": False, "finds_by_key": True, "writes_difference": False}
        return estimate([SCAN], [CHANGE, SCAN], sizes, **kinds, looked_up=[SCAN], indexes=indexes)

    def test_a_look_up_by_an_index_does_not_depend_on_the_size_of_the_table(self) -> None:
        there = KnownIndexes({SCAN}, result=True)
        assert self.of(10_000, there).incremental == self.of(1_000_000_000, there).incremental
        assert self.of(1_000_000_000, KnownIndexes()).incremental > 10 * self.of(10_000, there).incremental

    def test_an_index_that_is_made_first_costs_as_much_as_it_has_rows(self) -> None:
        there, missing = KnownIndexes({SCAN}, True), KnownIndexes({SCAN}, True, rows_to_index=10_000_000)
        made = self.of(10_000_000, missing)
        assert made.incremental == self.of(10_000_000, there).incremental + made.once
        fewer = self.of(10_000_000, replace(missing, rows_to_index=1_000_000))
        assert made.once == pytest.approx(10 * fewer.once)
        assert fewer.once > 0

    def test_later_refreshes_bear_their_part(self) -> None:
        """Else a table would be recomputed for ever, because the index was never made."""
        found = Estimate(incremental=6.0, full=3.0, once=5.0)
        assert not found.prefers_full(1.2)
        assert replace(found, once=0.0).prefers_full(1.2)
        assert str(found) == "estimated 6.0 s (5.0 s to make indexes), FULL 3.0 s"

    def test_the_pace_of_the_machine_goes_for_indexes_too(self) -> None:
        past = [taken(RefreshMode.INCREMENTAL, 4.0, Estimate(2.0, 4.0))]
        assert corrected(Estimate(3.0, 4.0, 1.0), past).once == 2.0


def test_a_change_of_everything_is_recomputed() -> None:
    assert estimated(1_000_000, 2_000_000, 1_000_000).prefers_full(1.2)


def test_the_margin_decides() -> None:
    found = Estimate(incremental=3.0, full=2.0)
    assert found.prefers_full(1.4)
    assert not found.prefers_full(1.5)
    assert str(found) == "estimated 3.0 s, FULL 2.0 s"


def test_less_than_half_a_second_is_not_worth_it() -> None:
    assert not Estimate(incremental=0.7, full=0.3).prefers_full(1.2)
    assert Estimate(incremental=0.9, full=0.3).prefers_full(1.2)


class TestCorrected:
    by_sizes = Estimate(incremental=2.0, full=4.0)

    def of(self, *past: Refresh) -> Estimate:
        return corrected(self.by_sizes, past)

    def test_a_single_slow_refresh_does_not_decide(self) -> None:
        usual = taken(RefreshMode.INCREMENTAL, 2.0, self.by_sizes)
        slow = taken(RefreshMode.INCREMENTAL, 60.0, self.by_sizes)
        assert self.of(slow, usual, usual).incremental == 2.0
        assert self.of(slow, slow, usual).incremental == 6.0

    def test_a_mode_that_was_slow_is_tried_again(self) -> None:
        slow = taken(RefreshMode.INCREMENTAL, 60.0, Estimate(1.0, 4.0))
        full = taken(RefreshMode.FULL, 4.0, self.by_sizes)
        by_age = [corrected(self.by_sizes, [*[full] * age, slow]).incremental for age in (0, 5, 10, 19)]
        assert by_age == sorted(by_age, reverse=True)
        assert corrected(self.by_sizes, [slow, full]).prefers_full(1.2)
        assert not corrected(self.by_sizes, [*[full] * 5, slow]).prefers_full(1.2)

    def test_nothing_is_known(self) -> None:
        assert self.of() == self.by_sizes

    def test_by_how_long_the_last_took(self) -> None:
        then = Estimate(incremental=1.0, full=3.0)
        past = taken(RefreshMode.INCREMENTAL, 1.5, then), taken(RefreshMode.FULL, 2.1, then)
        assert self.of(*past) == Estimate(3.0, pytest.approx(4 * 0.7 ** (0.5**0.2)))

    @pytest.mark.parametrize(("took", "full"), [(60.0, 12.0), (0.01, 4 / 3)])
    def test_at_most_by_a_third_or_three_times(self, took: float, full: float) -> None:
        assert self.of(taken(RefreshMode.FULL, took, self.by_sizes)) == Estimate(2.0, pytest.approx(full))

    def test_what_slows_one_mode_slows_the_other_as_long_as_that_was_not_measured(self) -> None:
        slow = taken(RefreshMode.INCREMENTAL, 3.0, self.by_sizes)
        assert self.of(slow) == Estimate(3.0, 6.0)
        assert self.of(slow, taken(RefreshMode.FULL, 9.0)) == Estimate(3.0, 6.0)

    def test_full_takes_no_longer_than_the_first_did(self) -> None:
        slow = taken(RefreshMode.INCREMENTAL, 4.0, self.by_sizes)
        assert self.of(slow, taken(RefreshMode.FULL, 3.0)) == Estimate(4.0, 3.0)

    def test_what_is_slow_beyond_a_cold_start_is_slow(self) -> None:
        assert self.of(taken(RefreshMode.FULL, 5.0)) == self.by_sizes
        assert self.of(taken(RefreshMode.FULL, 11.0)) == Estimate(2.0, 6.0)

    def test_an_incremental_refresh_without_estimate_counts_nothing(self) -> None:
        assert self.of(taken(RefreshMode.INCREMENTAL, 60.0)) == self.by_sizes


def taken(mode: RefreshMode, seconds: float, estimated: Estimate | None = None) -> Refresh:
    start = datetime(2024, 1, 1, tzinfo=UTC)
    return Refresh(
        job_id="j",
        table_id="t",
        table=T,
        cluster="default",
        start_time=start,
        end_time=start + timedelta(seconds=seconds),
        state=RefreshState.SUCCEED,
        trigger=RefreshTrigger.MANUAL,
        sources=(T,),
        mode=mode,
        estimated=estimated,
    )


def test_appending_is_cheaper_than_merging() -> None:
    assert estimated(1000, 10, 1000, adds_only=True).incremental < estimated(1000, 10, 1000).incremental


def test_adding_up_is_cheaper_than_merging_each_row() -> None:
    changed = 1_000_000
    merged = estimated(changed, changed, 1000)
    assert merged.prefers_full(1.2)
    assert estimated(changed, changed, 1000, adds_up=True).incremental < merged.incremental / 2


def test_a_change_that_reads_many_small_tables_is_recomputed() -> None:
    assert not estimated(1000, 10, 1000, delta=(CHANGE, SCAN) * 2).prefers_full(1.2)
    assert estimated(1000, 10, 1000, delta=(CHANGE, SCAN) * 10).prefers_full(1.2)
