"""SHOW JOBS, DESC JOB and CANCEL JOB: statements and runs that a server took, and refreshes of all kinds."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pyarrow as pa

from headrace.catalog import MetadataStore
from headrace.commands.local_view import selected
from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.errors import NotFound, NotSupportedError
from headrace.lake.session import Parameters
from headrace.model.history import JobProfile, Refresh
from headrace.model.job import Job, JobKind, JobState
from headrace.result import LocalRows, Result
from headrace.sql.jobs import CancelJob, DescribeJob, ShowJobs

_STATES = {state.value: state for state in JobState}


def show_jobs(statement: ShowJobs, text: str, parameters: Parameters | None, bench: Workbench) -> Result:
    """Newest first."""
    store = bench.lake.store
    jobs = [*store.jobs.history(), *map(refresh_job, store.history())]
    jobs.sort(key=lambda job: (job.submitted_at, job.job_id), reverse=True)
    moment = pa.timestamp("us", tz=bench.lake.settings.zone.key)
    shape = pa.schema(
        [
            ("job_id", pa.string()),
            ("kind", pa.string()),
            ("state", pa.string()),
            ("statement", pa.string()),
            ("virtual_cluster", pa.string()),
            ("creator", pa.string()),
            ("submitted_time", moment),
            ("start_time", moment),
            ("end_time", moment),
            ("duration", pa.duration("us")),
            ("rows", pa.int64()),
            ("cluster_seconds", pa.float64()),
            ("query_tag", pa.string()),
            ("error_message", pa.string()),
        ]
    )
    table = pa.Table.from_pylist([job_row(job) for job in jobs], schema=shape)
    return selected(table, statement.where, statement.limit, text, parameters, bench)


def describe_job(statement: DescribeJob, text: str, bench: Workbench) -> Result:
    with pointing_at(text, statement.job_id.span):
        facts = job_facts(statement.job_id.text, bench.lake.store)
    zone = bench.lake.settings.zone

    def shown(value: Any) -> str | None:
        match value:
            case None:
                return None
            case datetime():
                return str(value.astimezone(zone))
            case list() | dict():
                return json.dumps(value)
        return str(value)

    return Result(
        LocalRows(
            pa.table({"info_name": list(facts), "info_value": [shown(value) for value in facts.values()]})
        )
    )


def cancel_job(statement: CancelJob, text: str, bench: Workbench) -> Result:
    with pointing_at(text, statement.job_id.span):
        job_facts(statement.job_id.text, bench.lake.store)
    raise NotSupportedError(
        "CANCEL JOB is for the jobs of a server", hint="Ctrl-C and Connection.cancel() stop what runs here"
    )


def job_facts(job_id: str, store: MetadataStore) -> dict[str, Any]:
    """All that is known of one job, its profile included."""
    refresh = store.refresh(job_id)
    job = store.jobs.find(job_id) or (refresh_job(refresh) if refresh is not None else None)
    if job is None:
        raise NotFound(f"there is no job {job_id}", hint="SHOW JOBS lists them")
    facts = job_row(job)
    if refresh is not None:
        facts["refresh_mode"] = refresh.mode
        facts["refresh_mode_reason"] = refresh.mode_reason
        facts["rows_read"], facts["bytes_read"] = refresh.rows_read, refresh.bytes_read
    profile = store.profile(job_id)
    return facts if profile is None else facts | _profile(profile)


def job_row(job: Job) -> dict[str, Any]:
    return {
        "job_id": job.job_id,
        "kind": job.kind.value,
        "state": job.state.value,
        "statement": job.statement,
        "virtual_cluster": job.cluster.upper(),
        "creator": job.creator,
        "submitted_time": job.submitted_at,
        "start_time": job.start_time,
        "end_time": job.end_time,
        "duration": job.end_time - job.start_time if job.end_time and job.start_time else None,
        "rows": job.rows,
        "cluster_seconds": job.cluster_seconds,
        "query_tag": job.tag,
        "error_message": job.error_message,
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
        "reads": [vars(read) for read in profile.reads],
        "statements": list(profile.statements),
        "plans": list(profile.plans),
        "spark_jobs": list(profile.spark_jobs),
        "rows_written": profile.rows_written,
        "bytes_written": profile.bytes_written,
    }
