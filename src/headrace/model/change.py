"""What changes in a lake that clients can follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headrace.model.backfill import BackfillProgress
from headrace.model.history import Refresh
from headrace.model.job import Job
from headrace.model.names import TableName
from headrace.model.task import TaskRun
from headrace.model.vcluster import VclusterState


@dataclass(frozen=True)
class FileChange:
    """A development file was created, saved, moved, deployed, deleted or restored."""

    file_id: str
    name: str
    version: int
    user: str
    is_deleted: bool


Recorded = Refresh | TaskRun | Job | FileChange | BackfillProgress
"""A row of the metadata database that was inserted or updated."""


@dataclass(frozen=True)
class JobProgress:
    job: Job
    progress: str


@dataclass(frozen=True)
class ClusterChange:
    name: str
    state: VclusterState


@dataclass(frozen=True)
class TableChange:
    """The current metadata file of a table is another one; None: the table was dropped or renamed."""

    table: TableName
    metadata_location: str | None


Change = Recorded | JobProgress | ClusterChange | TableChange
OnRecord = Callable[[Recorded], None]
Publish = Callable[[Change], None]


def not_followed(_: Change) -> None:
    """Where no client can follow changes."""
