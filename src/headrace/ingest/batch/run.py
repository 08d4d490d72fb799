"""One run of a batch sync: each table is read at a moment of its own, and made equal to what was read.

A table's rows are staged before its commit begins, so whatever ends the run leaves each table as it was or as
its source was. The position is part of the commit: of two runs at the same time one has its commit refused,
and reads again.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from headrace.errors import DataError, Error, IntegrityError, NotFound, PositionMoved, Refused
from headrace.features.syncs.model import Sync, SyncMode, SyncTable
from headrace.ingest.batch.difference_sql import keyed_difference_sql, whole_row_difference_sql
from headrace.ingest.batch.position import BatchPosition
from headrace.ingest.batch.source import ReadRows, Since, TableReader
from headrace.ingest.cdc.changes import SourceTable
from headrace.ingest.cdc.follow_schema import follow_schema
from headrace.ingest.cdc.unfitting import naming_value
from headrace.ingest.cdc.write_sql import insert_sql, truncate_sql
from headrace.ingest.synced_position import position_key, synced_position
from headrace.lake.commit.positioned_commit import commit_with_position
from headrace.lake.external.file_frames import file_view
from headrace.lake.session import LakeSession
from headrace.lake.table.tables import Table

_ATTEMPTS = 3
_STOPS = (DataError, IntegrityError, NotFound, Refused)
"""What is wrong with one table alone."""
_MERGED = "spark.merge-into.num-target-rows-"


@dataclass(frozen=True)
class _Reading:
    """What was read of a table, and the position that it leads to."""

    table: SourceTable
    found: ReadRows
    start: BatchPosition
    end: BatchPosition
    is_same_key: bool


class BatchRun:
    def __init__(self, sync: Sync, reader: TableReader, session: LakeSession, staging: Path) -> None:
        self._sync = sync
        self._reader = reader
        self._session = session
        self._staging = staging
        self.tables: list[SyncTable] = []
        """As they are after the run."""
        self.commits = 0
        self.changes = 0

    @property
    def stopped(self) -> list[SyncTable]:
        return [table for table in self.tables if table.error is not None]

    def run(self) -> None:
        """A table that was stopped is tried again: what was wrong may have been mended."""
        for known in self._sync.tables:
            try:
                self.tables.append(self._attempts(known))
            except _STOPS as error:
                self.tables.append(replace(known, error=_with_hint(error)))

    def _attempts(self, known: SyncTable) -> SyncTable:
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._run_table(known)
            except PositionMoved:
                continue
        return self._run_table(known)

    def _run_table(self, known: SyncTable) -> SyncTable:
        with self._directory() as directory:
            reading = self._read(known, directory)
            target = self._session.catalog.existing_table(known.target)
            changes = self._write(known, reading, target)
        self.changes += changes
        self.commits += 1
        return replace(
            known,
            key=reading.table.key,
            error=None,
            rows=known.rows + changes,
            phase=reading.end.phase,
            position=str(reading.end),
        )

    def _read(self, known: SyncTable, directory: Path) -> _Reading:
        start, reads = self._position(known), self._sync.reads
        value = None if start.reads_all else start.watermark
        since = None if reads.watermark is None else Since(reads.watermark, value)
        with self._reader.open(known.source) as opened:
            if opened is None:
                raise NotFound(f"{known.source} does not exist in the database any more")
            table = opened.table
            target = self._session.catalog.existing_table(known.target)
            fills = reads.watermark is None
            key = table.key if fills else known.key
            follow_schema(target, table, key, SyncMode.BATCH, self._session, fills=fills)
            found = opened.read(since, reads.partitions, directory)
        end = start.after(found.watermark, reads_all=reads.watermark is None)
        return _Reading(table, found, start, end, table.key == known.key)

    def _position(self, known: SyncTable) -> BatchPosition:
        return BatchPosition.from_json(synced_position(known, self._session))

    def _write(self, known: SyncTable, reading: _Reading, target: Table) -> int:
        """How many rows came, went or changed."""
        rows_before = 0 if target.snapshot is None else target.snapshot.rows
        with self._statement(reading, rows_before) as statement:
            version = commit_with_position(
                target,
                position_key(known.source),
                reading.start.to_json(),
                reading.end.to_json(),
                statement,
                self._session,
            )
        if not reading.found.rows:
            return rows_before if reading.start.reads_all else 0
        return _changed(self._session.catalog.existing_table(known.target), version)

    @contextmanager
    def _statement(self, reading: _Reading, rows_before: int) -> Iterator[Callable[[str], str | None]]:
        """What makes the table equal to the rows, given its name."""
        table, found = reading.table, reading.found
        deletes = reading.start.reads_all and rows_before > 0
        if not found.rows:
            yield truncate_sql if deletes else _nothing
            return
        with file_view([str(file) for file in found.files], "parquet", {}, None, self._session) as view:
            try:
                if not rows_before:
                    yield lambda into: insert_sql(into, view, table, replaces=False)
                elif table.key and (reading.is_same_key or not deletes):
                    yield partial(keyed_difference_sql, view=view, table=table, deletes=deletes)
                else:
                    yield partial(whole_row_difference_sql, view=view, table=table)
            except DataError as error:
                raise naming_value(error, view, table, self._session) from error

    @contextmanager
    def _directory(self) -> Iterator[Path]:
        own = self._staging / uuid.uuid4().hex
        own.mkdir()
        try:
            yield own
        finally:
            shutil.rmtree(own, ignore_errors=True)


def _nothing(into: str) -> None:
    """The position alone."""


def _changed(table: Table, version: int) -> int:
    """Zero if the version is expired already."""
    if not table.has_snapshot(version):
        return 0
    snapshot = table.snapshot_of(version)
    if f"{_MERGED}inserted" in snapshot.summary:
        return sum(snapshot.count(f"{_MERGED}{what}") for what in ("inserted", "updated", "deleted"))
    return snapshot.count("added-records")


def _with_hint(error: Error) -> str:
    return error.message if error.hint is None else f"{error.message}; {error.hint}"
