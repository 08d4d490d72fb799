"""Which jobs of the history a client asks for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Query

from headrace.commands.show import like
from headrace.model.job import Job, JobKind, JobState
from headrace.server.time_range import TimeRange
from headrace.views.jobs import may_manage


@dataclass(frozen=True)
class JobFilter:
    times: TimeRange
    state: JobState | None = None
    kind: JobKind | None = None
    cluster: str | None = None
    creator: str | None = None
    table: str | None = None
    query_tag: str | None = None
    min_seconds: float | None = None
    max_seconds: float | None = None

    def is_selected(self, job: Job, user: str) -> bool:
        """What ``user`` must not read of a job does not select it either."""
        return (
            self.state in (None, job.state)
            and self.kind in (None, job.kind)
            and (self.cluster is None or self.cluster.lower() == job.cluster.lower())
            and self.creator in (None, job.creator)
            and self._fits_duration(job)
            and self._fits_text(job, is_open=may_manage(job, user))
        )

    def _fits_duration(self, job: Job) -> bool:
        if self.min_seconds is None and self.max_seconds is None:
            return True
        if job.start_time is None or job.end_time is None:
            return False
        seconds = (job.end_time - job.start_time).total_seconds()
        return (self.min_seconds or 0) <= seconds <= (self.max_seconds or float("inf"))

    def _fits_text(self, job: Job, *, is_open: bool) -> bool:
        if self.table is None and self.query_tag is None:
            return True
        names_table = self.table is None or self.table.lower() in job.statement.lower()
        return is_open and names_table and (self.query_tag is None or like(job.tag or "", self.query_tag))


def _filter(
    state: JobState | None = None,
    kind: JobKind | None = None,
    cluster: str | None = None,
    creator: str | None = None,
    table: Annotated[str | None, Query(description="Only jobs whose statement contains this name.")] = None,
    query_tag: Annotated[str | None, Query(description="As in SHOW ... LIKE.")] = None,
    min_seconds: Annotated[
        float | None, Query(ge=0, description="Only jobs that took at least so long.")
    ] = None,
    max_seconds: Annotated[float | None, Query(ge=0)] = None,
    since: Annotated[datetime | None, Query(description="Only jobs submitted then or later.")] = None,
    until: Annotated[datetime | None, Query(description="Only jobs submitted before.")] = None,
) -> JobFilter:
    times = TimeRange(since, until)
    return JobFilter(times, state, kind, cluster, creator, table, query_tag, min_seconds, max_seconds)


FilteredJobs = Annotated[JobFilter, Depends(_filter)]
