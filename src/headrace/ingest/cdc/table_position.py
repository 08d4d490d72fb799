"""How far a table of a sync has come, as it is written in the commits of the table.

A table is first read in chunks by its key, each at a moment of its own, while the log goes on. A chunk is
*open* until the log has been read beyond that moment: only then is it known that no transaction is to come
whose changes the chunk has already.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from headrace.ingest.cdc.changes import Key


class Phase(StrEnum):
    SNAPSHOT = "SNAPSHOT"
    STREAMING = "STREAMING"


@dataclass(frozen=True)
class OpenChunk:
    after: Key | None
    """Its rows have keys beyond this one; None: from the first on."""
    snapshot: str
    """What the query that read it could see."""
    high: str
    """Where the log was after that query had begun."""


@dataclass(frozen=True)
class TablePosition:
    at: str
    """Changes of the log up to here are in the table."""
    phase: Phase = Phase.STREAMING
    upto: Key | None = None
    """Rows up to this key have been read; None: no row, or all."""
    is_complete: bool = False
    """All chunks have been read."""
    chunk: OpenChunk | None = None
    pending: tuple[int, ...] = ()
    """Transactions before the position that a query cannot see yet: no chunk is read until it can."""
    barrier: int | None = None
    """The first chunk is read when all transactions before this one have ended."""
    replaces: bool = False
    """The first chunk takes the place of the rows that the table has."""
    is_partial: bool = False
    """The table has no rows from before it was synced."""
    columns: Mapping[str, str] | None = None
    """Of the source, when its rows were read last: how each was declared; None: it is not known."""

    def to_json(self) -> str:
        content: dict[str, Any] = {"at": self.at, "phase": self.phase.value}
        content |= {} if self.upto is None else {"upto": list(self.upto)}
        content |= (
            {} if self.chunk is None else {"chunk": vars(self.chunk) | {"after": _listed(self.chunk.after)}}
        )
        content |= {"pending": list(self.pending)} if self.pending else {}
        content |= {} if self.barrier is None else {"barrier": self.barrier}
        content |= {} if self.columns is None else {"columns": dict(self.columns)}
        flags = {"complete": self.is_complete, "replaces": self.replaces, "partial": self.is_partial}
        return json.dumps(content | {name: True for name, value in flags.items() if value})

    @classmethod
    def from_json(cls, text: str) -> TablePosition:
        content = json.loads(text)
        chunk = content.get("chunk")
        return cls(
            content["at"],
            Phase(content["phase"]),
            _key(content.get("upto")),
            content.get("complete", False),
            chunk and OpenChunk(_key(chunk["after"]), chunk["snapshot"], chunk["high"]),
            tuple(content.get("pending", ())),
            content.get("barrier"),
            content.get("replaces", False),
            content.get("partial", False),
            content.get("columns"),
        )

    def replacing(self) -> TablePosition:
        return replace(self, replaces=True)

    def without_rows(self) -> TablePosition:
        return TablePosition(self.at, is_partial=True)

    def with_chunk(self, chunk: OpenChunk, last: Key | None) -> TablePosition:
        """``last`` is the last key of the chunk; None: there are no more."""
        return replace(
            self, chunk=chunk, upto=last, is_complete=last is None, barrier=None, replaces=False, pending=()
        )

    def with_columns(self, columns: Mapping[str, str]) -> TablePosition:
        return replace(self, columns=columns)

    def moved_to(self, at: str, *, settles: bool, pending: tuple[int, ...]) -> TablePosition:
        """``settles``: the log has been read beyond the moment of the open chunk."""
        if self.phase is Phase.STREAMING:
            return replace(self, at=at)
        if not settles:
            return replace(self, at=at, pending=pending)
        if self.chunk is not None and self.is_complete:
            return TablePosition(at, is_partial=self.is_partial, columns=self.columns)
        return replace(self, at=at, chunk=None, pending=pending)


def _listed(key: Key | None) -> list[str | None] | None:
    return None if key is None else list(key)


def _key(content: list[str | None] | None) -> Key | None:
    return None if content is None else tuple(content)
