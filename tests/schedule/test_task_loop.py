"""The runner of tasks on a clock of the test's own; what tasks do happens on paper."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from headrace.catalog.database_engine import sqlite_url
from headrace.catalog.store import MetadataStore
from headrace.errors import NotFound, OperationalError, Refused
from headrace.model.task import IntervalSchedule, RunState, RunTrigger, Task, TaskRun, TaskState
from headrace.schedule.attempt import Attempt
from headrace.schedule.run_log import RunLog
from headrace.schedule.task_loop import TaskRunner

from ..server.served import until
from .test_tasks import at, task

EACH_MINUTE = IntervalSchedule(60)


class Paper:
    def __init__(self, directory: Path) -> None:
        self.now = at("10:00:00")
        self.store = MetadataStore.open(sqlite_url(directory / "metadata.db"))
        self.done: list[str] = []
        self.failing: set[str] = set()
        self.held: dict[str, threading.Event] = {}
        self.parameters: dict[str, Any] = {}
        self.runner = self.new_runner()

    def new_runner(self) -> TaskRunner:
        return TaskRunner(self.store, self.carry_out, lambda: self.now, ZoneInfo("UTC"))

    def carry_out(self, attempt: Attempt) -> None:
        name = attempt.task.name
        attempt.log.write(f"{name} began\n")
        attempt.job_ids.append(f"job of {name}")
        self.parameters[name] = attempt.run.parameters
        if name in self.held:
            attempt.on_stop(self.held[name].set)
            assert self.held[name].wait(10)
        self.done.append(name)
        if name in self.failing:
            raise OperationalError(f"{name} is out of order")

    def create(self, *tasks: Task) -> None:
        for each in tasks:
            self.store.tasks.create(each)

    def look(self, seconds: float = 0) -> list[str]:
        """What ran, after so much time."""
        self.now += timedelta(seconds=seconds)
        self.done.clear()
        for _ in range(4):
            self.runner.look()
            self.runner.wait_for_runs(10)
        return list(self.done)

    def states(self, name: str) -> list[str]:
        """Oldest first."""
        return [run.state.value for run in reversed(self.store.task_runs.history(name))]

    def last(self, name: str) -> TaskRun:
        found = self.store.task_runs.latest(name)
        assert found is not None
        return found


@pytest.fixture
def paper(tmp_path: Path) -> Iterator[Paper]:
    paper = Paper(tmp_path)
    yield paper
    for held in paper.held.values():
        held.set()
    paper.runner.stop(5)
    paper.store.close()


def test_a_run_tells_all(paper):
    paper.create(task("a", schedule=EACH_MINUTE, parameters={"x": "1"}))
    assert paper.look() == ["a"]
    run = paper.last("a")
    assert (run.state, run.trigger, run.attempt) == (RunState.SUCCEED, RunTrigger.SCHEDULED, 1)
    assert run.scheduled_time == run.start_time == run.end_time == paper.now
    assert (run.log, run.job_ids) == ("a began\n", ("job of a",))
    assert run.parameters == {"bizdate": "2024-06-03", "x": "1"}
    assert paper.look(59) == []
    assert paper.look(1) == ["a"]
    assert paper.look(600) == ["a"]


def test_the_log_of_a_run_can_be_read_while_it_grows(paper):
    paper.create(task("a", schedule=EACH_MINUTE))
    paper.held["a"] = threading.Event()
    paper.runner.look()
    until(lambda: paper.runner.look() or paper.last("a").log, 10, "the log")
    assert (paper.last("a").state, paper.last("a").job_ids) == (RunState.RUNNING, ("job of a",))
    paper.new_runner().recover()
    assert (paper.last("a").state, paper.last("a").log) == (RunState.FAILED, "a began\n")


def test_a_chain_runs_in_order_in_one_round(paper):
    second = task("2. Aggregate dy", schedule=EACH_MINUTE, after=("1. Time Processing dy",))
    paper.create(second, task("1. Time Processing dy", schedule=EACH_MINUTE), task("3", after=(second.name,)))
    assert paper.look() == ["1. Time Processing dy", "2. Aggregate dy", "3"]
    assert paper.look(60) == ["1. Time Processing dy", "2. Aggregate dy", "3"]
    assert paper.last("3").scheduled_time == paper.now


def test_a_failure_leaves_out_what_comes_after_it(paper):
    paper.create(task("a", schedule=EACH_MINUTE), task("b", schedule=EACH_MINUTE, after=("a",)))
    paper.failing.add("a")
    assert paper.look() == ["a"]
    assert paper.last("a").error_message == "a is out of order"
    assert paper.states("b") == ["SKIPPED"]
    assert paper.last("b").error_message == "task a did not succeed at 2024-06-03 10:00:00+00:00"
    paper.failing.clear()
    assert paper.look(60) == ["a", "b"]
    assert paper.states("b") == ["SKIPPED", "SUCCEED"]


def test_retries_wait_twice_as_long_each_time(paper):
    paper.create(task("a", schedule=EACH_MINUTE, retries=2, backoff_seconds=10), task("b", after=("a",)))
    paper.failing.add("a")
    assert paper.look() == ["a"]
    assert paper.states("a") == ["FAILED", "WAITING"]
    assert paper.look(9) == []
    assert paper.look(1) == ["a"]
    assert paper.look(19) == []
    paper.failing.clear()
    assert paper.look(1) == ["a", "b"]
    assert paper.states("a") == ["FAILED", "FAILED", "SUCCEED"]
    assert {run.run_id for run in paper.store.task_runs.history("a")} == {paper.last("a").run_id}
    assert paper.states("b") == ["SUCCEED"]


def test_when_all_retries_fail_the_run_has_failed(paper):
    paper.create(task("a", schedule=EACH_MINUTE, retries=1), task("b", after=("a",)))
    paper.failing.add("a")
    assert paper.look() == ["a", "a"]
    assert paper.states("a") == ["FAILED", "FAILED"]
    assert paper.states("b") == ["SKIPPED"]


def test_a_timeout_stops_it(paper):
    paper.create(task("a", schedule=EACH_MINUTE, timeout_seconds=30), task("b", after=("a",)))
    paper.held["a"] = threading.Event()
    paper.runner.look()
    assert paper.states("a") == ["RUNNING"]
    paper.now += timedelta(seconds=29)
    paper.runner.look()
    assert not paper.held["a"].is_set()
    paper.look(1)
    assert paper.states("a") == ["TIMEOUT"]
    assert paper.last("a").error_message == "the run took longer than 30 seconds"
    assert paper.last("a").log == "a began\n"
    assert paper.states("b") == ["SKIPPED"]


def test_never_twice_at_once(paper):
    paper.create(task("a", schedule=EACH_MINUTE))
    paper.held["a"] = threading.Event()
    for _ in range(4):
        paper.runner.look()
        paper.now += timedelta(seconds=60)
    with pytest.raises(Refused, match=r"^task a is running\n"):
        paper.runner.execute(paper.store.tasks.find("a"), {})
    assert paper.states("a") == ["RUNNING"]
    paper.held["a"].set()
    paper.runner.wait_for_runs(10)
    assert paper.look() == ["a"]
    assert paper.states("a") == ["SUCCEED", "SUCCEED"]


def test_who_waits_is_seen_waiting(paper):
    paper.create(task("a", schedule=EACH_MINUTE), task("b", schedule=EACH_MINUTE, after=("a",)))
    paper.held["a"] = threading.Event()
    paper.runner.look()
    paper.now += timedelta(seconds=60)
    paper.runner.look()
    assert paper.states("b") == ["WAITING"]
    assert (paper.last("b").error_message, paper.last("b").scheduled_time) == (
        "waits for task a",
        at("10:00:00"),
    )
    paper.held.pop("a").set()
    paper.runner.wait_for_runs(10)
    assert sorted(paper.look()) == ["a", "b", "b"]
    assert paper.states("b") == ["SUCCEED", "SUCCEED"]
    assert paper.last("b").error_message is None


def test_a_paused_task_rests_and_starts_with_the_next_moment(paper):
    a = task("a", schedule=EACH_MINUTE)
    paper.create(a)
    paper.store.tasks.alter(replace(a, state=TaskState.PAUSED))
    assert paper.look(600) == []
    paper.store.tasks.alter(replace(a, modified_at=paper.now))
    assert paper.look(59) == []
    assert paper.look(1) == ["a"]


def test_what_waits_when_its_task_goes_offline_is_left_out(paper):
    a = task("a", schedule=EACH_MINUTE, retries=5, backoff_seconds=60)
    paper.create(a)
    paper.failing.add("a")
    paper.look()
    paper.store.tasks.alter(replace(a, state=TaskState.OFFLINE))
    assert paper.look(60) == []
    assert paper.states("a") == ["FAILED", "SKIPPED"]


def test_by_hand(paper):
    paper.create(task("a", state=TaskState.DRAFT, parameters={"x": "1"}))
    run, ended = paper.runner.execute(paper.store.tasks.find("a"), {"x": "2"})
    outcome = ended.result(10)
    assert (outcome.run_id, outcome.state, outcome.trigger) == (run.run_id, "SUCCEED", "MANUAL")
    assert paper.parameters["a"] == {"bizdate": "2024-06-03", "x": "2"}


def test_by_hand_with_another_attempt(paper):
    paper.create(task("a", state=TaskState.DRAFT, retries=1))
    paper.failing.add("a")
    _, ended = paper.runner.execute(paper.store.tasks.find("a"), {})
    paper.runner.wait_for_runs(10)
    assert not ended.done()
    paper.look()
    assert (ended.result(10).state, ended.result(10).attempt) == ("FAILED", 2)


def test_cancel(paper):
    paper.create(task("a", schedule=EACH_MINUTE, retries=3), task("b", schedule=EACH_MINUTE, after=("a",)))
    paper.held["a"] = threading.Event()
    paper.runner.look()
    paper.runner.cancel(paper.last("b").run_id)
    assert paper.states("b") == ["CANCELLED"]
    paper.runner.cancel(paper.last("a").run_id)
    paper.runner.wait_for_runs(10)
    assert paper.states("a") == ["CANCELLED"]
    paper.runner.cancel(paper.last("a").run_id)
    with pytest.raises(NotFound, match=r"^run nobody does not exist\n"):
        paper.runner.cancel("nobody")


def test_what_a_killed_server_left_has_failed(paper):
    paper.create(task("a", schedule=EACH_MINUTE), task("b", schedule=EACH_MINUTE, after=("a",)))
    paper.held["a"] = threading.Event()
    paper.runner.look()
    killed, paper.runner = paper.runner, paper.new_runner()
    paper.runner.recover()
    assert (paper.states("a"), paper.states("b")) == (["FAILED"], ["FAILED"])
    assert paper.last("a").error_message == "the server stopped before the run ended"
    assert paper.last("b").error_message == "the server stopped before the run began"
    assert paper.last("a").end_time == paper.now
    paper.held.pop("a").set()
    killed.wait_for_runs(10)
    assert paper.look(60) == ["a", "b"]


def test_a_shutdown_stops_what_does_not_end(paper):
    paper.create(task("a", schedule=EACH_MINUTE, retries=2))
    paper.held["a"] = threading.Event()
    paper.runner.look()
    paper.runner.stop(0.05)
    assert paper.states("a") == ["CANCELLED"]
    assert paper.last("a").error_message == "the server was shut down"


def test_a_program_error_is_told_too(paper):
    def break_down(attempt: Attempt) -> None:
        raise ZeroDivisionError("by nought")

    paper.runner._carry_out = break_down
    paper.create(task("a", schedule=EACH_MINUTE))
    paper.look()
    assert paper.last("a").error_message == "ZeroDivisionError: by nought"


def test_a_log_has_a_beginning_an_end_and_no_secrets():
    log = RunLog(("s3cret",), head=10, tail=5)
    log.write("token s3cret ")
    log.write("x" * 100)
    log.write("the end")
    assert log.text == "token *** \n... 102 characters are left out ...\ne end"


def test_many_tasks_with_nothing_to_do_are_quick(paper):
    paper.create(*(task(f"t{number}", schedule=IntervalSchedule(86400)) for number in range(200)))
    paper.runner.look()
    start = time.monotonic()
    paper.runner.look()
    assert time.monotonic() - start < 1
