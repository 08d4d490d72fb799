"""Where a lake keeps what it knows."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from headrace.catalog import AdvisoryLocks, CatalogHeads, MetadataStore, find_warehouse, sqlite_url
from headrace.errors import LakeError
from headrace.lake.directory import LakeDirectory, is_lake, make_lake, state_directory
from headrace.lake.locks import FileLocks, Locks


def open_store(lake: LakeDirectory) -> MetadataStore:
    store = MetadataStore.open(lake.database or sqlite_url(lake.metadata_db))
    if lake.database is not None:
        settled = store.warehouse.settle(lake.warehouse)
        if settled != lake.warehouse:
            store.close()
            raise LakeError(
                f"the lake of this database has its tables in {settled}, and not in {lake.warehouse}",
                hint=f"warehouse in {lake.path / 'lake.toml'} says where to look for them",
            )
    return store


def reach(database: str, environ: Mapping[str, str] = os.environ) -> Path:
    """The directory in which this machine keeps settings and logs for the lake of a database."""
    known_as = hashlib.sha256(database.encode()).hexdigest()[:16]
    path = state_directory(environ) / "lakes" / known_as
    if not is_lake(path):
        warehouse = find_warehouse(database)
        if warehouse is None:
            raise LakeError(
                "there is no lake in this database",
                hint="`headrace init DIR --database URL --warehouse PATH` makes one; then open DIR once",
            )
        make_lake(path, database, warehouse)
    return path


def open_heads(lake: LakeDirectory) -> CatalogHeads:
    return CatalogHeads(lake.database or sqlite_url(lake.catalog_db))


def shared_locks(lake: LakeDirectory) -> Locks:
    """Among all processes that may have the lake open."""
    return FileLocks(lake.locks) if lake.database is None else AdvisoryLocks(lake.database)
