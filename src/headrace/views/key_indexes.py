"""The indexes by which refreshes find rows: a row for each table and key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from headrace.lake.lookup.lake_indexes import ListedIndex
from headrace.model.history import JobProfile
from headrace.model.names import TableName
from headrace.refresh.stages import FindRows, rows_by_key


@dataclass(frozen=True)
class KeyIndexRow:
    workspace_name: str | None
    schema_name: str | None
    table_name: str | None
    """Null, as the other names, of files that are damaged or of an earlier version."""
    columns: str
    files: int
    """Data files that have an index."""
    orphaned_files: int
    """Those that no version of the table has any more: the next clean-up deletes their indexes."""
    rows: int
    bytes: int
    last_used: datetime
    """Accurate to ten minutes."""


def key_index_rows(indexes: Iterable[ListedIndex]) -> list[KeyIndexRow]:
    """By table and columns; files that do not say what they are of come last."""
    found: dict[tuple[TableName | None, str], list[ListedIndex]] = {}
    for index in indexes:
        found.setdefault((index.table, ", ".join(index.columns)), []).append(index)
    in_order = sorted(found, key=lambda key: (key[0] is None, key[0].parts if key[0] else (), key[1]))
    return [_row(*key, found[key]) for key in in_order]


def _row(table: TableName | None, columns: str, indexes: list[ListedIndex]) -> KeyIndexRow:
    described = [index.stored.description for index in indexes]
    return KeyIndexRow(
        workspace_name=table.workspace if table else None,
        schema_name=table.schema if table else None,
        table_name=table.table if table else None,
        columns=columns,
        files=len(indexes),
        orphaned_files=sum(index.is_orphaned for index in indexes),
        rows=sum(each.rows for each in described if each),
        bytes=sum(index.stored.bytes for index in indexes),
        last_used=max(index.stored.last_used for index in indexes),
    )


def indexes_used(profiles: Iterable[JobProfile], indexes: Iterable[ListedIndex]) -> list[ListedIndex]:
    """Those of the last refresh that has found rows by key; ``profiles`` are of one table, newest first."""
    for profile in profiles:
        searches = {stage.detail for stage in profile.stages if stage.stage == FindRows.kind}
        if searches:
            return [index for index in indexes if _search(index) in searches]
    return []


def _search(index: ListedIndex) -> str | None:
    return None if index.table is None else rows_by_key(index.table, index.columns)
