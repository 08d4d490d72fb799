"""A write-ahead file: rows of one table that are durable and not yet committed.

It begins with a line that names its table. Each record has its lengths and a checksum, a head as JSON, and
the rows as an Arrow stream. A file that was being written when the machine failed ends with a torn record: no
record from there on was acknowledged.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO

import pyarrow as pa

from headrace.errors import LakeDamaged
from headrace.model.names import TableName

MAGIC = b"headrace write-ahead 1\n"
_LENGTHS = struct.Struct(">III")
"""Of the head, of the rows, and the checksum of both lengths and all that follows."""


class WriteMode(StrEnum):
    APPEND = "append"
    UPSERT = "upsert"


@dataclass(frozen=True)
class Owner:
    """Whose rows a file has. The name is that of the time when the file was begun."""

    table: TableName
    uuid: str


@dataclass(frozen=True)
class RecordHead:
    client: str
    sequence: int
    rows: int
    written_at: float
    """In seconds since 1970."""
    mode: WriteMode = WriteMode.APPEND
    key: tuple[int, ...] = ()
    """Ids of the columns by which rows are updated."""


@dataclass(frozen=True)
class Record:
    head: RecordHead
    payload: bytes
    """An Arrow stream."""

    def table(self) -> pa.Table:
        return pa.ipc.open_stream(self.payload).read_all()


def encode_owner(owner: Owner) -> bytes:
    described = {"table": owner.table.parts, "uuid": owner.uuid}
    return MAGIC + json.dumps(described).encode() + b"\n"


def encode_record(head: RecordHead, payload: bytes) -> list[bytes]:
    """In parts, so that the rows are not copied."""
    described = json.dumps(vars(head)).encode()
    lengths = struct.pack(">II", len(described), len(payload))
    checksum = zlib.crc32(payload, zlib.crc32(lengths + described))
    return [lengths, struct.pack(">I", checksum), described, payload]


def read_owner(path: Path) -> Owner | None:
    """None of a file whose first line was not written in full."""
    with path.open("rb") as file:
        return _owner(file, path)


def read_records(path: Path) -> Iterator[Record]:
    """Up to the first that is torn."""
    for record, _ in _records(path):
        yield record


def cut_torn_tail(path: Path) -> tuple[list[RecordHead], int]:
    """What the file has, and how many bytes were cut off its end."""
    end, heads = 0, []
    for record, record_end in _records(path):
        heads.append(record.head)
        end = record_end
    if not heads:
        return [], 0
    torn = path.stat().st_size - end
    if torn:
        with path.open("r+b") as file:
            file.truncate(end)
            os.fsync(file.fileno())
    return heads, torn


def _records(path: Path) -> Iterator[tuple[Record, int]]:
    with path.open("rb") as file:
        if _owner(file, path) is None:
            return
        while (record := _record(file)) is not None:
            yield record, file.tell()


def _owner(file: IO[bytes], path: Path) -> Owner | None:
    magic = file.read(len(MAGIC))
    line = file.readline()
    if magic != MAGIC[: len(magic)]:
        raise LakeDamaged(f"{path} is not a write-ahead file of this version")
    if not line.endswith(b"\n"):
        return None
    described = json.loads(line)
    return Owner(TableName(*described["table"]), described["uuid"])


def _record(file: IO[bytes]) -> Record | None:
    """None at the end, and where a record is torn."""
    begin = file.read(_LENGTHS.size)
    if len(begin) < _LENGTHS.size:
        return None
    head_length, payload_length, checksum = _LENGTHS.unpack(begin)
    left = os.fstat(file.fileno()).st_size - file.tell()
    if head_length + payload_length > left:
        return None
    described = file.read(head_length)
    payload = file.read(payload_length)
    if zlib.crc32(payload, zlib.crc32(begin[:8] + described)) != checksum:
        return None
    found = json.loads(described)
    head = RecordHead(**{**found, "mode": WriteMode(found["mode"]), "key": tuple(found["key"])})
    return Record(head, payload)
