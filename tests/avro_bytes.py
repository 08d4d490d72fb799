"""Values as Avro writes them, for messages of the tests."""

from __future__ import annotations

import struct


def number(value: int) -> bytes:
    """An int or a long, an index of a union, a length."""
    rest, found = value << 1 if value >= 0 else ~(value << 1), bytearray()
    while rest > 0x7F:
        found.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes((*found, rest))


def text(value: str) -> bytes:
    return number(len(value.encode())) + value.encode()


def decimal(unscaled: int) -> bytes:
    content = unscaled.to_bytes(unscaled.bit_length() // 8 + 1, "big", signed=True)
    return number(len(content)) + content


def with_id(schema: int, body: bytes) -> bytes:
    """As clients of schema registries write messages."""
    return struct.pack(">bi", 0, schema) + body
