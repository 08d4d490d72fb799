"""Rows of write-ahead files, committed to their table with the numbers of the requests that brought them.

Rows are appended by the driver without a Spark job; rows that replace others are merged by Spark. Requests
that the table has already are left out, so a commit that is repeated changes nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headrace.errors import DataError, Error, NotFound, PositionMoved
from headrace.lake.commit.positioned_commit import commit_with_position, position_of
from headrace.lake.external.file_frames import file_view
from headrace.lake.session import LakeSession
from headrace.lake.spark.java_classes import java_class
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.table.tables import Table
from headrace.lake.table.write_target import WriteTarget, read_write_target
from headrace.lake.write_ahead.segment import Record, RecordHead, WriteMode, read_records
from headrace.model.arrow_rows import FIELD_ID
from headrace.model.client_positions import STREAM_KEY, ClientPositions, StreamCommit
from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier, quote_string

_ATTEMPTS = 10
_UPSERT_BYTES = 64 << 20
"""Of rows that are merged in one commit: they are in memory."""
_BATCH_ROWS = 16_384
_MOST_LISTED = 500


@dataclass
class _Run:
    """Requests that follow each other and are written alike, in one commit."""

    mode: WriteMode
    key: tuple[int, ...]
    last: dict[str, int] = field(default_factory=dict)
    rows: int = 0


class StreamedRows:
    """Those of one table, in files."""

    def __init__(
        self, name: TableName, table_uuid: str, files: Sequence[Path], session: LakeSession, staging: Path
    ) -> None:
        self._name = name
        self._uuid = table_uuid
        self._files = files
        self._session = session
        self._staging = staging

    def commit(self, ended: Collection[str], now: int) -> StreamCommit:
        """``ended`` are clients that will not write again; ``now`` in seconds since 1970."""
        rows = 0
        for attempt in range(_ATTEMPTS):
            try:
                for written in self._commit_runs(ended, now):
                    rows += written
                break
            except PositionMoved:
                if attempt == _ATTEMPTS - 1:
                    raise
        return StreamCommit(self._positions(self._table()).to_json(), rows)

    def _commit_runs(self, ended: Collection[str], now: int) -> Iterator[int]:
        """The rows of each commit. After one of another program all is read again."""
        known = self._positions(self._table())
        last = {client: of.sequence for client, of in known.clients.items()}
        for (mode, key), records in groupby(self._new_records(last), lambda each: _kind(each.head)):
            rest: Iterator[Record] = iter(records)
            while True:
                table = self._table()
                start = position_of(table, STREAM_KEY, self._session)
                before = ClientPositions.from_json(start)
                if before != known:  # another program has written, maybe the same requests
                    raise PositionMoved(f"the position of {table.name} has moved")
                run = _Run(mode, key)
                target = read_write_target(table.location)
                with self._staged_file() as file:
                    is_whole = _stage(rest, run, target, file)
                    if run.last:
                        known = before.after(run.last, ended, now)
                        self._write(table, target, run, start, known.to_json(), file)
                        yield run.rows
                if is_whole:
                    break

    def _new_records(self, last: dict[str, int]) -> Iterator[Record]:
        """In the order in which they came; of those that came twice the first."""
        for file in self._files:
            for record in read_records(file):
                if record.head.sequence > last.get(record.head.client, 0):
                    last[record.head.client] = record.head.sequence
                    yield record

    def _write(
        self, table: Table, target: WriteTarget, run: _Run, start: str | None, end: str, file: Path
    ) -> None:
        if not run.rows:
            commit_with_position(table, STREAM_KEY, start, end, lambda _: None, self._session)
        elif run.mode is WriteMode.APPEND:
            _append(table, start, end, file, self._session)
        else:
            keys = [each for each in target.schema if int(each.metadata[FIELD_ID]) in run.key]
            if len(keys) < len(run.key):
                raise DataError(f"a key column of rows that wait was dropped from {table.name}")
            merged = file.with_suffix(".parquet")
            try:
                scope = _stage_last(file, [each.name for each in keys], merged)
                with file_view([str(merged)], "parquet", {}, None, self._session) as view:
                    statement = _merge(view, target.schema, keys, scope)
                    commit_with_position(table, STREAM_KEY, start, end, statement, self._session)
            finally:
                merged.unlink(missing_ok=True)

    def _table(self) -> Table:
        table = self._session.catalog.existing_table(self._name)
        if table.version.uuid != self._uuid:
            raise NotFound(f"table {self._name} was replaced by another one")
        return table

    def _positions(self, table: Table) -> ClientPositions:
        return ClientPositions.from_json(position_of(table, STREAM_KEY, self._session))

    @contextmanager
    def _staged_file(self) -> Iterator[Path]:
        self._staging.mkdir(exist_ok=True)
        file = self._staging / f"stream-{uuid.uuid4().hex}.arrow"
        try:
            yield file
        finally:
            file.unlink(missing_ok=True)


def _kind(head: RecordHead) -> tuple[WriteMode, tuple[int, ...]]:
    return head.mode, head.key


def _stage(records: Iterator[Record], run: _Run, target: WriteTarget, file: Path) -> bool:
    """Writes rows into the file, in the columns of the table; whether these were all."""
    size = 0
    with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_stream(sink, target.schema) as stream:
        for record in records:
            rows = aligned(record.table(), target.schema)
            stream.write_table(rows, max_chunksize=_BATCH_ROWS)
            run.last[record.head.client] = record.head.sequence
            run.rows += rows.num_rows
            size += len(record.payload)
            if run.mode is WriteMode.UPSERT and size >= _UPSERT_BYTES:
                return False
    return True


def aligned(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """In the columns that the table has now: those of the rows go by their ids."""
    if rows.schema.equals(schema, check_metadata=True):
        return rows
    by_id = {each.metadata[FIELD_ID]: rows.column(place) for place, each in enumerate(rows.schema)}
    columns = []
    for each in schema:
        column = by_id.get(each.metadata[FIELD_ID])
        columns.append(pa.nulls(rows.num_rows, each.type) if column is None else column.cast(each.type))
    return pa.table(columns, schema=schema)


def _append(table: Table, start: str | None, end: str, file: Path, session: LakeSession) -> None:
    with spark_errors():
        positioned = java_class(session.spark, "headrace.commit.PositionedTable")
        target: Any = positioned(table.java, str(table.name), STREAM_KEY, start, end)
        rows: Any = java_class(session.spark, "headrace.commit.StreamedRows")(target)
    try:
        with spark_errors():
            rows.append(str(file))
    except Error as error:
        if target.moved():
            raise PositionMoved(f"another program has written the same rows into {table.name}") from error
        if target.committed() is None:
            raise


def _stage_last(file: Path, keys: Sequence[str], into: Path) -> list[str]:
    """Of the rows with one key the last; and a condition on ``t`` that all rows to be changed meet."""
    with pa.memory_map(str(file)) as source:
        rows = pa.ipc.open_stream(source).read_all()
    numbered = rows.select(keys).append_column("__place", pa.array(range(rows.num_rows), pa.int64()))
    places = numbered.group_by(keys, use_threads=False).aggregate([("__place", "max")]).column("__place_max")
    last = rows.take(places.combine_chunks().sort())
    pq.write_table(last, into, compression="lz4")
    return _scope(last.column(keys[0]), keys[0])


def _scope(column: pa.ChunkedArray, name: str) -> list[str]:
    """So that files which have none of the keys need not be read."""
    quoted, types = quote_identifier(name), pa.types
    if types.is_integer(column.type):
        values = sorted(set(column.to_pylist()))
        if len(values) <= _MOST_LISTED:
            return [f"t.{quoted} IN ({', '.join(map(str, values))})"]
        return [f"t.{quoted} BETWEEN {values[0]} AND {values[-1]}"]
    if types.is_string(column.type) and len(pc.unique(column)) <= _MOST_LISTED:
        listed = sorted(set(column.to_pylist()))
        return [f"t.{quoted} IN ({', '.join(map(quote_string, listed))})"]
    return []


def _merge(view: str, schema: pa.Schema, keys: Sequence[pa.Field], scope: Sequence[str]) -> Any:
    names = [quote_identifier(each.name) for each in schema]
    matches = [f"t.{key} = s.{key}" for key in (quote_identifier(each.name) for each in keys)]
    updates = ", ".join(f"{name} = s.{name}" for name in names)
    inserts = ", ".join(f"s.{name}" for name in names)

    def statement(target: str) -> str:
        return "\n".join(
            [
                f"MERGE INTO {target} AS t USING {view} AS s ON {' AND '.join([*matches, *scope])}",
                f"WHEN MATCHED THEN UPDATE SET {updates}",
                f"WHEN NOT MATCHED THEN INSERT ({', '.join(names)}) VALUES ({inserts})",
            ]
        )

    return statement
