"""What is known of the last refresh of each partition.

The commit of a partition's refresh carries its record, and the table can be the only one to know of it: a
process may die right after the commit. The metadata database has the records of all partitions as they were
at one version, the head. What the table says of the versions after the head goes on top; where that leads to
anything but refreshes of partitions, what is below no longer counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headrace.catalog.partitions import PartitionRecords
from headrace.lake.table.tables import Snapshot, Table
from headrace.model.partition import Partition
from headrace.refresh.record import CARRIED, REFRESH_ID, RefreshRecord, from_summary, to_summary

WHOLE = ""
"""In the place of a partition's key: the refresh of the whole table, on which the others came.

Its record is None where nothing was in the table before; there is none where that is not known any more.
"""
Records = dict[str, RefreshRecord | None]
"""By key of the partition, or ``WHOLE``."""


@dataclass
class _Since:
    """What the table says of the versions after a head."""

    records: Records = field(default_factory=dict)
    reaches_head: bool = False
    """Whether the records at the head count, too."""


def record_of(
    partition: Partition, table_id: str, table: Table, partitions: PartitionRecords
) -> RefreshRecord | None:
    since = _since(table, table.version.snapshot_id, partitions.head(table_id))
    if partition.key in since.records:
        return since.records[partition.key]
    kept = partitions.find(table_id, partition.key) if since.reaches_head else None
    return from_summary(kept) if kept else None


def all_records(table_id: str, table: Table, partitions: PartitionRecords, version: int | None) -> Records:
    """As of a version."""
    since = _since(table, version, partitions.head(table_id))
    kept = partitions.all(table_id) if since.reaches_head else {}
    return {key: from_summary(summary) if summary else None for key, summary in kept.items()} | since.records


def bring_forward(table_id: str, table: Table, partitions: PartitionRecords) -> None:
    """Writes down what the table alone knows; the head becomes the version that ``table`` is at."""
    while (version := table.version.snapshot_id) is not None:
        head = partitions.head(table_id)
        if head == version:
            return
        since = _since(table, version, head)
        known = {key: to_summary(record) if record else {} for key, record in since.records.items()}
        if partitions.advance(table_id, head, version, known, keep=since.reaches_head):
            return


def _since(table: Table, version: int | None, head: int | None) -> _Since:
    found = _Since()
    if version is None or version == head:
        found.reaches_head = version is not None
        return found
    kept = {each.id: each for each in table.versions().kept}
    at = kept.get(version)
    while at is not None:
        if at.id == head:
            found.reaches_head = True
            return found
        at = _before(at, kept, found)
    return found


def _before(at: Snapshot, kept: Mapping[int, Snapshot], found: _Since) -> Snapshot | None:
    """The version that ``at`` came on, once its record is noted; None where what is below does not count."""
    if at.operation == "replace":
        return kept.get(at.parent) if at.parent is not None else None
    if CARRIED in at.summary and int(at.summary[CARRIED]) in kept:
        return kept[int(at.summary[CARRIED])]
    if REFRESH_ID not in at.summary:
        return None
    record = from_summary(at.summary)
    found.records.setdefault(record.partition.key if record.partition else WHOLE, record)
    if record.partition is None or CARRIED in at.summary:
        return None
    if at.parent is None:
        found.records[WHOLE] = None
        return None
    return kept.get(at.parent)
