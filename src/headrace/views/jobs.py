"""Jobs: statements, refreshes and runs of tasks, by the metadata database alone."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from headrace.catalog.store import MetadataStore
from headrace.errors import NotFound
from headrace.model.history import JobProfile, Refresh, RefreshMode, StageReport, TableRead
from headrace.model.job import Job, JobKind, JobState
from headrace.model.position import Position
from headrace.views.plan_tree import PlanTree

_STATES = {state.value: state for state in JobState}


@dataclass(frozen=True)
class JobRow:
    """As one user sees it: of the statements of others neither text, tag nor error."""

    job_id: str
    kind: JobKind
    state: JobState
    statement: str | None
    virtual_cluster: str
    creator: str
    submitted_time: datetime
    start_time: datetime | None
    end_time: datetime | None
    duration: timedelta | None
    rows: int | None
    cluster_seconds: float | None
    query_tag: str | None
    error_message: str | None

    @staticmethod
    def of(job: Job, user: str) -> JobRow:
        return JobRow(**_known(job, user))


@dataclass(frozen=True)
class JobDetails(JobRow):
    """With what is known of a refresh, and its profile where there is one."""

    notices: tuple[str, ...] = ()
    refresh_mode: RefreshMode | None = None
    refresh_mode_reason: str | None = None
    rows_read: int | None = None
    bytes_read: int | None = None
    phases: Mapping[str, float] | None = None
    """Seconds by name."""
    stages: tuple[StageReport, ...] | None = None
    reads: tuple[TableRead, ...] | None = None
    statements: tuple[str, ...] | None = None
    plans: tuple[str, ...] | None = None
    """Spark's physical plan of each statement."""
    plan_trees: tuple[PlanTree, ...] | None = None
    """The same as trees, for programs."""
    spark_jobs: tuple[int, ...] | None = None
    rows_written: int | None = None
    bytes_written: int | None = None


def may_manage(job: Job, user: str) -> bool:
    """Whether ``user`` may read the text of a job and cancel it.

    A statement is its creator's, and the lake owner's: whoever runs the server, and needs no token for it.
    Refreshes and task runs are of objects that all see.
    """
    return job.kind is not JobKind.STATEMENT or user in (job.creator, getpass.getuser())


def find_job(job_id: str, store: MetadataStore) -> Job:
    refresh = store.refreshes.find(job_id)
    job = store.jobs.find(job_id) or (refresh_job(refresh) if refresh is not None else None)
    if job is None:
        raise NotFound(f"job {job_id} does not exist", hint="SHOW JOBS lists all jobs")
    return job


def job_details(job_id: str, store: MetadataStore, user: str) -> JobDetails:
    """What ``user`` may know of one job."""
    job, refresh = find_job(job_id, store), store.refreshes.find(job_id)
    is_open = may_manage(job, user)
    profile = store.profiles.find(job_id) if is_open else None
    return JobDetails(
        **_known(job, user),
        notices=job.notices if is_open else (),
        **({} if refresh is None else _refreshed(refresh)),
        **({} if profile is None else _profiled(profile)),
    )


def all_jobs(store: MetadataStore, limit: int | None = None, before: Position | None = None) -> list[Job]:
    """Newest first; a refresh that has a job of its own is listed once."""
    jobs = store.jobs.history(limit, before)
    jobs += map(refresh_job, _without_job(store, limit, before))
    return sorted(jobs, key=job_position, reverse=True)[:limit]


def job_position(job: Job) -> Position:
    return job.submitted_at, job.job_id


def _without_job(store: MetadataStore, limit: int | None, before: Position | None) -> list[Refresh]:
    """As many as the limit, if there are so many."""
    found: list[Refresh] = []
    while True:
        refreshes = store.refreshes.history(limit=limit, before=before)
        listed = store.jobs.among([refresh.job_id for refresh in refreshes])
        found += [refresh for refresh in refreshes if refresh.job_id not in listed]
        if limit is None or len(refreshes) < limit or len(found) >= limit:
            return found
        before = (refreshes[-1].start_time, refreshes[-1].job_id)


def refresh_job(refresh: Refresh) -> Job:
    return Job(
        refresh.job_id,
        JobKind.REFRESH,
        f"REFRESH DYNAMIC TABLE {refresh.table}",
        refresh.cluster,
        refresh.trigger.value,
        _STATES.get(refresh.state.value, JobState.QUEUED),
        refresh.start_time,
        refresh.start_time,
        refresh.end_time,
        error_message=refresh.error_message,
        cluster_seconds=refresh.cluster_seconds,
    )


def _known(job: Job, user: str) -> dict[str, Any]:
    is_open = may_manage(job, user)
    return {
        "job_id": job.job_id,
        "kind": job.kind,
        "state": job.state,
        "statement": job.statement if is_open else None,
        "virtual_cluster": job.cluster.upper(),
        "creator": job.creator,
        "submitted_time": job.submitted_at,
        "start_time": job.start_time,
        "end_time": job.end_time,
        "duration": job.end_time - job.start_time if job.end_time and job.start_time else None,
        "rows": job.rows,
        "cluster_seconds": job.cluster_seconds,
        "query_tag": job.tag if is_open else None,
        "error_message": job.error_message if is_open else None,
    }


def _refreshed(refresh: Refresh) -> dict[str, Any]:
    return {
        "refresh_mode": refresh.mode,
        "refresh_mode_reason": refresh.mode_reason,
        "rows_read": refresh.rows_read,
        "bytes_read": refresh.bytes_read,
    }


def _profiled(profile: JobProfile) -> dict[str, Any]:
    return {
        "phases": {phase.name: round(phase.seconds, 4) for phase in profile.phases},
        "stages": profile.stages,
        "reads": profile.reads,
        "statements": profile.statements,
        "plans": profile.plans,
        "spark_jobs": profile.spark_jobs,
        "rows_written": profile.rows_written,
        "bytes_written": profile.bytes_written,
    }
