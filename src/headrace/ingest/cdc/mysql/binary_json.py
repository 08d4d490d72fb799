"""JSON as MySQL has it in its log, as the text that a query returns."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from decimal import Decimal

from pymysqlreplication.constants import FIELD_TYPE

from headrace.errors import DataError
from headrace.ingest.cdc.mysql.packed_decimal import read_decimal

_OBJECTS, _ARRAYS, _LARGE = (0, 1), (2, 3), (1, 3)
_LITERAL, _DOUBLE, _STRING, _OPAQUE = 4, 11, 12, 15
_INTEGERS = {5: "<h", 6: "<H", 7: "<i", 8: "<I", 9: "<q", 10: "<Q"}
_INLINE = {2: (_LITERAL, 5, 6), 4: (_LITERAL, 5, 6, 7, 8)}
"""Values that are in their places themselves, by the number of bytes of a place."""
_LITERALS = ("null", "true", "false")
_LEAST_PLAIN, _MOST_PLAIN = -14, 15
"""Places of the point between which a double is written without an exponent."""


def json_text(document: bytes) -> str:
    return _value(document[0], document[1:]) if document else "null"


def _value(kind: int, data: bytes) -> str:
    if kind in _OBJECTS:
        return "{" + ", ".join(_members(data, 4 if kind in _LARGE else 2, has_keys=True)) + "}"
    if kind in _ARRAYS:
        return "[" + ", ".join(_members(data, 4 if kind in _LARGE else 2, has_keys=False)) + "]"
    if kind in _INTEGERS:
        return str(struct.unpack_from(_INTEGERS[kind], data)[0])
    if kind == _LITERAL:
        return _LITERALS[data[0]]
    if kind == _DOUBLE:
        return _double(struct.unpack_from("<d", data)[0])
    if kind == _STRING:
        size, at = _length(data, 0)
        return _quoted(data[at : at + size])
    if kind == _OPAQUE:
        size, at = _length(data, 1)
        return _opaque(data[0], data[at : at + size])
    raise DataError(f"a JSON value has a part of the unknown type {kind}")


def _members(data: bytes, width: int, *, has_keys: bool) -> Iterator[str]:
    """Their number and size, then the places of keys and of values."""
    number = {2: "<H", 4: "<I"}[width]
    (count,) = struct.unpack_from(number, data)
    keys, values = 2 * width, 2 * width + (count * (width + 2) if has_keys else 0)
    for index in range(count):
        at = values + index * (width + 1)
        kind = data[at]
        place = at + 1 if kind in _INLINE[width] else struct.unpack_from(number, data, at + 1)[0]
        text = _value(kind, data[place:])
        if has_keys:
            start, size = struct.unpack_from(f"{number}H", data, keys + index * (width + 2))
            text = f"{_quoted(data[start : start + size])}: {text}"
        yield text


def _length(data: bytes, at: int) -> tuple[int, int]:
    """Seven bits in each byte; and where they end."""
    size, shift = 0, 0
    while True:
        size |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return size, at


def _quoted(text: bytes) -> str:
    return json.dumps(text.decode(), ensure_ascii=False)


def _double(value: float) -> str:
    exact = Decimal(repr(value)).normalize()
    sign, digits, _ = exact.as_tuple()
    point = exact.adjusted() + 1
    if not value or _LEAST_PLAIN <= point <= _MOST_PLAIN or 0 < point < len(digits):
        text = f"{exact:f}"
        return text if "." in text else f"{text}.0"
    first, *others = map(str, digits)
    fraction = f".{''.join(others)}" if others else ""
    return f"{'-' * sign}{first}{fraction}e{exact.adjusted()}"


def _opaque(kind: int, data: bytes) -> str:
    """Values of other types that were put into a document."""
    if kind == FIELD_TYPE.NEWDECIMAL:
        return read_decimal(data[0], data[1])(data, 2)[0]
    if kind in (FIELD_TYPE.DATE, FIELD_TYPE.DATETIME, FIELD_TYPE.TIMESTAMP, FIELD_TYPE.TIME):
        return f'"{_moment(kind, int.from_bytes(data, "little", signed=True))}"'
    raise DataError("a JSON value has a binary part, which is not supported")


def _moment(kind: int, packed: int) -> str:
    whole, microseconds = divmod(abs(packed), 1 << 24)
    minutes = f"{whole >> 6 & 63:02}:{whole & 63:02}.{microseconds:06}"
    if kind == FIELD_TYPE.TIME:
        return f"{'-' if packed < 0 else ''}{whole >> 12 & 1023:02}:{minutes}"
    year, month = divmod(whole >> 22, 13)
    day = f"{year:04}-{month:02}-{whole >> 17 & 31:02}"
    return day if kind == FIELD_TYPE.DATE else f"{day} {whole >> 12 & 31:02}:{minutes}"
