"""Few files and few versions keep a table quick; neither changes a row of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from headrace.lake.file_systems import is_s3
from headrace.lake.session import LakeSession
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.table.expiry import KeptVersion, expendable
from headrace.lake.table.tables import Table, TableCatalog
from headrace.model.names import TableName

_AT_LEAST = 8
"""Files that are put together; fewer are left."""


@dataclass(frozen=True)
class Compacted:
    files_rewritten: int
    files_written: int
    bytes_rewritten: int


def compact(
    name: TableName, catalog: TableCatalog, session: LakeSession, *, smaller_than: int | None = None
) -> Compacted:
    """Puts files below a size together, and takes deleted rows out of files that have many."""
    options = {"min-input-files": str(_AT_LEAST)}
    if smaller_than is not None:
        options["min-file-size-bytes"] = str(smaller_than)
    with session.jobs.group(), spark_errors():
        jvm: Any = session.spark._jvm
        jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(session.spark._jsparkSession)
        actions = jvm.org.apache.iceberg.spark.actions.SparkActions.get(session.spark._jsparkSession)
        rewrite = actions.rewriteDataFiles(catalog.loaded_anew(name).java)
        for key, value in options.items():
            rewrite = rewrite.option(key, value)
        done = rewrite.execute()
        return Compacted(
            int(done.rewrittenDataFilesCount()),
            int(done.addedDataFilesCount()),
            int(done.rewrittenBytesCount()),
        )


def remove_unreferenced_files(
    name: TableName, catalog: TableCatalog, session: LakeSession, older_than: datetime
) -> int:
    """Files in the table's directory that no version of it names: killed writers leave them."""
    catalog.expect_own_directories(name)
    with session.jobs.group(), spark_errors():
        jvm: Any = session.spark._jvm
        jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(session.spark._jsparkSession)
        actions = jvm.org.apache.iceberg.spark.actions.SparkActions.get(session.spark._jsparkSession)
        table = catalog.loaded_anew(name)
        search = actions.deleteOrphanFiles(table.java)
        if is_s3(table.directory):
            search = search.usePrefixListing(True)  # by default through Hadoop, which knows no S3
        done = search.olderThan(int(older_than.timestamp() * 1000)).execute()
        return sum(1 for _ in done.orphanFileLocations())


def expire_versions(
    table: Table,
    catalog: TableCatalog,
    needed: Collection[int],
    *,
    retention: timedelta,
    for_readers: timedelta,
    now: datetime,
) -> int:
    """How many went, with the files that no other version has."""
    current = table.version.snapshot_id
    if current is None:
        return 0
    versions = table.versions()
    gone = expendable(
        [KeptVersion(each.id, each.parent, each.made_at) for each in versions.kept],
        current,
        needed,
        versions.named,
        retention=retention,
        for_readers=for_readers,
        now=now,
    )
    if gone:
        with spark_errors():
            expiry = catalog.loaded_anew(table.name).java.expireSnapshots().expireOlderThan(0)
            for version in gone:
                expiry = expiry.expireSnapshotId(version)
            expiry.commit()
    return len(gone)
