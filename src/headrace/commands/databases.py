"""Where a lake keeps what it knows."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from headrace.catalog.advisory_locks import AdvisoryLocks
from headrace.catalog.backends import open_backend
from headrace.catalog.database_engine import sqlite_url
from headrace.catalog.store import MetadataStore
from headrace.catalog.warehouse import find_warehouse
from headrace.errors import InterfaceError, LakeError
from headrace.lake.directory import LakeDirectory, find_lake, is_lake, make_lake
from headrace.lake.file_systems import is_s3, local_path, probe_writing
from headrace.lake.locks import FileLocks, Locks
from headrace.model.address import Database, read_address, shown
from headrace.model.catalog_backend import CatalogBackend
from headrace.model.change import OnRecord, not_followed
from headrace.model.user_directories import state_directory


def open_store(lake: LakeDirectory, on_record: OnRecord = not_followed) -> MetadataStore:
    store = MetadataStore.open(lake.database or sqlite_url(lake.metadata_db), on_record)
    if lake.database is not None:
        settled = store.warehouse.register(lake.warehouse)
        if settled != lake.warehouse:
            store.close()
            raise LakeError(
                f"the tables of the lake in this database are in {settled}, not in {lake.warehouse}",
                hint=f"correct warehouse in {lake.path / 'lake.toml'}",
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
                "this database does not contain a lake",
                hint="create one with `headrace init DIR --database URL --warehouse PATH`, and open DIR once",
            )
        make_lake(path, database, warehouse)
    return path


def make_checked_lake(path: Path, database: str | None, warehouse: str | None) -> None:
    """A new lake, once its database can be reached and its warehouse be written to."""
    if database is not None and warehouse is not None:
        find_lake(path)
        warehouse = _absolute(warehouse)
        _check_database(database, warehouse)
        check_warehouse(warehouse)
    make_lake(path, database, warehouse)


def _absolute(warehouse: str) -> str:
    return warehouse if "://" in warehouse else str(Path(warehouse).expanduser().absolute())


def _check_database(url: str, warehouse: str) -> None:
    if not isinstance(read_address(url), Database):
        raise InterfaceError(
            f"{shown(url)!r} is not the URL of a database", hint="use postgresql://user@host:5432/database"
        )
    settled = find_warehouse(url)
    if settled not in (None, warehouse):
        raise LakeError(
            f"the tables of the lake in this database are in {settled}, not in {warehouse}",
            hint=f"use --warehouse {settled}",
        )


def check_warehouse(warehouse: str) -> None:
    """Writes and deletes a file; of directories that are not there yet nothing is left.

    What is neither local nor on S3 is known to Spark alone, and is not checked.
    """
    place = local_path(_absolute(warehouse))
    if place is not None:
        _check_directory(place, warehouse)
    elif is_s3(warehouse):
        _check_bucket(warehouse)


def _check_bucket(warehouse: str) -> None:
    try:
        probe_writing(warehouse)
    except OSError as error:
        raise LakeError(
            f"the warehouse {warehouse} cannot be written to: {error}",
            hint="create the bucket, and set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a "
            "profile in ~/.aws; AWS_ENDPOINT_URL_S3 is for other servers than Amazon's",
        ) from None


def _check_directory(place: Path, warehouse: str) -> None:
    missing = [each for each in (place, *place.parents) if not each.exists()]
    probe = place / f".headrace-{uuid.uuid4().hex}"
    try:
        place.mkdir(parents=True, exist_ok=True)
        probe.write_text("probe", encoding="utf-8")
        probe.unlink()
    except OSError as error:
        raise LakeError(
            f"the warehouse {warehouse} cannot be written to: {error.strerror}",
            hint="use a directory that this user can write to",
        ) from None
    finally:
        for each in missing:
            with suppress(OSError):
                each.rmdir()


def open_catalog(lake: LakeDirectory, *, read_only: bool = False) -> CatalogBackend:
    """The Iceberg catalog of the lake; ``read_only`` leaves a file as it is, also when it is closed."""
    return open_backend(lake.catalog or lake.database or sqlite_url(lake.catalog_db, read_only=read_only))


def shared_locks(lake: LakeDirectory) -> Locks:
    """Among all processes that may have the lake open."""
    return FileLocks(lake.locks) if lake.database is None else AdvisoryLocks(lake.database)
