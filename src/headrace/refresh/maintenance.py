"""After a refresh: small files are put together and old versions go, now and then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from headrace.catalog.partitions import PartitionRecords
from headrace.catalog.store import MetadataStore
from headrace.lake.commit.upkeep import compact, expire_versions
from headrace.lake.session import LakeSession
from headrace.lake.table.expiry import NEWEST
from headrace.lake.table.retention import retention_of
from headrace.lake.table.tables import Table, TableCatalog
from headrace.model.dynamic_table import DynamicTable
from headrace.model.names import DEFAULT_WORKSPACE, TableName
from headrace.model.version import TableVersion
from headrace.refresh.context import RefreshContext
from headrace.refresh.observe import last_record
from headrace.refresh.partition_records import all_records
from headrace.refresh.record import RefreshRecord

EVERY = 32
"""Refreshes from one look at the files to the next; versions go by so many too."""
_RARELY = EVERY * 32
SMALL_FILE, _MIDDLING_FILE = 2**20, 2**26


def maintain(table: DynamicTable, number: int, context: RefreshContext, session: LakeSession) -> None:
    """``number`` is that of the refresh. Tables that others write to are not rewritten under their hands."""
    if number % EVERY == 0:
        size = _MIDDLING_FILE if number % _RARELY == 0 else SMALL_FILE
        compact(table.name, context.catalog, session, smaller_than=size)
    for name in (table.name, *(source.name for source in table.definition.sources)):
        found = context.catalog.table(name) if name.workspace == DEFAULT_WORKSPACE else None
        if found is not None and found.versions_kept >= NEWEST + EVERY:
            expire_versions(
                found,
                context.catalog,
                set(_needed(found, context.catalog, context.store)),
                retention=retention_of(found, context.settings),
                for_readers=context.settings.keep_unread,
                now=context.clock(),
            )


def _needed(table: Table, catalog: TableCatalog, store: MetadataStore) -> Iterator[int]:
    """From which on dynamic tables and streams have to follow, dropped too; and those being read now."""
    dropped = [(each.kept_as, each.dynamic_table_id) for each in store.dropped.all()]
    readers = [
        (reader.name, reader.id)
        for reader in map(store.definitions.find, store.definitions.readers_of(table.name))
        if reader
    ]
    for name, table_id in (*readers, *dropped):
        loaded = catalog.table(name) if table_id is not None else None
        for record in _records(table_id or "", loaded, store.partitions) if loaded is not None else ():
            yield from _version(table, record.versions)
    for stream in store.streams.reading(table.version.uuid):
        if stream.offset.snapshot_id is not None:
            yield stream.offset.snapshot_id
    for refresh in store.refreshes.unended():
        yield from _version(table, refresh.source_versions)


def _records(table_id: str, table: Table, partitions: PartitionRecords) -> list[RefreshRecord]:
    """Of the whole table, or of each partition that was refreshed by itself."""
    last = last_record(table)
    if last is None or last.partition is None:
        return [last] if last else []
    return [
        record
        for record in all_records(table_id, table, partitions, table.version.snapshot_id).values()
        if record is not None
    ]


def _version(table: Table, versions: Mapping[TableName, TableVersion]) -> Iterator[int]:
    seen = versions.get(table.name)
    if seen is not None and seen.uuid == table.version.uuid and seen.snapshot_id is not None:
        yield seen.snapshot_id
