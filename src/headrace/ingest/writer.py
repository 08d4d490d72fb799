"""Reads a source into a table, batch by batch, each with its position in one commit.

Two programs that read the same source into the same table do no harm: one of them finds that the position has
moved, and asks the source again from there.
"""

from __future__ import annotations

from dataclasses import dataclass

from headrace.errors import DataError, IntegrityError, PositionMoved
from headrace.ingest.protocol import Batch, Source
from headrace.lake.commit.positioned_commit import commit_with_position, position_of
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table
from headrace.model.names import TableName

_ATTEMPTS = 10


@dataclass(frozen=True)
class Written:
    """What one batch has brought."""

    batch: Batch
    version: int
    rows: int


def current_position(name: TableName, key: str, session: LakeSession) -> str | None:
    return position_of(session.catalog.existing_table(name), key, session)


def write_next(source: Source, name: TableName, session: LakeSession) -> Written | None:
    """The next batch; None if the source has nothing new."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return _write_next(source, name, session)
        except PositionMoved:
            continue
    return _write_next(source, name, session)


def _write_next(source: Source, name: TableName, session: LakeSession) -> Written | None:
    start = current_position(name, source.key, session)
    batch = source.snapshot() if start is None else source.changes(start)
    if batch is None:
        return None
    try:
        written = _write(batch, source.key, start, name, session)
    except (DataError, IntegrityError):
        if not batch.isolate():
            raise
        written = _write(batch, source.key, start, name, session)
    source.acknowledge(batch)
    return written


def _write(batch: Batch, key: str, start: str | None, name: TableName, session: LakeSession) -> Written:
    with batch.statement() as statement:
        table = session.catalog.existing_table(name)
        version = commit_with_position(table, key, start, batch.end, statement, session)
    return Written(batch, version, _rows(session.catalog.existing_table(name), version))


def _rows(table: Table, version: int) -> int:
    """Zero if the version is expired already."""
    return table.snapshot_of(version).count("added-records") if table.has_snapshot(version) else 0
