"""When tasks are to run, and which of them have to wait or be left out.

A schedule is a grid of moments: a run belongs to one of them, its scheduled time. Moments that were missed
are not made up for; the newest one stands for all. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from headrace.model.schedule_moments import moment_before
from headrace.model.task import Task, TaskState, is_table_scheduled

LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Past:
    """Scheduled times of a task's newest runs; only runs that have ended count, with their last attempts."""

    last: datetime | None = None
    """Of any, ended or not."""
    succeeded: datetime | None = None
    failed: datetime | None = None
    """Of those that ended otherwise."""


@dataclass(frozen=True)
class Start:
    task: Task
    scheduled_time: datetime


@dataclass(frozen=True)
class Wait:
    task: Task
    scheduled_time: datetime
    reason: str


@dataclass(frozen=True)
class Skip:
    task: Task
    scheduled_time: datetime
    reason: str


Decision = Start | Wait | Skip


def due_moment(task: Task, past: Past, now: datetime, zone: ZoneInfo) -> datetime | None:
    """Newer than the last run and than the last change of the task, deployment included."""
    if task.schedule is None:
        return None
    moment = moment_before(task.schedule, now, zone)
    since = max(past.last or LONG_AGO, task.modified_at)
    return moment if moment is not None and moment > since else None


def decide(
    tasks: Iterable[Task],
    pasts: Mapping[str, Past],
    waiting: Mapping[str, datetime],
    now: datetime,
    zone: ZoneInfo,
) -> Iterator[Decision]:
    """For each deployed task that is at a turn.

    ``pasts`` are by the task's id; ``waiting`` are those that wait for others already, and since which
    scheduled time. Tasks whose dynamic table has the schedule are none of these.
    """
    by_name = {task.name.lower(): task for task in tasks}
    for task in by_name.values():
        if task.state is not TaskState.DEPLOYED or is_table_scheduled(task):
            continue
        known = _Known(by_name, pasts, zone)
        past = pasts.get(task.id, Past())
        if task.schedule is None:
            decision = _follow(task, past, known)
        else:
            moment = waiting.get(task.id) or due_moment(task, past, now, zone)
            decision = _at(task, moment, known) if moment is not None else None
        if decision is not None:
            yield decision


@dataclass(frozen=True)
class _Known:
    by_name: Mapping[str, Task]
    pasts: Mapping[str, Past]
    zone: ZoneInfo

    def upstream(self, task: Task) -> list[tuple[Task, Past]]:
        found = [self.by_name[name.lower()] for name in task.after if name.lower() in self.by_name]
        return [(each, self.pasts.get(each.id, Past())) for each in found]

    def expected(self, task: Task, moment: datetime) -> datetime:
        """The scheduled time from which on a run counts for ``moment``."""
        if task.schedule is not None:
            return moment_before(task.schedule, moment, self.zone) or LONG_AGO
        return min((self.expected(each, moment) for each, _ in self.upstream(task)), default=LONG_AGO)


def _at(task: Task, moment: datetime, known: _Known) -> Decision:
    """A task with a schedule waits for the run of each upstream task that belongs to the moment."""
    waits: str | None = None
    for upstream, past in known.upstream(task):
        expected = known.expected(upstream, moment)
        if past.succeeded is not None and past.succeeded >= expected:
            continue
        if past.failed is not None and past.failed >= expected:
            return Skip(task, moment, _failed(upstream, past.failed))
        if upstream.state is not TaskState.DEPLOYED:
            return Skip(task, moment, f"task {upstream.name} is {upstream.state.value.lower()}")
        waits = waits or f"waits for task {upstream.name}"
    return Start(task, moment) if waits is None else Wait(task, moment, waits)


def _follow(task: Task, past: Past, known: _Known) -> Decision | None:
    """A task without a schedule runs each time that all upstream tasks have succeeded anew."""
    upstream = known.upstream(task)
    since = max(past.last or LONG_AGO, task.modified_at)
    for each, its in upstream:
        if its.failed is not None and its.failed > max(its.succeeded or LONG_AGO, since):
            return Skip(task, its.failed, _failed(each, its.failed))
    moment = min((its.succeeded or LONG_AGO for _, its in upstream), default=LONG_AGO)
    return Start(task, moment) if moment > since else None


def _failed(task: Task, moment: datetime) -> str:
    return f"task {task.name} did not succeed at {moment.isoformat(sep=' ', timespec='seconds')}"
