"""What a client asks for: rows of one request, checked against their table before any of them is kept."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import pyarrow as pa

from headrace.errors import DataError, InterfaceError
from headrace.ingest.stream_writers.request_size import (
    expect_room_for,
    expect_room_for_shared_values,
    expect_room_for_stream,
)
from headrace.lake.table.write_target import WriteTarget
from headrace.lake.write_ahead.segment import RecordHead, WriteMode
from headrace.model.arrow_rows import FIELD_ID, fitted, rows_as_table
from headrace.model.client_positions import checked_client


@dataclass(frozen=True)
class WriteRequest:
    client: str
    sequence: int
    mode: WriteMode = WriteMode.APPEND
    key: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked_client(self.client)
        if self.sequence < 1:
            raise InterfaceError("sequence numbers start at 1")
        if self.key and self.mode is not WriteMode.UPSERT:
            raise InterfaceError("key columns are for mode upsert")


def from_arrow_stream(body: bytes, schema: pa.Schema) -> pa.Table:
    try:
        expect_room_for_stream(body, schema)
        table = pa.ipc.open_stream(body).read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, struct.error) as error:
        raise DataError(f"the request is not a valid Arrow stream: {error}") from None
    expect_room_for_shared_values(table, schema)
    return fitted(table, schema)


def from_json_lines(body: bytes, schema: pa.Schema) -> pa.Table:
    lines = [(number, line) for number, line in enumerate(body.splitlines(), 1) if line.strip()]
    expect_room_for(len(lines), schema)
    rows = []
    for number, line in lines:
        try:
            rows.append(json.loads(line, parse_float=Decimal, parse_constant=_constant))
        except RecursionError:
            raise DataError(f"line {number} is nested too deeply") from None
        except InvalidOperation:
            raise DataError(f"line {number} has a number out of any range") from None
        except ValueError as error:
            raise DataError(f"line {number} is not valid JSON: {error}") from None
    return rows_as_table(rows, schema, from_json=True)


def _constant(name: str) -> str:
    raise ValueError(f'write {name} as the string "{name}"')


def key_ids(request: WriteRequest, target: WriteTarget) -> tuple[int, ...]:
    """The columns by which rows are updated."""
    if request.mode is WriteMode.APPEND:
        return ()
    if not request.key:
        if not target.identifiers:
            raise InterfaceError(
                "mode upsert requires key columns: the table has no identifier fields",
                hint='name them, as in key=["id"]',
            )
        return target.identifiers
    missing = [name for name in request.key if name not in target.schema.names]
    if missing:
        raise DataError(f"key column {missing[0]} does not exist")
    return tuple(int(target.schema.field(name).metadata[FIELD_ID]) for name in dict.fromkeys(request.key))


def expect_keys(rows: pa.Table, ids: Sequence[int]) -> None:
    for place, field in enumerate(rows.schema):
        if int(field.metadata[FIELD_ID]) not in ids:
            continue
        if pa.types.is_nested(field.type) or pa.types.is_floating(field.type):
            raise DataError(f"column {field.name} is {field.type} and cannot be a key")
        column = rows.column(place)
        if column.null_count:
            row = column.combine_chunks().is_null().index(True).as_py()
            raise DataError(f"row {row + 1}: key column {field.name} is NULL")


def record_of(request: WriteRequest, rows: pa.Table, key: tuple[int, ...], at: float) -> RecordHead:
    return RecordHead(request.client, request.sequence, rows.num_rows, at, request.mode, key)


def payload_of(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    return bytes(sink.getvalue())
