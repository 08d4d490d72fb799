"""A directory, or an S3 prefix, as a source: its files, each loaded once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import takewhile

from headrace.errors import NotFound
from headrace.features.pipes.model import Copy, FileFormat, FileSource, OnError
from headrace.ingest.files.ledger import (
    FILES_KEY,
    Ledger,
    LoadedFile,
    after_loading,
    files_named_in,
    read_ledger,
)
from headrace.ingest.files.listing import list_source, root_of, settled
from headrace.ingest.files.load import FileLoad
from headrace.ingest.files.options import check_options
from headrace.ingest.files.rows import FileRows
from headrace.ingest.protocol import Batch, Lag, WriteStatement
from headrace.install.jars import Feature
from headrace.lake.commit.positioned_commit import SideFiles
from headrace.lake.file_systems import FileEntry, delete_file, is_s3, list_files
from headrace.lake.session import LakeSession
from headrace.lake.spark.engine import expect_feature
from headrace.model.clock import Clock
from headrace.model.dynamic_table import Column
from headrace.model.names import TableName

_PREVIEWED = 10
"""Files that are looked at to show what a source brings."""
_LEDGERS_KEPT = timedelta(days=1)
"""Lists of loaded files that no version names: a commit that is under way may have written them."""


@dataclass(frozen=True)
class Limits:
    """Of one batch."""

    files: int | None = None
    bytes: int | None = None
    settle: timedelta | None = None
    """How long a file must have been left alone; None: files are complete."""


@dataclass(frozen=True)
class FileBatch:
    load: FileLoad
    end: str
    skipped: int
    """Files that were loaded before."""
    has_more: bool = False

    @property
    def records(self) -> int:
        return len(self.load.loaded)

    @property
    def rejected(self) -> int:
        return self.load.rejected

    @property
    def bytes(self) -> int:
        return sum(each.file.size for each in self.load.loaded)

    def isolate(self) -> bool:
        """Rows that cannot be read are found while the files are read."""
        return False

    def statement(self) -> AbstractContextManager[WriteStatement]:
        return self.load.statement()


class DirectorySource:
    def __init__(
        self,
        copy: Copy,
        source: FileSource,
        target: TableName,
        session: LakeSession,
        clock: Clock,
        loaded_by: str,
        limits: Limits | None = None,
    ) -> None:
        check_options(source)
        _expect_readable(source)
        self._copy = copy
        self._source = source
        self._target = target
        self._session = session
        self._clock = clock
        self._loaded_by = loaded_by
        self._limits = limits or Limits()
        self._root = root_of(source.path.text)

    @property
    def key(self) -> str:
        return FILES_KEY

    def discover(self) -> Sequence[Column]:
        """With a query, those that it selects."""
        files = tuple(self._listed())
        if not files:
            raise NotFound(f"{self._root} has no files", hint="create the table first, or put a file there")
        if self._copy.query is None:
            return FileRows(self._source, files, OnError.ABORT, self._session).inferred_columns()
        with self._load(files).selection() as query:
            return self._session.analyze(query or "SELECT 1").columns

    def preview(self) -> AbstractContextManager[str | None]:
        """A query of the rows that the files there are now would bring; None: there is none."""
        return self._load(tuple(self._listed())[:_PREVIEWED]).selection()

    def _load(self, files: Sequence[FileEntry]) -> FileLoad:
        now = self._clock()
        loaded = tuple(LoadedFile(file, now, self._loaded_by) for file in files)
        return FileLoad(self._copy, self._source, self._target, loaded, self._session)

    def snapshot(self) -> FileBatch | None:
        return self._batch(Ledger())

    def changes(self, position: str) -> FileBatch | None:
        return self._batch(self._ledger(position))

    def acknowledge(self, batch: Batch) -> None:
        """Deletes what is loaded, if that is wanted, and lists of loaded files that are out of date."""
        if not isinstance(batch, FileBatch):
            raise TypeError(batch)
        if self._copy.purge:
            for each in batch.load.loaded:
                _delete_unchanged(each.file)
        if not batch.load.loaded or files_named_in(batch.end):
            self._forget_old_ledgers()

    def lag(self, position: str | None) -> Lag:
        ledger = self._ledger(position)
        waiting = [each for each in self._listed() if not ledger.has(each)]
        oldest = min((each.modified_ms for each in waiting), default=None)
        seconds = None if oldest is None else max(0.0, self._clock().timestamp() - oldest / 1000)
        return Lag(len(waiting), sum(each.size for each in waiting), seconds or 0.0)

    def found(self) -> int:
        """How many files there are, loaded or not."""
        return len(self._listed())

    def resume(self, position: str | None) -> None:
        """Deletes files that were loaded by this source, where a crash came between commit and deletion."""
        if not self._copy.purge:
            return
        ledger = self._ledger(position)
        own = {each.file for each in ledger.loaded if each.loaded_by == self._loaded_by}
        for file in self._listed():
            if file in own:
                _delete_unchanged(file)

    def _ledger(self, position: str | None) -> Ledger:
        return Ledger() if position is None else read_ledger(position, self._side_files)

    @cached_property
    def _side_files(self) -> SideFiles:
        return SideFiles(self._session.catalog.existing_table(self._target), self._session)

    def _listed(self) -> list[FileEntry]:
        return list_source(self._source)

    def _batch(self, ledger: Ledger) -> FileBatch | None:
        listed, now = self._listed(), self._clock()
        waiting = [each for each in listed if self._copy.force or not ledger.has(each)]
        complete = self._complete(waiting, now)
        chosen = self._chosen(complete)
        if not chosen:
            return None
        load = self._load(chosen)
        end = after_loading(ledger, load.loaded, listed, self._root, self._side_files)
        return FileBatch(load, end, len(listed) - len(waiting), len(chosen) < len(complete))

    def _complete(self, files: Sequence[FileEntry], now: datetime) -> list[FileEntry]:
        if self._limits.settle is None:
            return list(files)
        return settled(files, int((now - self._limits.settle).timestamp() * 1000))

    def _chosen(self, files: list[FileEntry]) -> list[FileEntry]:
        """The oldest ones, up to the limits; always one."""
        if self._limits.bytes is not None:
            total, within = 0, []
            for file in files:
                total += file.size
                within.append((file, total))
            limit = self._limits.bytes
            fitting = list(takewhile(lambda pair: pair[1] <= limit, within))
            files = [file for file, _ in fitting] or files[:1]
        return files[: self._limits.files]

    def _forget_old_ledgers(self) -> None:
        table = self._session.catalog.existing_table(self._target)
        positions = [each.summary.get(FILES_KEY) for each in table.versions().kept]
        kept_property = table.properties.get(FILES_KEY, "").partition(" ")[2]
        named = {name for each in (*positions, kept_property) if each for name in files_named_in(each)}
        SideFiles(table, self._session).delete_others(named, self._clock() - _LEDGERS_KEPT)


def _expect_readable(source: FileSource) -> None:
    if source.format is FileFormat.AVRO:
        expect_feature(Feature.AVRO, "reading AVRO files")
    if is_s3(source.path.text):
        expect_feature(Feature.S3, "reading files on S3")


def _delete_unchanged(file: FileEntry) -> None:
    """One that was written to since it was loaded has rows that are not loaded."""
    try:
        current = list_files(file.location)
    except FileNotFoundError:
        return
    if current == [file]:
        delete_file(file.location)
