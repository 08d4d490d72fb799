"""A dropped table on its way to where it is kept, back again, and to its end.

Each way is announced in the metadata database, done in Iceberg's catalog, confirmed in the database: what a
killed process leaves between is finished or undone when the lake is next opened.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import assert_never

from headrace.catalog.schema import DropStage
from headrace.errors import Error
from headrace.features.recovery.store import DroppedAt, DroppedObjects
from headrace.features.streams.store import TableStreams
from headrace.lake.directory import remove_empty_directories
from headrace.lake.table.tables import TableCatalog
from headrace.model.dropped import Dropped
from headrace.model.names import TableName
from headrace.model.object_kind import ObjectKind


def keep(dropped: Dropped, objects: DroppedObjects, catalog: TableCatalog) -> Dropped:
    """Frees the name."""
    announced = objects.begin_drop(dropped)
    try:
        catalog.rename(dropped.name, dropped.kept_as)
    except BaseException:
        catalog.remove_second_entry(dropped.name, dropped.kept_as, dropped.uuid)
        if catalog.has(dropped.kept_as, dropped.uuid):
            objects.finish_drop(announced)
        else:
            objects.abandon_drop(announced)
        raise
    objects.finish_drop(announced)
    return announced


def bring_back(
    dropped: Dropped, objects: DroppedObjects, streams: TableStreams, catalog: TableCatalog
) -> None:
    if dropped.kind is ObjectKind.TABLE_STREAM:
        streams.undrop(dropped)
        return
    objects.begin_undrop(dropped)
    try:
        catalog.rename(dropped.kept_as, dropped.name)
    except BaseException:
        _end_undrop(dropped, objects, catalog)
        raise
    objects.finish_undrop(dropped)


def purge(dropped: Dropped, objects: DroppedObjects, streams: TableStreams, catalog: TableCatalog) -> None:
    """Deletes the files for good; can be repeated. A stream has none."""
    if dropped.kind is ObjectKind.TABLE_STREAM:
        streams.forget(dropped)
        return
    catalog.purge(dropped.kept_as)
    remove_empty_directories(dropped.location)
    objects.forget(dropped)


def finish_drops(
    objects: DroppedObjects, streams: TableStreams, catalog: TableCatalog, now: datetime
) -> None:
    """Of a process that was killed; and deletes what is past its retention.

    Files that cannot be deleted now are left to VACUUM.
    """
    for pending in objects.unfinished():
        _finish(pending, objects, catalog)
    for dropped in begin_expired_purges(objects, now):
        with suppress(Error):
            purge(dropped, objects, streams, catalog)


def begin_expired_purges(
    objects: DroppedObjects, now: datetime, name: TableName | None = None
) -> list[Dropped]:
    """Those past their retention, and those whose purge was cut short: to be purged now."""
    for dropped in objects.all():
        if name in (None, dropped.name) and not dropped.is_kept(now):
            objects.begin_purge(dropped)
    return [dropped for dropped in objects.purging() if name in (None, dropped.name)]


def _finish(pending: DroppedAt, objects: DroppedObjects, catalog: TableCatalog) -> None:
    match pending.stage:
        case DropStage.DROPPING:
            _end_drop(pending.dropped, objects, catalog)
        case DropStage.UNDROPPING:
            _end_undrop(pending.dropped, objects, catalog)
        case DropStage.DROPPED | DropStage.PURGING:
            pass
        case _:
            assert_never(pending.stage)


def _end_drop(dropped: Dropped, objects: DroppedObjects, catalog: TableCatalog) -> None:
    catalog.remove_second_entry(dropped.name, dropped.kept_as, dropped.uuid)
    if catalog.has(dropped.name, dropped.uuid):
        catalog.rename(dropped.name, dropped.kept_as)
    objects.finish_drop(dropped)
    if not catalog.has(dropped.kept_as, dropped.uuid):
        objects.forget(dropped)


def _end_undrop(dropped: Dropped, objects: DroppedObjects, catalog: TableCatalog) -> None:
    """Done if the table has moved, else undone."""
    catalog.remove_second_entry(dropped.name, dropped.kept_as, dropped.uuid)
    if catalog.has(dropped.name, dropped.uuid):
        objects.finish_undrop(dropped)
    else:
        objects.abandon_undrop(dropped)
