"""What a snapshot of a dynamic table says about itself: the truth of what it contains."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from headrace.errors import LakeDamaged
from headrace.model.names import TableName
from headrace.model.partition import Partition
from headrace.model.version import TableVersion

REFRESH_ID = "headrace.refresh-id"
REFRESH_MODE = "headrace.refresh-mode"
_DEFINITION = "headrace.definition"
_SOURCES = "headrace.source-versions"
_DATE = "headrace.current-date"
_LAYOUT = "headrace.layout"
_NUMBER = "headrace.refresh-number"
_ARGUMENTS = "headrace.arguments"
PARTITION = "headrace.partition"
"""In what the refresh of one partition has made: its key, for the guard of commits."""
_PARTITION_VALUES = "headrace.partition-values"
_GROUPS = "headrace.stored-groups"
CARRIED = "headrace.carried-from"
"""In a version that changes no row and repeats the record of another one, whose number this is."""
_RECORD = (
    REFRESH_ID,
    REFRESH_MODE,
    _DEFINITION,
    _SOURCES,
    _DATE,
    _LAYOUT,
    _NUMBER,
    _ARGUMENTS,
    PARTITION,
    _PARTITION_VALUES,
    _GROUPS,
)


@dataclass(frozen=True)
class RefreshRecord:
    refresh_id: str
    fingerprint: str
    versions: Mapping[TableName, TableVersion]
    current_date: date | None = None
    """Set where the definition uses current_date."""
    layout: str | None = None
    """How the rows are kept (layout.Layout.mark); None where only the query's own columns are."""
    number: int = 0
    """Of the refresh, among those that made a version."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """By parameter of the definition."""
    partition: Partition | None = None
    """What was refreshed; None: the whole table."""
    groups: Mapping[TableName, TableVersion] = field(default_factory=dict)
    """Tables of stored groups, at versions that are those of the sources."""


def contains_refresh(bookkeeping: Mapping[str, str] | None) -> bool:
    """Whether the rows of a version are those of a refresh, given what the version says of the last one.

    A table none of whose versions contains one was never refreshed. The refresh history does not tell: it has
    refreshes that made no version. A record that cannot be read is the record of a refresh all the same.
    """
    return bookkeeping is not None and REFRESH_ID in bookkeeping


def to_summary(record: RefreshRecord) -> dict[str, str]:
    summary = {
        REFRESH_ID: record.refresh_id,
        _DEFINITION: record.fingerprint,
        _SOURCES: _versions_text(record.versions),
        _NUMBER: str(record.number),
    }
    if record.current_date is not None:
        summary[_DATE] = record.current_date.isoformat()
    if record.layout is not None:
        summary[_LAYOUT] = record.layout
    if record.arguments:
        summary[_ARGUMENTS] = json.dumps(dict(sorted(record.arguments.items())), separators=(",", ":"))
    if record.partition is not None:
        summary[PARTITION] = record.partition.key
        summary[_PARTITION_VALUES] = json.dumps(record.partition.values, separators=(",", ":"))
    if record.groups:
        summary[_GROUPS] = _versions_text(record.groups)
    return summary


def carried(summary: Mapping[str, str], version: int) -> dict[str, str]:
    """The record in a version's summary, if it has one, for another version that has the same rows."""
    kept = {key: summary[key] for key in _RECORD if key in summary}
    return {**kept, CARRIED: str(version)} if kept else {}


def from_summary(summary: Mapping[str, str]) -> RefreshRecord:
    try:
        written = summary.get(_DATE)
        return RefreshRecord(
            summary[REFRESH_ID],
            summary[_DEFINITION],
            _versions(summary[_SOURCES]),
            date.fromisoformat(written) if written else None,
            summary.get(_LAYOUT),
            int(summary.get(_NUMBER, "0")),
            json.loads(summary.get(_ARGUMENTS, "{}")),
            _partition(summary),
            _versions(summary.get(_GROUPS, "[]")),
        )
    except (KeyError, ValueError, TypeError) as error:
        raise LakeDamaged(
            f"the refresh record in a dynamic table's snapshot cannot be read: {error!r}",
            hint="REFRESH DYNAMIC TABLE ... FULL does not need it and writes a new one",
        ) from None


def _versions_text(versions: Mapping[TableName, TableVersion]) -> str:
    listed = [
        [name.workspace, name.schema, name.table, version.uuid, version.snapshot_id, version.schema_id]
        for name, version in sorted(versions.items())
    ]
    return json.dumps(listed, separators=(",", ":"))


def _versions(text: str) -> dict[TableName, TableVersion]:
    return {
        TableName(workspace, schema, table): TableVersion(uuid, snapshot_id, schema_id)
        for workspace, schema, table, uuid, snapshot_id, schema_id in json.loads(text)
    }


def _partition(summary: Mapping[str, str]) -> Partition | None:
    if PARTITION not in summary:
        return None
    return Partition(tuple((column, value) for column, value in json.loads(summary[_PARTITION_VALUES])))
