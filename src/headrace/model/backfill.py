"""A backfill: runs of a task, and of tasks after it, for each of many values of a parameter. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from graphlib import TopologicalSorter

from headrace.errors import DataError
from headrace.model.task import ENDED_RUNS, RunState, Task

MOST_VALUES = 1000
MOST_PARALLEL = 16
_BAD = (RunState.FAILED, RunState.TIMEOUT)


class BackfillState(StrEnum):
    RUNNING = "RUNNING"
    SUCCEED = "SUCCEED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


@dataclass(frozen=True)
class BackfillItem:
    """One task for one value."""

    task: str
    value: str
    state: RunState = RunState.QUEUED
    run_id: str | None = None
    error_message: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.task.lower(), self.value


@dataclass(frozen=True)
class BackfillProgress:
    id: str
    task: str
    state: BackfillState
    runs: int
    running: int
    succeeded: int
    failed: int
    left_out: int
    """Skipped or cancelled."""


@dataclass(frozen=True)
class Backfill:
    id: str
    task: str
    """The first one."""
    parameter: str
    parallelism: int
    creator: str
    created_at: datetime
    items: tuple[BackfillItem, ...]
    """By value, then in the order of the tasks' dependencies."""
    after: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of each task, by its name in lower case, those of the backfill that it waits for."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """For all runs, beside the one that changes."""
    state: BackfillState = BackfillState.RUNNING
    ended_at: datetime | None = None

    def __post_init__(self) -> None:
        if not self.items:
            raise DataError("the backfill has no runs")
        if not 1 <= self.parallelism <= MOST_PARALLEL:
            raise DataError(f"a backfill has 1 to {MOST_PARALLEL} runs at the same time")

    def with_item(self, item: BackfillItem) -> Backfill:
        changed = tuple(item if each.key == item.key else each for each in self.items)
        return replace(self, items=changed)

    def ready(self) -> list[BackfillItem]:
        """What can begin now, in order, as many as may run beside those that do."""
        running = sum(item.state is RunState.RUNNING for item in self.items)
        by_key = {item.key: item for item in self.items}
        waiting = (item for item in self.items if item.state is RunState.QUEUED)
        found = [item for item in waiting if all(_succeeded(by_key[key]) for key in self._upstream(item))]
        return found[: max(0, self.parallelism - running)]

    def with_skipped(self) -> Backfill:
        """What cannot run any more, as something upstream did not succeed, is left out."""
        current = self
        for item in self.items:
            by_key = {each.key: each for each in current.items}
            bad = [key for key in self._upstream(item) if _came_to_nothing(by_key[key])]
            if item.state is RunState.QUEUED and bad:
                reason = f"task {by_key[bad[0]].task} did not succeed"
                current = current.with_item(replace(item, state=RunState.SKIPPED, error_message=reason))
        return current

    @property
    def is_done(self) -> bool:
        return all(item.state in ENDED_RUNS for item in self.items)

    @property
    def outcome(self) -> BackfillState:
        """Once it is done."""
        states = {item.state for item in self.items}
        if RunState.CANCELLED in states:
            return BackfillState.CANCELLED
        return BackfillState.SUCCEED if states == {RunState.SUCCEED} else BackfillState.FAILED

    @property
    def progress(self) -> BackfillProgress:
        states = [item.state for item in self.items]
        return BackfillProgress(
            self.id,
            self.task,
            self.state,
            len(states),
            states.count(RunState.RUNNING),
            states.count(RunState.SUCCEED),
            sum(state in _BAD for state in states),
            sum(state in (RunState.SKIPPED, RunState.CANCELLED) for state in states),
        )

    def _upstream(self, item: BackfillItem) -> Iterator[tuple[str, str]]:
        return ((name, item.value) for name in self.after.get(item.task.lower(), ()))


def _succeeded(item: BackfillItem) -> bool:
    return item.state is RunState.SUCCEED


def _came_to_nothing(item: BackfillItem) -> bool:
    return item.state in ENDED_RUNS and item.state is not RunState.SUCCEED


def dates_between(first: date, last: date, step_days: int = 1) -> list[str]:
    """Both included."""
    count = (last - first).days // step_days + 1
    if count < 1:
        raise DataError("the last date is before the first one")
    if count > MOST_VALUES:
        raise DataError(f"a backfill has at most {MOST_VALUES} dates, not {count}")
    return [(first + timedelta(days=number * step_days)).isoformat() for number in range(count)]


def with_downstream(task: Task, tasks: Iterable[Task]) -> list[Task]:
    """The task and all that come after it, directly or not, each after what it waits for."""
    by_name = {each.name.lower(): each for each in tasks}
    after = {name: {other.lower() for other in each.after} & by_name.keys() for name, each in by_name.items()}
    ordered = list(TopologicalSorter(after).static_order())
    chosen = {task.name.lower()}
    for name in ordered:
        if after[name] & chosen:
            chosen.add(name)
    return [by_name[name] for name in ordered if name in chosen]


def dependencies(tasks: Iterable[Task]) -> dict[str, tuple[str, ...]]:
    """Of each task, by its name in lower case, those of them that it waits for."""
    names = {task.name.lower(): task for task in tasks}
    return {
        name: tuple(other.lower() for other in task.after if other.lower() in names)
        for name, task in names.items()
    }
