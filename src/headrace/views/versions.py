"""The versions of a table: rows of DESC HISTORY."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from headrace.errors import LakeDamaged
from headrace.lake.table.tables import Snapshot
from headrace.refresh.full import stats_of
from headrace.refresh.record import CARRIED, REFRESH_ID, from_summary
from headrace.views.arrow import Milliseconds
from headrace.views.refreshes import versions_json


@dataclass(frozen=True)
class VersionRow:
    version: int
    time: Milliseconds
    operation: str
    total_rows: int
    total_bytes: int
    job_id: str | None

    @staticmethod
    def of(version: Snapshot) -> VersionRow:
        return VersionRow(**_known(version), job_id=None)


@dataclass(frozen=True)
class RefreshedVersionRow(VersionRow):
    """Of a dynamic table; what a refresh did not make has no job."""

    source_versions: str | None
    rows_inserted: int
    rows_deleted: int

    @staticmethod
    def of(version: Snapshot) -> RefreshedVersionRow:
        stats = stats_of(version)
        return RefreshedVersionRow(
            **_known(version),
            job_id=None if CARRIED in version.summary else version.summary.get(REFRESH_ID),
            source_versions=_source_versions(version),
            rows_inserted=stats.rows_inserted,
            rows_deleted=stats.rows_deleted,
        )


@dataclass(frozen=True)
class VersionView:
    """For programs: a version of any table."""

    version: int
    time: datetime
    operation: str
    total_rows: int
    total_bytes: int
    job_id: str | None
    """Of the refresh that has made it."""
    source_versions: str | None
    rows_inserted: int | None
    rows_deleted: int | None

    @staticmethod
    def of(version: Snapshot, is_dynamic: bool) -> VersionView:
        row = RefreshedVersionRow.of(version) if is_dynamic else VersionRow.of(version)
        known = {"source_versions": None, "rows_inserted": None, "rows_deleted": None, **vars(row)}
        return VersionView(**known)


def _known(version: Snapshot) -> dict[str, Any]:
    return {
        "version": version.id,
        "time": version.made_at,
        "operation": version.operation,
        "total_rows": version.rows,
        "total_bytes": version.bytes,
    }


def _source_versions(version: Snapshot) -> str | None:
    try:
        record = from_summary(version.summary) if REFRESH_ID in version.summary else None
    except LakeDamaged:
        return None
    return None if record is None else versions_json(record.versions)
