"""What a source is to the writer.

A source gives batches. A batch is a statement that writes rows, and the position that they lead to; the
writer commits both together. Positions are text that only the source understands. Whoever runs a source asks
the table for the position, and the source for the batch that follows it, again and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from headrace.model.dynamic_table import Column


@dataclass(frozen=True)
class Lag:
    """What a source has and its table has not: None where the source cannot tell."""

    records: int | None = None
    bytes: int | None = None
    seconds: float | None = None


class Batch(Protocol):
    """Records of a source that come into the table in one commit."""

    @property
    def end(self) -> str:
        """The position after them."""

    @property
    def records(self) -> int:
        """How many: files, messages or changes."""

    @property
    def rejected(self) -> int:
        """Rows that could not be read, once the statement is there."""

    @property
    def has_more(self) -> bool:
        """Whether the source had more when the batch was made, which did not fit into it."""

    def isolate(self) -> bool:
        """Whether records were found that the statement fails for; it leaves them out from now on."""

    def statement(self) -> AbstractContextManager[WriteStatement]:
        """What writes their rows; it can be run inside."""


class WriteStatement(Protocol):
    def __call__(self, target: str, /) -> str | None:
        """SQL that writes to the table of that name; None: there is no row."""


class Source(Protocol):
    """Where rows come from."""

    @property
    def key(self) -> str:
        """Under which the table has the position: sources with the same key continue each other."""

    def discover(self) -> Sequence[Column]:
        """The columns that it gives."""

    def snapshot(self) -> Batch | None:
        """What comes first into a table that has no position; None: nothing yet."""

    def changes(self, position: str) -> Batch | None:
        """What comes after a position; None: nothing yet."""

    def acknowledge(self, batch: Batch) -> None:
        """After its commit: the source need not keep it. Repeated after a crash, it does the same."""

    def lag(self, position: str | None) -> Lag: ...
