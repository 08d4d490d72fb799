"""What is known of jobs, by the metadata database alone."""

from __future__ import annotations

import getpass
from typing import Any

from headrace.catalog import MetadataStore
from headrace.errors import NotFound
from headrace.model.history import JobProfile, Refresh
from headrace.model.job import Job, JobKind, JobState

_STATES = {state.value: state for state in JobState}


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


def job_facts(job_id: str, store: MetadataStore, user: str) -> dict[str, Any]:
    """What ``user`` may know of one job, its profile included."""
    job, refresh = find_job(job_id, store), store.refreshes.find(job_id)
    facts = job_row(job, user)
    if refresh is not None:
        facts["refresh_mode"] = refresh.mode
        facts["refresh_mode_reason"] = refresh.mode_reason
        facts["rows_read"], facts["bytes_read"] = refresh.rows_read, refresh.bytes_read
    profile = store.profiles.find(job_id) if may_manage(job, user) else None
    return facts if profile is None else facts | _profile(profile)


def all_jobs(store: MetadataStore, limit: int | None = None) -> list[Job]:
    """Newest first; a refresh that has a job of its own is listed once."""
    known = store.jobs.history(limit)
    listed = {job.job_id for job in known}
    refreshes = [row for row in store.refreshes.history(limit=limit) if row.job_id not in listed]
    jobs = [*known, *map(refresh_job, refreshes)]
    jobs.sort(key=lambda job: (job.submitted_at, job.job_id), reverse=True)
    return jobs[:limit]


def job_row(job: Job, user: str) -> dict[str, Any]:
    """As ``user`` sees it: of the statements of others not what they say."""
    is_open = may_manage(job, user)
    return {
        "job_id": job.job_id,
        "kind": job.kind.value,
        "state": job.state.value,
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


def _profile(profile: JobProfile) -> dict[str, Any]:
    return {
        "phases": {phase.name: round(phase.seconds, 4) for phase in profile.phases},
        "stages": [vars(stage) for stage in profile.stages],
        "reads": [vars(read) for read in profile.reads],
        "statements": list(profile.statements),
        "plans": list(profile.plans),
        "spark_jobs": list(profile.spark_jobs),
        "rows_written": profile.rows_written,
        "bytes_written": profile.bytes_written,
    }
