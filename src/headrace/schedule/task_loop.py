"""Running tasks on schedule and by hand: never one twice at once, each attempt with a row in the history."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from headrace.catalog.store import MetadataStore
from headrace.errors import Error, NotFound, Refused
from headrace.features.tasks.task_body import table_of
from headrace.features.tasks.task_rows import runs_of
from headrace.model.clock import Clock
from headrace.model.events import log_event
from headrace.model.names import TableName
from headrace.model.periodic import PeriodicLoop
from headrace.model.task import ENDED_RUNS, RunState, RunTrigger, Task, TaskRun, TaskState, is_table_scheduled
from headrace.model.task_parameters import parameters_of_run
from headrace.schedule.attempt import Attempt
from headrace.schedule.task_due import Past, Skip, Start, Wait, decide

LOOK_SECONDS = 1.0
_AT_ONCE = 32
_RECENT = 50
"""How many attempts back the past of a task is looked for."""
_INTERRUPTED = "the server stopped before the run ended"
_NOT_BEGUN = "the server stopped before the run began"
_SHUTDOWN = "the server was shut down"
_UNDEPLOYED = "the task is no longer deployed"
_CANCELLED = "the run was cancelled"

Carrier = Callable[[Attempt], None]
"""Does what the task is there for; raises an Error if that fails, and returns early once it is stopped."""


@dataclass
class _Retry:
    task: Task
    run: TaskRun
    at: datetime


class TaskRunner(PeriodicLoop):
    def __init__(
        self,
        store: MetadataStore,
        carry_out: Carrier,
        clock: Clock,
        zone: ZoneInfo,
        leads: Callable[[], bool] = lambda: True,
        look_seconds: float = LOOK_SECONDS,
        completed: Callable[[TableName], datetime | None] = lambda _: None,
        on_lead: Callable[[], None] = lambda: None,
    ) -> None:
        """``leads`` says whether this is the one that schedules, among several servers of a lake.

        ``completed`` is the due time of a dynamic table's last scheduled refresh that has succeeded.
        ``on_lead`` is called when it begins to schedule.
        """
        super().__init__("tasks", look_seconds)
        self._store = store
        self._carry_out = carry_out
        self._clock = clock
        self._zone = zone
        self._leads = leads
        self._completed = completed
        self._on_lead = on_lead
        self._is_leading = False
        self._made: set[str] = set()
        """Ids of the runs that are this server's."""
        self._pasts: dict[str, Past] = {}
        self._running: dict[str, Attempt] = {}
        """By the ids of their runs, as the retries."""
        self._waiting: dict[str, TaskRun] = {}
        """By the ids of their tasks."""
        self._retries: dict[str, _Retry] = {}
        self._ended: dict[str, Future[TaskRun]] = {}
        """By the ids of runs that somebody waits for."""
        self._lock = threading.RLock()
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="task")
        self._futures: set[Future[None]] = set()

    def recover(self) -> None:
        """Ends what a killed server left."""
        now = self._clock()
        for run in self._store.task_runs.unended():
            if run.run_id in self._made:
                continue
            because = _INTERRUPTED if run.state is RunState.RUNNING else _NOT_BEGUN
            self._store.task_runs.record(
                replace(run, state=RunState.FAILED, end_time=now, error_message=because)
            )

    def stop(self, seconds: float) -> None:
        """Begins nothing more and waits for what runs; then that is stopped."""
        self.stop_looking()
        wait(list(self._futures), timeout=seconds)
        with self._lock:
            left = list(self._running.values())
        for attempt in left:
            attempt.stop(RunState.CANCELLED, _SHUTDOWN)
        wait(list(self._futures), timeout=seconds)
        for run in self._store.task_runs.unended():
            if run.run_id in self._made:
                self._end(replace(run, state=RunState.CANCELLED, error_message=_SHUTDOWN))
        self._threads.shutdown(wait=False, cancel_futures=True)

    def wait_for_runs(self, seconds: float) -> None:
        wait(list(self._futures), timeout=seconds)

    def look(self) -> None:
        """One pass over all tasks; what it starts goes on by itself."""
        was_leading, self._is_leading = self._is_leading, self._leads()
        if self._is_leading and not was_leading:
            self.recover()
            self._on_lead()
        now = self._clock()
        tasks = self._store.tasks.all() if self._is_leading else []
        with self._lock:
            self._stop_late(now)
            self._note_progress()
            if self._is_leading:
                self._forget_undeployed({task.id for task in tasks if task.state is TaskState.DEPLOYED})
            self._retry(now)
            self._decide(tasks, now)

    def _decide(self, tasks: list[Task], now: datetime) -> None:
        pasts = {task.id: self._past(task) for task in tasks}
        waiting = {task_id: run.scheduled_time for task_id, run in self._waiting.items()}
        for decision in decide(tasks, pasts, waiting, now, self._zone):
            if self._is_busy(decision.task):
                continue
            task_id, moment = decision.task.id, decision.scheduled_time
            run = self._waiting.get(task_id) or self._new_run(decision.task, moment)
            match decision:
                case Start():
                    self._waiting.pop(task_id, None)
                    self._begin(decision.task, run)
                case Wait():
                    self._wait(decision, run)
                case Skip():
                    self._waiting.pop(task_id, None)
                    self._end(replace(run, state=RunState.SKIPPED, error_message=decision.reason))

    def execute(self, task: Task, parameters: Mapping[str, str]) -> tuple[TaskRun, Future[TaskRun]]:
        """A run by hand, and what becomes of it with its last attempt."""
        with self._lock:
            if self._is_busy(task):
                raise Refused(
                    f"task {task.name} is running",
                    hint="SHOW TASK RUNS shows it; try again when it has ended",
                )
            return self._execute(task, parameters, RunTrigger.MANUAL)

    def backfill(self, task: Task, parameters: Mapping[str, str]) -> tuple[TaskRun, Future[TaskRun]]:
        """The same beside other runs of the task."""
        with self._lock:
            return self._execute(task, parameters, RunTrigger.BACKFILL)

    def _execute(
        self, task: Task, parameters: Mapping[str, str], trigger: RunTrigger
    ) -> tuple[TaskRun, Future[TaskRun]]:
        run = self._new_run(task, self._clock(), trigger, parameters)
        ended = self._ended[run.run_id] = Future()
        self._begin(task, run)
        return run, ended

    def _is_busy(self, task: Task) -> bool:
        """Whether a run of it has begun and not ended; those of backfills do not count."""
        begun = [attempt.run for attempt in self._running.values()]
        begun += [retry.run for retry in self._retries.values()]
        return any(run.task_id == task.id and run.trigger is not RunTrigger.BACKFILL for run in begun)

    def cancel(self, run_id: str) -> None:
        """One that has ended is left alone."""
        with self._lock:
            attempt = self._running.get(run_id)
            if attempt is None:
                self._cancel_waiting(run_id)
                return
        attempt.stop(RunState.CANCELLED, _CANCELLED)

    def _past(self, task: Task) -> Past:
        if is_table_scheduled(task):
            past = past_of(runs_of(self._store, task, _RECENT))
            done = self._completed(table_of(task))
            return past if done is None else replace(past, succeeded=_newer(past.succeeded, done))
        if task.id not in self._pasts:
            self._pasts[task.id] = past_of(
                self._store.task_runs.history(task.id, _RECENT, with_backfills=False)
            )
        return self._pasts[task.id]

    def _new_run(
        self,
        task: Task,
        moment: datetime,
        trigger: RunTrigger = RunTrigger.SCHEDULED,
        given: Mapping[str, str] | None = None,
    ) -> TaskRun:
        parameters = parameters_of_run(task.parameters, given or {}, moment, self._zone)
        run_id = uuid.uuid4().hex
        self._made.add(run_id)
        return TaskRun(run_id, task.id, task.name, moment, RunState.QUEUED, trigger, parameters=parameters)

    def _begin(self, task: Task, run: TaskRun) -> None:
        run = replace(run, state=RunState.RUNNING, start_time=self._clock(), error_message=None)
        self._record(run)
        attempt = self._running[run.run_id] = Attempt(task, run)
        future = self._threads.submit(self._attempt, attempt)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)

    def _attempt(self, attempt: Attempt) -> None:
        error: str | None = None
        try:
            self._carry_out(attempt)
        except Error as problem:
            error = problem.message
        except Exception as problem:  # noqa: BLE001  (the history and the log must tell of it)
            log_event("task run failed", level=logging.ERROR, exception=problem, run=attempt.run.run_id)
            error = f"{type(problem).__name__}: {problem}"
        state = attempt.stopped_as or (RunState.SUCCEED if error is None else RunState.FAILED)
        said = attempt.stopped_because if attempt.stopped_as else error
        ended = replace(
            attempt.run, state=state, error_message=said, log=attempt.log.text, job_ids=tuple(attempt.job_ids)
        )
        with self._lock:
            self._running.pop(attempt.run.run_id, None)
            try:
                self._after(attempt.task, ended)
            except Exception as problem:  # noqa: BLE001  (nobody else hears of it)
                self.report(problem)

    def _after(self, task: Task, run: TaskRun) -> None:
        again = run.state in (RunState.FAILED, RunState.TIMEOUT) and run.attempt <= task.retries
        if not again or self._stopping.is_set():
            self._end(run)
            return
        now = self._clock()
        self._store.task_runs.record(replace(run, end_time=now))
        pause = timedelta(seconds=task.backoff_seconds * 2 ** (run.attempt - 1))
        following = replace(
            run,
            attempt=run.attempt + 1,
            state=RunState.WAITING,
            start_time=None,
            error_message=None,
            log="",
            job_ids=(),
        )
        self._record(following)
        self._retries[run.run_id] = _Retry(task, following, now + pause)

    def _retry(self, now: datetime) -> None:
        for run_id, retry in list(self._retries.items()):
            if retry.at <= now:
                del self._retries[run_id]
                self._begin(retry.task, retry.run)

    def _stop_late(self, now: datetime) -> None:
        for attempt in self._running.values():
            limit, start = attempt.task.timeout_seconds, attempt.run.start_time
            if limit is not None and start is not None and now - start >= timedelta(seconds=limit):
                attempt.stop(RunState.TIMEOUT, f"the run took longer than {limit} seconds")

    def _note_progress(self) -> None:
        """So that the log of a run can be read while it grows, and survives the server."""
        for attempt in self._running.values():
            run = attempt.progress()
            if run is not None:
                self._store.task_runs.note_progress(run)

    def _wait(self, decision: Wait, run: TaskRun) -> None:
        waiting = replace(run, state=RunState.WAITING, error_message=decision.reason)
        if self._waiting.get(decision.task.id) != waiting:
            self._record(waiting)
            self._waiting[decision.task.id] = waiting

    def _forget_undeployed(self, deployed: set[str]) -> None:
        """What waits, whether for others or for another attempt; but for runs by hand."""
        for run in (*self._waiting.values(), *(retry.run for retry in self._retries.values())):
            if run.task_id not in deployed and run.trigger is RunTrigger.SCHEDULED:
                self._forget_pending(run)
                self._end(replace(run, state=RunState.SKIPPED, error_message=_UNDEPLOYED))

    def _cancel_waiting(self, run_id: str) -> None:
        for run in (*self._waiting.values(), *(retry.run for retry in self._retries.values())):
            if run.run_id == run_id:
                self._forget_pending(run)
                self._end(replace(run, state=RunState.CANCELLED, error_message=_CANCELLED))
                return
        if not self._store.task_runs.attempts(run_id):
            raise NotFound(f"run {run_id} does not exist", hint="SHOW TASK RUNS lists all runs")

    def _forget_pending(self, run: TaskRun) -> None:
        self._retries.pop(run.run_id, None)
        if self._waiting.get(run.task_id, run).run_id == run.run_id:
            self._waiting.pop(run.task_id, None)

    def _end(self, run: TaskRun) -> None:
        ended = replace(run, end_time=self._clock())
        self._record(ended)
        waited_for = self._ended.pop(run.run_id, None)
        if waited_for is not None:
            waited_for.set_result(ended)

    def _record(self, run: TaskRun) -> None:
        self._store.task_runs.record(run)
        known = self._pasts.get(run.task_id)
        if known is None:
            known = past_of(self._store.task_runs.history(run.task_id, _RECENT, with_backfills=False))
        self._pasts[run.task_id] = with_run(known, run)


def past_of(attempts: list[TaskRun]) -> Past:
    """Of attempts, newest first: of each run the last one counts."""
    past = Past()
    seen: set[str] = set()
    for attempt in attempts:
        if attempt.run_id not in seen:
            seen.add(attempt.run_id)
            past = with_run(past, attempt)
    return past


def with_run(past: Past, run: TaskRun) -> Past:
    if run.trigger is RunTrigger.BACKFILL:
        return past
    moment = run.scheduled_time
    last = _newer(past.last, moment)
    if run.state is RunState.SUCCEED:
        return replace(past, last=last, succeeded=_newer(past.succeeded, moment))
    if run.state in ENDED_RUNS:
        return replace(past, last=last, failed=_newer(past.failed, moment))
    return replace(past, last=last)


def _newer(known: datetime | None, moment: datetime) -> datetime:
    return moment if known is None else max(known, moment)
