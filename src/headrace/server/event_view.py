"""Changes as events: the data of each, and which of them a client receives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

from headrace.model.backfill import BackfillProgress
from headrace.model.change import Change, ClusterChange, FileChange, JobProgress, TableChange
from headrace.model.history import Refresh
from headrace.model.job import Job
from headrace.model.names import TableName
from headrace.model.task import TaskRun
from headrace.server.event_models import (
    ClusterEvent,
    EventData,
    EventType,
    FileEvent,
    JobProgressEvent,
    RefreshEvent,
    TableEvent,
    TaskRunEvent,
)
from headrace.views.jobs import JobRow, may_manage

LONGEST_TEXT = 1000
"""Of statements and messages in an event, in characters: they stay in memory with it."""


@dataclass(frozen=True)
class EventView:
    """What one client has selected, and may see."""

    user: str
    types: frozenset[EventType] = frozenset(EventType)
    table: TableName | None = None

    def data(self, change: Change) -> EventData | None:
        """None where the client does not receive the event."""
        if type_of(change) not in self.types or not self._is_selected(change):
            return None
        match change:
            case Job():
                return JobRow.of(change, self.user)
            case JobProgress(job, progress):
                is_open = may_manage(job, self.user)
                return JobProgressEvent(job_id=job.job_id, progress=progress) if is_open else None
            case _:
                return _shown_to_all(change)

    def _is_selected(self, change: Change) -> bool:
        if self.table is None:
            return True
        return isinstance(change, Refresh | TableChange) and _folded(change.table) == _folded(self.table)


def type_of(change: Change) -> EventType:
    match change:
        case Refresh():
            return EventType.REFRESH
        case TaskRun():
            return EventType.TASK_RUN
        case Job():
            return EventType.JOB
        case JobProgress():
            return EventType.JOB_PROGRESS
        case ClusterChange():
            return EventType.CLUSTER
        case TableChange():
            return EventType.TABLE
        case FileChange():
            return EventType.FILE
        case BackfillProgress():
            return EventType.BACKFILL
    assert_never(change)


def compact(change: Change) -> Change:
    """Without what an event does not show, so that a stored event is small."""
    match change:
        case Refresh():
            return replace(
                change,
                sources=(),
                source_versions={},
                rows_read=None,
                bytes_read=None,
                cluster_seconds=None,
                estimated=None,
                arguments={},
                error_message=_cut(change.error_message),
            )
        case TaskRun():
            return replace(change, parameters={}, log="", error_message=_cut(change.error_message))
        case Job():
            return replace(
                change, statement=_cut(change.statement) or "", error_message=_cut(change.error_message)
            )
        case JobProgress():
            return replace(change, job=replace(change.job, statement=""))
        case _:
            return change


def _shown_to_all(
    change: Refresh | TaskRun | ClusterChange | TableChange | FileChange | BackfillProgress,
) -> EventData:
    match change:
        case Refresh():
            return _refresh(change)
        case TaskRun():
            return _task_run(change)
        case ClusterChange():
            return ClusterEvent(name=change.name, state=change.state)
        case TableChange():
            return TableEvent(table=str(change.table), metadata_location=change.metadata_location)
        case FileChange():
            return FileEvent(change.file_id, change.name, change.version, change.user, change.is_deleted)
        case BackfillProgress():
            return change
    assert_never(change)


def _refresh(row: Refresh) -> RefreshEvent:
    return RefreshEvent(
        table=str(row.table),
        job_id=row.job_id,
        state=row.state,
        trigger=row.trigger,
        cluster=row.cluster,
        mode=row.mode,
        mode_reason=row.mode_reason,
        rows_inserted=row.stats.rows_inserted if row.stats else None,
        rows_deleted=row.stats.rows_deleted if row.stats else None,
        start_time=row.start_time,
        end_time=row.end_time,
        seconds=None if row.duration is None else round(row.duration.total_seconds(), 3),
        error_message=row.error_message,
        suspended_reason=row.suspended_reason,
    )


def _task_run(run: TaskRun) -> TaskRunEvent:
    return TaskRunEvent(
        task=run.task,
        run_id=run.run_id,
        attempt=run.attempt,
        state=run.state,
        trigger=run.trigger,
        scheduled_time=run.scheduled_time,
        start_time=run.start_time,
        end_time=run.end_time,
        error_message=run.error_message,
        job_ids=run.job_ids,
    )


def _folded(name: TableName) -> tuple[str, ...]:
    return tuple(part.lower() for part in name.parts)


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}..."
