"""Where a lake keeps what it knows."""

from __future__ import annotations

from headrace.catalog import AdvisoryLocks, CatalogHeads, MetadataStore, sqlite_url
from headrace.lake.directory import LakeDirectory
from headrace.lake.locks import FileLocks, Locks


def open_store(lake: LakeDirectory) -> MetadataStore:
    return MetadataStore.open(lake.database or sqlite_url(lake.metadata_db))


def open_heads(lake: LakeDirectory) -> CatalogHeads:
    return CatalogHeads(lake.database or sqlite_url(lake.catalog_db))


def shared_locks(lake: LakeDirectory) -> Locks:
    """Among all processes that may have the lake open."""
    return FileLocks(lake.locks) if lake.database is None else AdvisoryLocks(lake.database)
