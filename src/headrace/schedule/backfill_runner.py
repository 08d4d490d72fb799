"""Backfills on their way: a thread for each starts runs as others end."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace

from headrace.errors import NotFound
from headrace.features.tasks.backfill_store import Backfills
from headrace.features.tasks.store import Tasks
from headrace.model.backfill import Backfill, BackfillItem, BackfillState, dependencies
from headrace.model.clock import Clock
from headrace.model.events import log_event
from headrace.model.task import RunState, Task, TaskRun
from headrace.schedule.task_loop import TaskRunner

_INTERRUPTED = "the server stopped before the run began"
_CANCELLED = "the backfill was cancelled"
_LOOK_SECONDS = 1.0


class BackfillRunner:
    """Any thread may use it."""

    def __init__(self, backfills: Backfills, tasks: Tasks, runner: TaskRunner, clock: Clock) -> None:
        self._backfills = backfills
        self._tasks = tasks
        self._runner = runner
        self._clock = clock
        self._active: dict[str, _Progress] = {}
        self._lock = threading.Lock()
        self._stopping = threading.Event()

    def begin(
        self,
        tasks: Sequence[Task],
        parameter: str,
        values: Sequence[str],
        parameters: Mapping[str, str],
        parallelism: int,
        user: str,
    ) -> Backfill:
        """Of tasks in the order of their dependencies, for each value."""
        items = tuple(BackfillItem(task.name, value) for value in values for task in tasks)
        backfill = Backfill(
            uuid.uuid4().hex,
            tasks[0].name,
            parameter,
            parallelism,
            user,
            self._clock(),
            items,
            dependencies(tasks),
            dict(parameters),
        )
        self._backfills.record(backfill)
        progress = _Progress(backfill)
        with self._lock:
            self._active[backfill.id] = progress
        progress.thread = threading.Thread(target=self._follow, args=(progress,), daemon=True)
        progress.thread.start()
        return backfill

    def cancel(self, backfill_id: str) -> None:
        """Running runs are stopped, the others do not begin. One that has ended is left alone."""
        with self._lock:
            progress = self._active.get(backfill_id)
        if progress is not None:
            progress.is_cancelled.set()
            for run_id in list(progress.running.values()):
                self._runner.cancel(run_id)
        elif self._backfills.find(backfill_id) is None:
            raise NotFound(f"backfill {backfill_id} does not exist")

    def recover(self) -> None:
        """Ends what a killed server left."""
        for backfill in self._backfills.running():
            if backfill.id not in self._active:
                ended = _without_waiting(backfill, RunState.FAILED, _INTERRUPTED)
                self._backfills.record(replace(ended, state=BackfillState.FAILED, ended_at=self._clock()))

    def stop(self) -> None:
        """Begins nothing more; runs are ended by the task runner."""
        self._stopping.set()

    def wait(self, seconds: float) -> None:
        """Until all are recorded as ended."""
        with self._lock:
            threads = [progress.thread for progress in self._active.values()]
        for thread in threads:
            if thread is not None:
                thread.join(seconds)

    def _follow(self, progress: _Progress) -> None:
        try:
            self._run_all(progress)
        except Exception as problem:  # noqa: BLE001  (nobody else hears of it)
            log_event("backfill failed", level=logging.ERROR, exception=problem, id=progress.backfill.id)
            progress.backfill = replace(progress.backfill, state=BackfillState.FAILED, ended_at=self._clock())
            self._backfills.record(progress.backfill)
        finally:
            with self._lock:
                self._active.pop(progress.backfill.id, None)

    def _run_all(self, progress: _Progress) -> None:
        futures: dict[Future[TaskRun], BackfillItem] = {}
        recorded = progress.backfill
        while not progress.backfill.is_done:
            if progress.is_cancelled.is_set() or self._stopping.is_set():
                progress.backfill = _without_waiting(progress.backfill, RunState.CANCELLED, _CANCELLED)
            for item in progress.backfill.ready():
                begun = self._begin_item(progress, item)
                if begun is not None:
                    futures[begun] = item
            if progress.backfill != recorded:
                self._backfills.record(progress.backfill)
                recorded = progress.backfill
            self._await_some(progress, futures)
            progress.backfill = progress.backfill.with_skipped()
        ended = replace(progress.backfill, state=progress.backfill.outcome, ended_at=self._clock())
        self._backfills.record(ended)

    def _begin_item(self, progress: _Progress, item: BackfillItem) -> Future[TaskRun] | None:
        """None where the task does not exist any more."""
        task = self._tasks.find(item.task)
        if task is None:
            gone = replace(item, state=RunState.FAILED, error_message=f"task {item.task} does not exist")
            progress.backfill = progress.backfill.with_item(gone)
            return None
        backfill = progress.backfill
        given = {**backfill.parameters, backfill.parameter: item.value}
        run, ended = self._runner.backfill(task, given)
        progress.running[item.key] = run.run_id
        progress.backfill = backfill.with_item(replace(item, state=RunState.RUNNING, run_id=run.run_id))
        return ended

    def _await_some(self, progress: _Progress, futures: dict[Future[TaskRun], BackfillItem]) -> None:
        if not futures:
            return
        done, _ = wait(futures, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            item, run = futures.pop(future), future.result()
            progress.running.pop(item.key, None)
            ended = replace(item, state=run.state, run_id=run.run_id, error_message=run.error_message)
            progress.backfill = progress.backfill.with_item(ended)


class _Progress:
    def __init__(self, backfill: Backfill) -> None:
        self.backfill = backfill
        self.running: dict[tuple[str, str], str] = {}
        """Run ids of what runs."""
        self.is_cancelled = threading.Event()
        self.thread: threading.Thread | None = None


def _without_waiting(backfill: Backfill, state: RunState, reason: str) -> Backfill:
    for item in backfill.items:
        if item.state is RunState.QUEUED or (state is RunState.FAILED and item.state is RunState.RUNNING):
            backfill = backfill.with_item(replace(item, state=state, error_message=reason))
    return backfill
