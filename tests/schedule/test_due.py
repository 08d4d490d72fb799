from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from headrace.model.dynamic_table import DynamicTable
from headrace.schedule.due import PastRuns, joins_early, next_due, slack
from tests.schedule.tables import NOON, after, dynamic


def test_a_new_table_is_due_an_interval_after_its_creation():
    assert next_due(dynamic("d"), PastRuns()) == after(60)


def test_a_scheduled_refresh_that_begins_late_does_not_move_the_grid():
    assert next_due(dynamic("d"), PastRuns(after(61.7))) == after(120)
    assert next_due(dynamic("d"), PastRuns(after(119.9))) == after(120)
    assert next_due(dynamic("d"), PastRuns(after(120))) == after(180)


def test_a_manual_refresh_starts_the_interval_anew():
    assert next_due(dynamic("d"), PastRuns(after(50), after(50))) == after(110)
    assert next_due(dynamic("d"), PastRuns(after(111), after(50))) == after(170)


def test_missed_runs_are_one():
    assert next_due(dynamic("d"), PastRuns(after(0))) == after(60)
    assert next_due(dynamic("d"), PastRuns(after(609))) == after(660)


def test_a_run_that_began_early_stands_for_its_due_time():
    assert next_due(dynamic("d"), PastRuns(after(100), served=after(120))) == after(180)


def test_on_demand_and_suspended_tables_are_never_due():
    assert next_due(dynamic("d", interval=None), PastRuns(after(5))) is None
    assert next_due(dynamic("d", suspended=True), PastRuns(after(5))) is None


def test_start_with_is_the_grid_whatever_is_refreshed_by_hand():
    table = dynamic("d", start_at=after(3600))
    assert next_due(table, PastRuns()) == after(3600)
    assert next_due(table, PastRuns(after(10))) == after(3600)
    assert next_due(table, PastRuns(after(3600))) == after(3660)
    assert next_due(table, PastRuns(after(3615), after(3615))) == after(3660)
    assert not joins_early(table)


def test_a_start_in_the_past_is_now():
    assert next_due(dynamic("d", start_at=after(-100)), PastRuns()) == after(-100)


def test_others_go_along_half_the_shortest_interval_early():
    assert slack([dynamic("d", interval=60), dynamic("e", interval=600)]).total_seconds() == 30
    assert joins_early(dynamic("d"))


INTERVALS = st.integers(1, 600)
PAUSES = st.lists(st.floats(0.01, 100, allow_nan=False), min_size=1, max_size=60)


def simulate(table: DynamicTable, pauses: list[float], past: PastRuns) -> list[tuple[datetime, datetime]]:
    """A scheduler that looks after each pause: due times, and when they were found."""
    now, found = NOON, []
    for pause in pauses:
        now += timedelta(seconds=pause)
        due = next_due(table, past)
        if due is not None and due <= now:
            found.append((due, now))
            past = PastRuns(now, past.manual_start)
    return found


@given(INTERVALS, PAUSES)
def test_due_times_stay_on_the_grid_and_each_is_served_once(interval: int, pauses: list[float]) -> None:
    found = simulate(dynamic("d", interval=interval), pauses, PastRuns())
    dues = [due for due, _ in found]
    assert all((due - NOON) % timedelta(seconds=interval) == timedelta(0) for due in dues)
    assert dues == sorted(set(dues))
    for (_, start), (due, _) in pairwise(found):
        assert start < due <= start + timedelta(seconds=interval)


@given(INTERVALS, st.floats(0.01, 0.99), st.integers(1, 50))
def test_a_scheduler_that_looks_often_runs_each_due_time(interval: int, look: float, rounds: int) -> None:
    steps = int(rounds * interval / look) + 1
    found = simulate(dynamic("d", interval=interval), [look] * min(steps, 5000), PastRuns())
    assert all(start - due <= timedelta(seconds=look) for due, start in found)
    gaps = {later - earlier for (earlier, _), (later, _) in pairwise(found)}
    assert gaps <= {timedelta(seconds=interval)}


@given(INTERVALS, st.floats(0, 5000), PAUSES)
def test_the_grid_begins_at_the_manual_refresh(interval: int, manual: float, pauses: list[float]) -> None:
    past = PastRuns(after(manual), after(manual))
    for due, _ in simulate(dynamic("d", interval=interval), pauses, past):
        assert due > after(manual)
        assert (due - after(manual)) % timedelta(seconds=interval) == timedelta(0)


@given(INTERVALS, st.floats(-5000, 5000), st.floats(0, 5000), PAUSES)
def test_start_with_is_never_left(interval: int, start: float, manual: float, pauses: list[float]) -> None:
    table = dynamic("d", interval=interval, start_at=after(start))
    for due, _ in simulate(table, pauses, PastRuns(after(manual), after(manual))):
        assert (due - after(start)) % timedelta(seconds=interval) == timedelta(0)
