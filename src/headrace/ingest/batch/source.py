"""What a database is to a batch sync: tables that are read at one moment each."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from headrace.errors import DataError
from headrace.ingest.batch.position import BatchPosition
from headrace.ingest.cdc.changes import SourceColumn, SourceTable
from headrace.ingest.cdc.source import Identity


@dataclass(frozen=True)
class Since:
    """Rows whose value in a column is not less than one, or is NULL."""

    column: str
    value: str | None
    """None: all rows."""


@dataclass(frozen=True)
class ReadRows:
    files: Sequence[Path]
    """Of Parquet, with the columns of the table."""
    rows: int
    watermark: str | None = None
    """The largest value of the column in ``Since``; None: no row has one."""


class OpenTable(Protocol):
    """A table at one moment, with the columns that it has at that moment."""

    @property
    def table(self) -> SourceTable: ...

    def read(self, since: Since | None, partitions: int | None, into: Path) -> ReadRows:
        """Writes rows to files below a directory; without ``since`` all."""


class TableReader(Protocol):
    def check(self) -> str:
        """That it can be read, and what it is; else an error that says what to do."""

    def discover(self, patterns: Sequence[str]) -> Sequence[Identity]:
        """Tables whose ``schema.name`` fits a pattern."""

    def open(self, name: str) -> AbstractContextManager[OpenTable | None]:
        """A table by its ``schema.name``; None: it does not exist."""

    def close(self) -> None: ...


class BatchSource:
    """A database that keeps nothing for a sync, unlike one whose log is read."""

    def __init__(self, reader: TableReader) -> None:
        self.reader = reader

    def check(self) -> str:
        return self.reader.check()

    def discover(self, patterns: Sequence[str]) -> Sequence[Identity]:
        return self.reader.discover(patterns)

    def start(self, tables: Sequence[Identity]) -> BatchPosition:
        return BatchPosition()

    def add(self, tables: Sequence[Identity]) -> BatchPosition:
        return BatchPosition()

    def place(self, position: str) -> BatchPosition:
        raise ValueError("a batch sync reads no log")

    def remove(self, tables: Sequence[str]) -> None: ...

    def end(self) -> None: ...

    def close(self) -> None:
        self.reader.close()


def watermark_column(table: SourceTable, since: Since) -> SourceColumn:
    found = next((column for column in table.columns if column.name == since.column), None)
    if found is None:
        raise DataError(f"{table.full_name} has no column {since.column}, which is the watermark of the sync")
    return found
