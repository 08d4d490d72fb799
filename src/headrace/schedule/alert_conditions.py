"""What is wrong in a lake now, by its metadata alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from headrace.features.pipes.model import Pipe
from headrace.features.syncs.model import Sync, SyncMode
from headrace.lake.alert_settings import AlertSettings
from headrace.model.alert import AlertKind, Trouble
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import Outcome
from headrace.model.task import RunState, Task, TaskAlert, TaskState
from headrace.refresh.condition import Condition, LakeState, conditions
from headrace.schedule.loop import Lake
from headrace.views.lake_state import lake_state


@dataclass(frozen=True)
class Found:
    troubles: tuple[Trouble, ...]
    present: frozenset[str]
    """What could have troubles."""


def find_troubles(lake: Lake, settings: AlertSettings, now: datetime) -> Found:
    store = lake.store
    state = lake_state(store.definitions, store.refresh_outcomes, lake.locations(), lake.files)
    deployed = {task.id: task for task in lake.store.tasks.all() if task.state is TaskState.DEPLOYED}
    pipes = [pipe for pipe in store.pipes.all() if not pipe.settings.is_paused]
    syncs = [sync for sync in store.syncs.all() if not sync.settings.is_paused]
    troubles = [
        *_of_tables(state),
        *_of_tasks(lake, deployed),
        *_lags(state, settings, now),
        *_of_pipes(pipes, settings, now),
        *(trouble for sync in syncs for trouble in _of_sync(sync, settings, now)),
    ]
    subjects = [
        *map(_table, state.tables.values()),
        *(f"task {task.name}" for task in deployed.values()),
        *map(_pipe, pipes),
        *map(_sync, syncs),
    ]
    wanted = tuple(trouble for trouble in troubles if trouble.kind in settings.kinds)
    return Found(wanted, frozenset(subjects))


def _of_tables(state: LakeState) -> Iterator[Trouble]:
    for table in state.tables.values():
        row = state.outcomes.get(table.id, Outcome()).last_failure
        if row is None:
            continue
        said = f"job {row.job_id}: {row.error_message}"
        yield Trouble(AlertKind.REFRESH_FAILED, _table(table), said)
        if table.suspended and row.suspended_reason:
            text = f"{row.suspended_reason}; resume it with ALTER DYNAMIC TABLE {table.name} RESUME\n{said}"
            yield Trouble(AlertKind.SUSPENDED, _table(table), text)


def _of_tasks(lake: Lake, deployed: Mapping[str, Task]) -> Iterator[Trouble]:
    for run in lake.store.task_runs.failing():
        is_late = run.state is RunState.TIMEOUT
        wanted = TaskAlert.TIMEOUT if is_late else TaskAlert.FAILURE
        if run.task_id in deployed and wanted in deployed[run.task_id].alerts:
            kind = AlertKind.TIMEOUT if is_late else AlertKind.TASK_FAILED
            text = f"run {run.run_id}, attempt {run.attempt}: {run.error_message}"
            yield Trouble(kind, f"task {run.task}", text)


def _lags(state: LakeState, settings: AlertSettings, now: datetime) -> Iterator[Trouble]:
    """Tables on schedule that lack a change from upstream that is older than the limit."""
    if settings.lag_seconds is None:
        return
    limit = timedelta(seconds=settings.lag_seconds)
    scheduled = [
        name
        for name, table in state.tables.items()
        if table.schedule.interval_seconds is not None and not table.suspended
    ]
    for name, found in conditions(state, now, scheduled).items():
        if found.lag is not None and found.lag > limit:
            yield Trouble(AlertKind.LAG, _table(state.tables[name]), _late(found, settings.lag_seconds))


def _of_pipes(pipes: Sequence[Pipe], settings: AlertSettings, now: datetime) -> Iterator[Trouble]:
    """What was not loaded at the last run has grown older since."""
    for pipe in pipes:
        progress, limit = pipe.progress, settings.lag_seconds
        if progress.failures:
            text = f"{progress.failures} runs in a row have failed: {progress.last_error}"
            yield Trouble(AlertKind.PIPE_FAILED, _pipe(pipe), text)
        if limit is None or not progress.lag_records or progress.lag_seconds is None:
            continue
        since = now - (progress.last_run_at or now)
        lag = progress.lag_seconds + since.total_seconds()
        if lag > limit:
            text = f"a record of its source is {int(lag)} seconds old; the limit is {limit} seconds"
            yield Trouble(AlertKind.LAG, _pipe(pipe), text)


def _of_sync(sync: Sync, settings: AlertSettings, now: datetime) -> Iterator[Trouble]:
    progress = sync.progress
    if progress.last_error is not None:
        yield Trouble(AlertKind.SYNC_FAILED, _sync(sync), progress.last_error)
    held, most = progress.held_bytes or 0, settings.held_log_mb
    if most is not None and held > most << 20:
        text = f"the database keeps {held >> 20} MB of its log for the sync; the limit is {most} MB"
        yield Trouble(AlertKind.HELD_LOG, _sync(sync), text)
    limit = settings.lag_seconds
    if limit is None or sync.mode is SyncMode.BATCH:
        return
    lag = (now - (progress.caught_up_at or sync.created_at)).total_seconds()
    if lag > limit:
        text = f"its tables were last up to date {int(lag)} seconds ago; the limit is {limit} seconds"
        yield Trouble(AlertKind.LAG, _sync(sync), text)


def _late(found: Condition, limit: int) -> str:
    seconds = int(found.lag.total_seconds()) if found.lag is not None else 0
    why = f"; it is {found.state}" + (f": {found.reason}" if found.reason else "")
    return f"it does not contain a change that is {seconds} seconds old; the limit is {limit} seconds{why}"


def _pipe(pipe: Pipe) -> str:
    return f"pipe {pipe.name}"


def _sync(sync: Sync) -> str:
    return f"sync {sync.name}"


def _table(table: DynamicTable) -> str:
    return f"dynamic table {table.name}"
