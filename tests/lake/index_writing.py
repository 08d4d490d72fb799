"""Files of position indexes, written without the JVM: right ones, and ones that only look right."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

ENTRIES = 512
_HEADER = struct.Struct(">8s32sqqq")


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def _checked(entries: Sequence[int]) -> bytes:
    content = struct.pack(f">{len(entries)}q", *entries)
    return content + struct.pack(">q", crc32c(content))


def index_file(index_id: bytes, description: dict[str, object], entries: Sequence[int]) -> bytes:
    """``entries`` in their order, hash and position in one number each."""
    blocks = [entries[start : start + ENTRIES] for start in range(0, len(entries), ENTRIES)]
    directory = _checked([block[0] for block in blocks])
    text = json.dumps(description).encode()
    (checksum,) = struct.unpack(">q", directory[-8:])
    header = _HEADER.pack(b"HRPOS002", index_id, len(entries), checksum, len(text)) + text
    return header + struct.pack(">q", zlib.crc32(header)) + b"".join(map(_checked, blocks)) + directory


def description_of(
    location: str, *columns: str, table: Sequence[str] = ("lake", "public", "t"), uuid: str = "u-1"
) -> dict[str, object]:
    listed = [{"id": number, "name": name, "type": "LONG"} for number, name in enumerate(columns, 1)]
    return {"table": list(table), "uuid": uuid, "location": location, "length": 9, "columns": listed}


def rewritten(path: Path, change: Callable[[list[int]], list[int]]) -> None:
    """The same index with other entries and the checksums of those."""
    content = path.read_bytes()
    _, index_id, rows, _, length = _HEADER.unpack(content[: _HEADER.size])
    start = _HEADER.size + length
    description = json.loads(content[_HEADER.size : start])
    entries: list[int] = []
    place = start + 8
    while len(entries) < rows:
        count = min(ENTRIES, rows - len(entries))
        entries += struct.unpack_from(f">{count}q", content, place)
        place += 8 * (count + 1)
    path.write_bytes(index_file(index_id, description, change(entries)))


def store_indexes(directory: Path, *tables: str) -> None:
    """One for each table, of a data file that does not exist."""
    directory.mkdir(exist_ok=True)
    for number, name in enumerate(tables):
        description = description_of(f"/gone/{name}", "key", table=("lake", "public", name), uuid=f"u-{name}")
        path = directory / f"{number:064x}.positions"
        path.write_bytes(index_file(number.to_bytes(32), description, range(5)))
