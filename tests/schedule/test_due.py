from __future__ import annotations

from headrace.schedule.due import next_due, slack
from tests.schedule.tables import after, dynamic


def test_a_new_table_is_due_an_interval_after_its_creation():
    assert next_due(dynamic("d"), None) == after(60)


def test_a_refresh_starts_the_interval_anew():
    assert next_due(dynamic("d"), after(50)) == after(110)


def test_missed_runs_are_one():
    assert next_due(dynamic("d"), after(0)) == after(60)
    assert next_due(dynamic("d"), after(600)) == after(660)


def test_on_demand_and_suspended_tables_are_never_due():
    assert next_due(dynamic("d", interval=None), after(5)) is None
    assert next_due(dynamic("d", suspended=True), after(5)) is None


def test_start_with_is_the_first_run():
    table = dynamic("d", start_at=after(3600))
    assert next_due(table, None) == after(3600)
    assert next_due(table, after(10)) == after(3600)
    assert next_due(table, after(3600)) == after(3660)


def test_a_start_in_the_past_is_now():
    assert next_due(dynamic("d", start_at=after(-100)), None) == after(-100)


def test_others_go_along_half_the_shortest_interval_early():
    assert slack([dynamic("d", interval=60), dynamic("e", interval=600)]).total_seconds() == 30
