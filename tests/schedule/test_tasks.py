"""When a task is due and what it waits for, on paper."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from headrace.model.task import CronSchedule, IntervalSchedule, Task, TaskKind, TaskState
from headrace.model.task_parameters import (
    arguments_of,
    parameters_of_run,
    unknown_parameters,
    unsafe_parameters,
    with_parameters,
)
from headrace.schedule.task_due import Past, Skip, Start, Wait, decide, due_moment, moment_before

ZONE = ZoneInfo("UTC")
BERLIN = ZoneInfo("Europe/Berlin")
EACH_MINUTE = IntervalSchedule(60)


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"2024-06-03 {text}").replace(tzinfo=UTC)


DEPLOYED = at("09:59:30")


def task(name: str, **more: Any) -> Task:
    fields = {
        "id": name,
        "kind": TaskKind.SQL,
        "body": "select 1",
        "creator": "ann",
        "created_at": DEPLOYED,
        "modified_at": DEPLOYED,
        "state": TaskState.DEPLOYED,
    }
    return Task(name=name, **(fields | more))


def decided(
    tasks: list[Task], pasts: dict[str, Past], now: str, waiting: dict[str, str] | None = None
) -> Any:
    since = {name: at(moment) for name, moment in (waiting or {}).items()}
    found = decide(tasks, pasts, since, at(now), ZONE)
    return {each.task.name: (type(each), each.scheduled_time) for each in found}


@pytest.mark.parametrize(
    ("schedule", "now", "expected"),
    [
        (EACH_MINUTE, "10:00:59", "10:00:00"),
        (EACH_MINUTE, "10:01:00", "10:01:00"),
        (IntervalSchedule(300), "10:04:59", "10:00:00"),
        (IntervalSchedule(60, at("10:00:20")), "10:01:19", "10:00:20"),
        (IntervalSchedule(60, at("10:00:20")), "10:00:20", "10:00:20"),
        (IntervalSchedule(60, at("10:00:20")), "10:00:19", None),
        (CronSchedule("*/5 * * * *"), "10:04:59", "10:00:00"),
        (CronSchedule("*/5 * * * *"), "10:05:00", "10:05:00"),
        (CronSchedule("30 2 * * *", "Europe/Berlin"), "10:00:00", "00:30:00"),
        (CronSchedule("30 2 * * *"), "10:00:00", "02:30:00"),
    ],
)
def test_newest_moment(schedule, now, expected):
    assert moment_before(schedule, at(now), ZONE) == (expected and at(expected))


def test_cron_of_the_lakes_zone():
    assert moment_before(CronSchedule("0 8 * * *"), at("10:00:00"), BERLIN) == at("06:00:00")


def test_an_hour_that_does_not_exist_is_run_once_it_is_over():
    night = CronSchedule("30 2 * * *", "Europe/Berlin")
    after = datetime(2024, 3, 31, 1, 30, tzinfo=UTC)
    moment = moment_before(night, after, ZONE)
    assert moment is not None
    assert timedelta(0) <= after - moment <= timedelta(hours=1)


def test_missed_runs_are_one():
    each = task("a", schedule=EACH_MINUTE)
    assert due_moment(each, Past(last=at("10:00:00")), at("10:07:30"), ZONE) == at("10:07:00")


def test_nothing_is_due_twice_or_before_the_deployment():
    each = task("a", schedule=EACH_MINUTE)
    assert due_moment(each, Past(last=at("10:07:00")), at("10:07:59"), ZONE) is None
    assert due_moment(each, Past(), at("09:59:59"), ZONE) is None
    assert due_moment(each, Past(), at("10:00:00"), ZONE) == at("10:00:00")


@pytest.mark.parametrize("state", [TaskState.DRAFT, TaskState.PAUSED, TaskState.OFFLINE])
def test_only_deployed_tasks_run(state):
    assert decided([task("a", schedule=EACH_MINUTE, state=state)], {}, "10:05:00") == {}


A = task("A", schedule=EACH_MINUTE)
B = task("B", schedule=EACH_MINUTE, after=("a",))
C = task("C", after=("A",))
NOON = {"A": Past(at("10:00:00"), at("10:00:00"))}


def test_b_waits_for_the_run_of_its_moment():
    assert decided([A, B], {}, "10:00:00") == {"A": (Start, at("10:00:00")), "B": (Wait, at("10:00:00"))}
    assert decided([A, B], NOON, "10:00:10") == {"B": (Start, at("10:00:00"))}


def test_b_that_waits_keeps_its_moment():
    decisions = decided([A, B], NOON, "10:01:00", waiting={"B": "10:00:00"})
    assert decisions == {"A": (Start, at("10:01:00")), "B": (Start, at("10:00:00"))}


def test_b_is_left_out_when_a_fails_and_runs_after_the_next_success():
    failed = {"A": Past(at("10:00:00"), None, at("10:00:00"))}
    (skip,) = decide([A, B], failed, {}, at("10:00:10"), ZONE)
    assert isinstance(skip, Skip)
    assert skip.reason == "task A did not succeed at 2024-06-03 10:00:00+00:00"
    again = {"A": Past(at("10:01:00"), at("10:01:00"), at("10:00:00")), "B": Past(at("10:00:00"))}
    assert decided([A, B], again, "10:01:10") == {"B": (Start, at("10:01:00"))}


def test_a_success_after_a_failure_of_the_same_moment_counts():
    both = {"A": Past(at("10:00:30"), at("10:00:30"), at("10:00:00"))}
    assert decided([A, B], both, "10:00:40") == {"B": (Start, at("10:00:00"))}


def test_an_hourly_task_after_a_daily_one_takes_the_run_of_the_day():
    daily = task("day", schedule=IntervalSchedule(86400))
    hourly = task("hour", schedule=IntervalSchedule(3600), after=("day",))
    ran = {"day": Past(at("00:00:00"), at("00:00:00"))}
    assert decided([daily, hourly], ran, "10:00:00") == {"hour": (Start, at("10:00:00"))}
    ran = {"day": Past(at("00:00:00"), at("00:00:00") - timedelta(days=1))}
    assert decided([daily, hourly], ran, "10:00:00") == {"hour": (Wait, at("10:00:00"))}


@pytest.mark.parametrize("state", [TaskState.PAUSED, TaskState.OFFLINE])
def test_b_is_left_out_while_a_does_not_run(state):
    (skip,) = decide([replace(A, state=state), B], {}, {}, at("10:00:10"), ZONE)
    assert isinstance(skip, Skip)
    assert skip.reason == f"task A is {state.value.lower()}"


def test_a_task_without_a_schedule_follows():
    assert decided([A, C], {"A": Past(at("10:00:00"))}, "10:00:10") == {}
    assert decided([A, C], NOON, "10:00:10") == {"C": (Start, at("10:00:00"))}
    assert decided([A, C], {**NOON, "C": Past(at("10:00:00"))}, "10:00:10") == {}


def test_what_happened_before_the_deployment_starts_nothing():
    assert decided([A, C], {"A": Past(at("09:59:00"), at("09:59:00"))}, "09:59:40") == {}


def test_a_follower_waits_for_all():
    slow = task("slow", schedule=IntervalSchedule(3600))
    last = task("last", after=("A", "slow"))
    assert decided([A, slow, last], NOON, "10:00:10").get("last") is None
    both = {**NOON, "slow": Past(at("10:00:00"), at("10:00:00"))}
    assert decided([A, slow, last], both, "10:00:10") == {"last": (Start, at("10:00:00"))}


def test_a_failure_runs_down_the_chain():
    end = task("end", after=("C",))
    pasts = {"A": Past(at("10:00:00"), None, at("10:00:00"))}
    assert decided([A, C, end], pasts, "10:00:10") == {"C": (Skip, at("10:00:00"))}
    pasts["C"] = Past(at("10:00:00"), None, at("10:00:00"))
    assert decided([A, C, end], pasts, "10:00:11") == {"end": (Skip, at("10:00:00"))}
    pasts["end"] = pasts["C"]
    assert decided([A, C, end], pasts, "10:00:12") == {}


def test_a_table_with_a_schedule_of_its_own_is_not_run_here_but_waited_for():
    table = task("dt", kind=TaskKind.DYNAMIC_TABLE, schedule=EACH_MINUTE)
    assert decided([table], {}, "10:05:00") == {}
    check = task("check", schedule=EACH_MINUTE, after=("dt",))
    before = {"dt": Past(at("10:04:00.5"), at("10:04:00.5"))}
    assert decided([table, check], before, "10:05:00") == {"check": (Wait, at("10:05:00"))}
    ended = {"dt": Past(at("10:05:00.5"), at("10:05:00.5"))}
    waiting = {"check": "10:05:00"}
    assert decided([table, check], ended, "10:05:07", waiting) == {"check": (Start, at("10:05:00"))}


def test_a_table_with_moments_of_its_own_is_not_waited_for_until_the_next_one():
    half = replace(EACH_MINUTE, start_at=at("09:00:30"))
    table = task("dt", kind=TaskKind.DYNAMIC_TABLE, schedule=half)
    check = task("check", schedule=EACH_MINUTE, after=("dt",))
    fresh = {"dt": Past(at("10:04:30.5"), at("10:04:30.5"))}
    assert decided([table, check], fresh, "10:05:00") == {"check": (Start, at("10:05:00"))}


def test_parameters():
    late = datetime(2024, 6, 1, 22, 30, tzinfo=UTC)
    found = parameters_of_run({"x": "1", "dt.args.day": "${bizdate}"}, {"x": "2"}, late, BERLIN)
    assert found == {"bizdate": "2024-06-02", "x": "2", "dt.args.day": "2024-06-02"}
    assert arguments_of(found) == {"dt.args.day": "2024-06-02"}
    assert parameters_of_run({}, {"bizdate": "2020-01-01"}, late, BERLIN) == {"bizdate": "2020-01-01"}
    text = "select '${bizdate}', ${x}, ${y}, ${env:HOME}, ${y}"
    assert with_parameters(text, found) == "select '2024-06-02', 2, ${y}, ${env:HOME}, ${y}"
    assert unknown_parameters(text, found) == ["y"]


@pytest.mark.parametrize("value", ["'); import os #", "a\nb", "f()", "x\\", '"', "[1]"])
def test_values_that_would_be_more_than_values_in_a_program(value):
    assert unsafe_parameters("print('${x}')", {"x": value}) == ["x"]
    assert unsafe_parameters("print('${y}')", {"x": value}) == []


def test_values_that_are_values():
    parameters = {"a": "2024-06-01 10:00:00", "b": "größe/x@y.z", "c": ""}
    assert unsafe_parameters("${a} ${b} ${c}", parameters) == []
