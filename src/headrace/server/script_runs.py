"""Python scripts of the editor, run once: as their user, in a process of their own, as those of tasks."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from headrace.errors import Error, NotFound, Refused
from headrace.model.clock import Clock
from headrace.model.events import log_event
from headrace.model.task import RunState, RunTrigger, Task, TaskKind, TaskRun
from headrace.model.task_parameters import parameters_of_run
from headrace.schedule.attempt import Attempt
from headrace.sql.sandbox.sandbox_rules import OUTSIDE_HINT

AT_ONCE = 4
"""Of all users."""
_KEPT = 100
"""Runs that have ended."""
_CANCELLED = "the run was cancelled"
_SHUTDOWN = "the server was shut down"


@dataclass(frozen=True)
class ScriptRunView:
    run_id: str
    state: RunState
    log: str
    """What the script has printed so far: its beginning and its end if it is long."""
    error_message: str | None
    start_time: datetime
    end_time: datetime | None


class _ScriptRun:
    def __init__(self, attempt: Attempt, start: datetime) -> None:
        self.attempt = attempt
        self.start = start
        self.end: datetime | None = None
        self.error: str | None = None

    def view(self) -> ScriptRunView:
        attempt, state = self.attempt, RunState.RUNNING
        if self.end is not None:
            state = attempt.stopped_as or (RunState.FAILED if self.error else RunState.SUCCEED)
        said = attempt.stopped_because if attempt.stopped_as else self.error
        return ScriptRunView(attempt.run.run_id, state, attempt.log.text, said, self.start, self.end)


class ScriptRuns:
    """In memory: nothing of a run is left when the server ends."""

    def __init__(
        self, carry_out: Callable[[Attempt], None], clock: Clock, zone: ZoneInfo, *, is_allowed: bool
    ) -> None:
        """``is_allowed`` says whether users may run code on the machine of the server."""
        self._carry_out = carry_out
        self._clock = clock
        self._zone = zone
        self._is_allowed = is_allowed
        self._runs: dict[str, _ScriptRun] = {}
        """By their ids, oldest first."""
        self._lock = threading.Lock()

    def begin(self, user: str, script: str, given: Mapping[str, str]) -> ScriptRunView:
        if not self._is_allowed:
            raise Refused("a script in Python reaches outside the lake", hint=OUTSIDE_HINT)
        now = self._clock()
        parameters = parameters_of_run({}, given, now, self._zone)
        run_id = uuid.uuid4().hex
        task = Task(run_id, "script", TaskKind.PYTHON, script, user, now, now)
        run = TaskRun(
            run_id, run_id, task.name, now, RunState.RUNNING, RunTrigger.MANUAL, parameters=parameters
        )
        begun = _ScriptRun(Attempt(task, run), now)
        with self._lock:
            self._make_room()
            self._runs[run_id] = begun
        threading.Thread(target=self._run, args=(begun,), name="script", daemon=True).start()
        return begun.view()

    def view(self, run_id: str, user: str) -> ScriptRunView:
        return self._find(run_id, user).view()

    def cancel(self, run_id: str, user: str) -> None:
        """One that has ended is left alone."""
        self._find(run_id, user).attempt.stop(RunState.CANCELLED, _CANCELLED)

    def stop(self) -> None:
        with self._lock:
            running = [run for run in self._runs.values() if run.end is None]
        for run in running:
            run.attempt.stop(RunState.CANCELLED, _SHUTDOWN)

    def _run(self, run: _ScriptRun) -> None:
        try:
            self._carry_out(run.attempt)
        except Error as problem:
            run.error = problem.message
        except Exception as problem:  # noqa: BLE001  (nobody else hears of it)
            log_event("script failed", level=logging.ERROR, exception=problem, run=run.attempt.run.run_id)
            run.error = f"{type(problem).__name__}: {problem}"
        finally:
            run.end = self._clock()

    def _find(self, run_id: str, user: str) -> _ScriptRun:
        with self._lock:
            found = self._runs.get(run_id)
        if found is None or found.attempt.task.creator != user:
            raise NotFound(
                f"run {run_id} does not exist", hint="runs of scripts are kept until the server is restarted"
            )
        return found

    def _make_room(self) -> None:
        running = sum(run.end is None for run in self._runs.values())
        if running >= AT_ONCE:
            raise Refused(
                f"{running} scripts are running, which is the maximum",
                hint="wait until one has ended, or cancel one",
            )
        ended = [run_id for run_id, run in self._runs.items() if run.end is not None]
        for run_id in ended[: max(0, len(ended) - _KEPT + 1)]:
            del self._runs[run_id]
