"""What was asked of the clusters, and what became of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Select, delete, select

from headrace.catalog.row_access import Read, Write, older, upsert
from headrace.catalog.rows import Row
from headrace.catalog.schema import jobs
from headrace.model.change import OnRecord
from headrace.model.job import ENDED_JOBS, Job, JobKind, JobState
from headrace.model.position import Position

_ENDED = jobs.c.state.in_([state.value for state in ENDED_JOBS])
_NEWEST_FIRST = (jobs.c.submitted_at.desc(), jobs.c.job_id.desc())


class Jobs:
    """Each method is one transaction."""

    def __init__(self, write: Write, read: Read, on_record: OnRecord) -> None:
        self._write = write
        self._read = read
        self._on_record = on_record

    def record(self, job: Job) -> None:
        """Inserts or updates by job_id."""
        with self._write() as connection:
            upsert(connection, jobs, _to_row(job))
        self._on_record(job)

    def find(self, job_id: str) -> Job | None:
        return next(iter(self._jobs(select(jobs).where(jobs.c.job_id == job_id))), None)

    def history(self, limit: int | None = None, before: Position | None = None) -> list[Job]:
        """Newest first."""
        query = select(jobs).where(older((jobs.c.submitted_at, jobs.c.job_id), before))
        return self._jobs(query.order_by(*_NEWEST_FIRST).limit(limit))

    def among(self, job_ids: Collection[str]) -> set[str]:
        """Those of the given ids that are jobs."""
        with self._read(jobs, select(jobs.c.job_id).where(jobs.c.job_id.in_(job_ids))) as found:
            return {row["job_id"] for row in found}

    def unended(self) -> list[Job]:
        """Newest first."""
        return self._jobs(select(jobs).where(~_ENDED).order_by(*_NEWEST_FIRST))

    def delete_before(self, moment: datetime) -> int:
        """Removes what was submitted earlier and has ended."""
        with self._write() as connection:
            return connection.execute(delete(jobs).where(jobs.c.submitted_at < moment, _ENDED)).rowcount

    def _jobs(self, query: Select[Any]) -> list[Job]:
        with self._read(jobs, query) as found:
            return [_from_row(row) for row in found]


def _to_row(job: Job) -> dict[str, Any]:
    return asdict(job) | {
        "kind": job.kind.value,
        "state": job.state.value,
        "notices": list(job.notices) or None,
    }


def _from_row(row: Row) -> Job:
    return Job(
        **dict(row)
        | {
            "kind": JobKind(row["kind"]),
            "state": JobState(row["state"]),
            "notices": tuple(row["notices"] or ()),
        }
    )
