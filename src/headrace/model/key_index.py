"""Position indexes of data files: what they are of, and which ones a look-up needs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from headrace.model.names import TableName


@dataclass(frozen=True)
class IndexDescription:
    """What the file of an index says of itself."""

    table: TableName
    """Its name when the index was made."""
    uuid: str
    """Of the table."""
    location: str
    """Of the data file."""
    columns: tuple[tuple[int, str], ...]
    """Field ids, and the names that they had."""
    rows: int


@dataclass(frozen=True)
class StoredIndex:
    path: Path
    bytes: int
    last_used: datetime
    """Accurate to ten minutes."""
    description: IndexDescription | None
    """None if the file is damaged, or has the format of an earlier version: it is of no use."""


@dataclass(frozen=True)
class IndexUsage:
    files: int
    bytes: int


@dataclass(frozen=True)
class IndexNeeds:
    """Of a look-up: which indexes there are, and which are made first; no row is read to find out."""

    files: int = 0
    """Data files that have an index."""
    bytes: int = 0
    missing_files: int = 0
    """Those of which one would be made."""
    missing_rows: int = 0
    missing_bytes: int = 0

    @property
    def uses_index(self) -> bool:
        return self.files + self.missing_files > 0

    def __str__(self) -> str:
        there = f"index of {self.files} files ({self.bytes} bytes)" if self.files else ""
        made = (
            f"index of {self.missing_files} files to be made "
            f"({self.missing_rows} rows, {self.missing_bytes} bytes)"
            if self.missing_files
            else ""
        )
        return ", ".join(filter(None, (there, made))) or "pages suffice"
