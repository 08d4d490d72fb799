"""Clients that stream rows into tables."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from headrace.errors import Error
from headrace.model.names import TableName


@dataclass(frozen=True)
class StreamWriterRow:
    workspace_name: str
    schema_name: str
    table_name: str
    client: str
    last_sequence: int
    """The last request whose rows are durable."""
    pending_rows: int
    """Those that are not in the table yet."""
    pending_bytes: int
    pending_since: datetime | None
    last_commit: datetime | None
    """Of the table, by this server."""
    last_error: str | None
    """Why the last commit failed."""

    @staticmethod
    def of(
        table: TableName,
        client: str,
        last_sequence: int,
        rows: int,
        size: int,
        oldest: float | None,
        last_commit: datetime | None,
        error: Error | None,
    ) -> StreamWriterRow:
        return StreamWriterRow(
            *table.parts,
            client=client,
            last_sequence=last_sequence,
            pending_rows=rows,
            pending_bytes=size,
            pending_since=None if oldest is None else datetime.fromtimestamp(oldest, UTC),
            last_commit=last_commit,
            last_error=None if error is None else error.message,
        )


@dataclass(frozen=True)
class WrittenView:
    """The answer to a request whose rows are durable."""

    client: str
    sequence: int
    rows: int
    duplicate: bool
    """Whether the rows had come before: then they are kept once."""


@dataclass(frozen=True)
class WriterStateView:
    table: str
    client: str
    last_sequence: int
    """The next request is the one after it."""
    columns: str
    """The columns of the table as an Arrow schema, serialized, in base64."""
