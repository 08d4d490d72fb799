"""Rows of a database in a Parquet file whose columns are text."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from headrace.ingest.cdc.changes import SourceTable

_BLOCK = 8 << 20
_BATCH = 20_000
"""Rows that are written at a time."""


def write_copy(copy: AbstractContextManager[Iterable[Any]], table: SourceTable, into: Path) -> int:
    """How many rows; the CSV is that of PostgreSQL's COPY, in which NULL has no quotes and '' has."""
    with tempfile.TemporaryFile(dir=into.parent) as file:
        with copy as blocks:
            for block in blocks:
                file.write(block)
        file.flush()
        size = file.tell()
        file.seek(0)
        return _convert(file, table, into) if size else 0


def write_rows(
    rows: Iterator[Sequence[str | None]], table: SourceTable, into: Path
) -> tuple[int, Sequence[str | None]]:
    """How many rows, and the last one."""
    schema = _schema(table)
    count = 0
    last: Sequence[str | None] = ()
    with _writer(into, schema) as writer:
        while batch := list(islice(rows, _BATCH)):
            count, last = count + len(batch), batch[-1]
            columns = [pa.array(values, pa.string()) for values in zip(*batch, strict=True)]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
    return count, last


def _schema(table: SourceTable) -> pa.Schema:
    return pa.schema([(column.name, pa.string()) for column in table.columns])


def _writer(into: Path, schema: pa.Schema) -> pq.ParquetWriter:
    return pq.ParquetWriter(into, schema, compression="lz4", use_dictionary=False)


def _convert(file: IO[bytes], table: SourceTable, into: Path) -> int:
    schema = _schema(table)
    blocks = pa_csv.open_csv(
        file,
        pa_csv.ReadOptions(column_names=schema.names, block_size=_BLOCK),
        pa_csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        pa_csv.ConvertOptions(
            column_types=schema, strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""]
        ),
    )
    count = 0
    with blocks, _writer(into, schema) as writer:
        for block in blocks:
            count += block.num_rows
            writer.write_batch(_prepared(block, table))
    return count


def _prepared(block: pa.RecordBatch, table: SourceTable) -> pa.RecordBatch:
    columns = list(block.columns)
    for place, column in enumerate(table.columns):
        if column.prepare is not None:
            prepare = column.prepare
            values = [None if value is None else prepare(value) for value in columns[place].to_pylist()]
            columns[place] = pa.array(values, pa.string())
    return pa.RecordBatch.from_arrays(columns, schema=block.schema)
