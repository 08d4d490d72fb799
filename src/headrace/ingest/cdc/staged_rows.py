"""Changed rows as text, in a Parquet file that Spark reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from headrace.ingest.cdc.changes import UNCHANGED, Change, Operation, Row, SourceTable, Transaction
from headrace.ingest.cdc.net_changes import NetRow
from headrace.ingest.cdc.write_sql import COMMITTED_AT, KEPT, OPERATION, POSITION, SEQUENCE, key_column


@dataclass(frozen=True)
class LoggedChange:
    """A change as a table that keeps the log has it."""

    operation: Operation
    row: Row
    position: str
    sequence: int
    committed_at: str


def stage_net_rows(rows: Sequence[NetRow], table: SourceTable, into: Path) -> None:
    staged = _values(table, (row.row for row in rows))
    staged[OPERATION] = pa.array([row.operation.value for row in rows], pa.string())
    staged[KEPT] = _kept(row.row for row in rows)
    for place, name in enumerate(table.key):
        column = next(each for each in table.columns if each.name == name)
        values = [None if row.key is None else row.key[place] for row in rows]
        staged[key_column(place)] = _texts(values, column.prepare)
    _write(staged, into)


def stage_log(changes: Sequence[LoggedChange], table: SourceTable, into: Path) -> None:
    staged = _values(table, (change.row for change in changes))
    staged[OPERATION] = pa.array([change.operation.value for change in changes], pa.string())
    staged[KEPT] = _kept(change.row for change in changes)
    staged[POSITION] = pa.array([change.position for change in changes], pa.string())
    staged[SEQUENCE] = pa.array([change.sequence for change in changes], pa.int64())
    staged[COMMITTED_AT] = pa.array([change.committed_at for change in changes], pa.string())
    _write(staged, into)


def _values(table: SourceTable, rows: Iterable[Row]) -> dict[str, pa.Array]:
    listed = list(rows)
    return {
        column.name: _texts([row.get(column.name) for row in listed], column.prepare)
        for column in table.columns
    }


def _texts(values: Iterable[Any], prepare: Any) -> pa.Array:
    """A value that is not known is NULL, and named in ``KEPT``."""
    texts = [value if isinstance(value, str) else None for value in values]
    if prepare is not None:
        texts = [None if text is None else prepare(text) for text in texts]
    return pa.array(texts, pa.string())


def _kept(rows: Iterable[Row]) -> pa.Array:
    return pa.array(
        [[name for name, value in row.items() if value is UNCHANGED] for row in rows], pa.list_(pa.string())
    )


def _write(columns: Mapping[str, pa.Array], into: Path) -> None:
    pq.write_table(pa.table(dict(columns)), into, compression="lz4", use_dictionary=False)


def logged_changes(pairs: Sequence[tuple[Transaction, Change]]) -> Iterator[LoggedChange]:
    """A row that gets another key is deleted under the old one."""
    sequence, last = 0, ""
    for transaction, change in pairs:
        sequence = sequence + 1 if transaction.position == last else 0
        last = transaction.position
        moment = transaction.committed_at.isoformat()
        is_moved = (
            change.new is not None and change.old is not None and not change.new.items() >= change.old.items()
        )
        if is_moved and change.old is not None and len(change.old) < len(change.new or {}):
            yield LoggedChange(Operation.DELETE, change.old, last, sequence, moment)
            sequence += 1
        yield LoggedChange(change.operation, change.new or change.old or {}, last, sequence, moment)
