"""What a database is to a sync: tables, their rows in chunks, and its log from a position on."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from headrace.ingest.cdc.changes import Key, SourceTable, Transaction
from headrace.ingest.cdc.table_position import OpenChunk, TablePosition
from headrace.ingest.protocol import Lag


def pattern_fits(pattern: str, name: str) -> bool:
    """Whether ``schema.name`` is meant by a pattern, in which ``*`` stands for any characters."""
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), name) is not None


@dataclass(frozen=True)
class Chunk:
    opened: OpenChunk
    last: Key | None
    """The last key; None: there are no more rows."""
    rows: int


@dataclass(frozen=True)
class LogPart:
    """What the log has after a position."""

    transactions: Sequence[Transaction]
    end: str
    """The position after it."""
    unseen: tuple[int, ...]
    """Those of the transactions that a query would not see yet."""
    tables: Mapping[str, SourceTable]
    """Of which it has changes, with the columns that they have at the end."""
    described: Mapping[str, SourceTable]
    """As the catalog has them now, which may be later than the log: those that may have been altered."""


@dataclass(frozen=True)
class Identity:
    """By what the log says which row was changed."""

    table: SourceTable
    is_known: bool
    """If not, the log has inserts alone."""
    problem: str | None = None
    """Why the table cannot be synced at all."""
    log_problem: str | None = None
    """Why its changes cannot be followed, though its rows can be read."""


class StartPosition(Protocol):
    """Where a table begins, as it is written in its first commit."""

    def to_json(self) -> str: ...

    def replacing(self) -> StartPosition:
        """The rows that are read first take the place of those that the table has."""

    def without_rows(self) -> StartPosition:
        """The rows that are there now are left out."""


class SyncSource(Protocol):
    """What the statements about syncs need of a database, whatever the mode of the sync."""

    def check(self) -> str:
        """That it can be read, and what it is; else an error that says what to do."""

    def discover(self, patterns: Sequence[str]) -> Sequence[Identity]:
        """Tables whose ``schema.name`` fits a pattern."""

    def start(self, tables: Sequence[Identity]) -> StartPosition:
        """Where these tables begin; from now on the database keeps what the sync needs for them."""

    def add(self, tables: Sequence[Identity]) -> StartPosition:
        """The same of more tables."""

    def place(self, position: str) -> StartPosition:
        """After a place of its log, without the rows that are there; Refused if the log is not kept there."""

    def remove(self, tables: Sequence[str]) -> None: ...

    def end(self) -> None:
        """The database need not keep anything any more."""

    def close(self) -> None: ...


class ChangeSource(SyncSource, Protocol):
    def start(self, tables: Sequence[Identity]) -> TablePosition: ...

    def add(self, tables: Sequence[Identity]) -> TablePosition: ...

    def head(self) -> str:
        """Where the log is."""

    def chunk(self, table: SourceTable, position: TablePosition, rows: int, into: Path) -> Chunk | None:
        """Writes the next rows to a Parquet file, as text; None: they cannot be read yet."""

    def changes(self, since: str, tables: Collection[str]) -> LogPart:
        """Of these tables, from a position on; what is before it may be there, too."""

    def sees(self, chunk: OpenChunk, transaction: Transaction) -> bool:
        """Whether the chunk has the changes of the transaction."""

    def beyond(self, table: SourceTable, keys: Sequence[Key], boundary: Key) -> Sequence[bool]:
        """Of each key, whether it comes after the boundary in the order of the chunks."""

    def is_before(self, position: str, other: str) -> bool: ...

    def oldest(self) -> str | None:
        """Where the log begins that is kept; None: it is not kept."""

    def acknowledge(self, position: str) -> None:
        """The log up to there need not be kept. Repeated, it does the same."""

    def lag(self, position: str) -> Lag:
        """How much log there is after a position."""

    def held_bytes(self) -> int | None:
        """How much of its log it keeps for the sync; None: it cannot tell."""
