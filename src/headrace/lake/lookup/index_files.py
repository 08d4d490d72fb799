"""The files of position indexes, without the JVM: ``PositionIndex.java`` has their format."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from headrace.model.key_index import IndexDescription, IndexUsage, StoredIndex
from headrace.model.names import TableName

SUFFIX = ".positions"
_MAGIC = b"HRPOS002"
_HEADER = struct.Struct(">8s32sqqq")
"""Magic number, id, rows, checksum of the directory, length of the description."""
_CHECKSUM = struct.Struct(">q")
_LONGEST_DESCRIPTION = 2**20
_UNFINISHED_FOR = timedelta(days=1)
"""An index is made in minutes: an older file was left by a process that ended."""


def stored_indexes(directory: Path) -> Iterator[StoredIndex]:
    for path in sorted(directory.glob(f"*{SUFFIX}")):
        try:
            status = path.stat()
            description = read_description(path)
        except FileNotFoundError:
            continue
        yield StoredIndex(path, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC), description)


def directory_usage(directory: Path) -> IndexUsage:
    sizes = []
    for path in directory.glob(f"*{SUFFIX}"):
        with suppress(FileNotFoundError):
            sizes.append(path.stat().st_size)
    return IndexUsage(len(sizes), sum(sizes))


def read_description(path: Path) -> IndexDescription | None:
    """None if it is damaged, or has the format of an earlier version."""
    with path.open("rb") as file:
        fixed = file.read(_HEADER.size)
        if len(fixed) < _HEADER.size:
            return None
        magic, _, rows, _, length = _HEADER.unpack(fixed)
        if magic != _MAGIC or not 0 <= length <= _LONGEST_DESCRIPTION:
            return None
        text, checksum = file.read(length), file.read(_CHECKSUM.size)
    if checksum != _CHECKSUM.pack(zlib.crc32(text, zlib.crc32(fixed))):
        return None
    return _described(json.loads(text), rows)


def _described(content: object, rows: int) -> IndexDescription | None:
    match content:
        case {
            "table": [str(workspace), str(schema), str(table)],
            "uuid": str(uuid),
            "location": str(location),
            "columns": [*columns],
        }:
            listed = tuple((int(column["id"]), str(column["name"])) for column in columns)
            return IndexDescription(TableName(workspace, schema, table), uuid, location, listed, rows)
    return None


def remove_unfinished(directory: Path, now: datetime) -> int:
    """What processes have left that ended while they made an index."""
    removed = 0
    for path in directory.glob(".*"):
        try:
            written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        except FileNotFoundError:
            continue
        if now - written > _UNFINISHED_FOR:
            path.unlink(missing_ok=True)
            removed += 1
    return removed
