"""Virtual clusters: as the metadata database has them, and as a server sees their processes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from headrace.model.job import Job, JobState
from headrace.model.vcluster import Vcluster, VclusterState, VclusterType


@dataclass(frozen=True)
class VclusterRow:
    """Of SHOW VCLUSTERS; its jobs are those of all servers of the lake."""

    name: str
    type: VclusterType
    size: str
    state: VclusterState
    running_jobs: int
    queued_jobs: int
    max_concurrency: int
    auto_suspend_in_second: int | None
    auto_resume: bool
    creator: str
    created_time: datetime
    comment: str | None

    @staticmethod
    def of(vcluster: Vcluster, unended: Iterable[Job]) -> VclusterRow:
        here = [job.state for job in unended if job.cluster.lower() == vcluster.name.lower()]
        return VclusterRow(
            name=vcluster.name,
            type=vcluster.type,
            size=vcluster.size_name,
            state=vcluster.state,
            running_jobs=here.count(JobState.RUNNING),
            queued_jobs=len(here) - here.count(JobState.RUNNING),
            max_concurrency=vcluster.max_concurrency,
            auto_suspend_in_second=vcluster.auto_suspend_seconds,
            auto_resume=vcluster.auto_resume,
            creator=vcluster.creator,
            created_time=vcluster.created_at,
            comment=vcluster.comment,
        )


@dataclass(frozen=True)
class VclusterDetails(VclusterRow):
    last_modified_time: datetime


@dataclass(frozen=True)
class ClusterView:
    """The process of a cluster, by the server that has started it."""

    name: str
    type: VclusterType
    size: str
    state: VclusterState
    running: int
    queued: int
    max_concurrency: int
    auto_suspend_seconds: int | None
    auto_resume: bool
    process: int | None
    """Its process id; null while it is suspended."""
