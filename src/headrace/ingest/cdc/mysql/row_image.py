"""Rows of the binary log as text: the texts that a query of the same values returns.

The replication library has a decoder, which is not used: it gives zero dates, empty sets and NULL the same
value, and gets negative times with fractions wrong.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, TypeAlias

from pymysqlreplication.constants import FIELD_TYPE

from headrace.errors import DataError
from headrace.ingest.cdc.mysql.binary_json import json_text
from headrace.ingest.cdc.mysql.packed_decimal import read_decimal
from headrace.ingest.cdc.mysql.types import ENCODINGS, MysqlType

Reader: TypeAlias = Callable[[bytes, int], tuple[str | None, int]]
"""The text of the value at an offset, and the offset after it."""
_INTEGERS = {
    FIELD_TYPE.TINY: ("tinyint", 1),
    FIELD_TYPE.SHORT: ("smallint", 2),
    FIELD_TYPE.INT24: ("mediumint", 3),
    FIELD_TYPE.LONG: ("int", 4),
    FIELD_TYPE.LONGLONG: ("bigint", 8),
}
_FLOATS = {FIELD_TYPE.FLOAT: ("float", "<f"), FIELD_TYPE.DOUBLE: ("double", "<d")}
_NAMES = {
    FIELD_TYPE.DATE: "date",
    FIELD_TYPE.DATETIME2: "datetime",
    FIELD_TYPE.TIMESTAMP2: "timestamp",
    FIELD_TYPE.TIME2: "time",
    FIELD_TYPE.YEAR: "year",
    FIELD_TYPE.BIT: "bit",
    FIELD_TYPE.ENUM: "enum",
    FIELD_TYPE.SET: "set",
    FIELD_TYPE.GEOMETRY: "geometry",
    FIELD_TYPE.JSON: "json",
    FIELD_TYPE.NEWDECIMAL: "decimal",
}


def type_of(column: Any) -> MysqlType:
    """Of a column as the library reads it from a table map."""
    kind = column.type
    if kind in _INTEGERS:
        return MysqlType(_INTEGERS[kind][0], column.unsigned)
    if kind in _FLOATS:
        return MysqlType(_FLOATS[kind][0])
    if kind == FIELD_TYPE.NEWDECIMAL:
        return MysqlType("decimal", False, column.precision, column.decimals)
    if kind in (FIELD_TYPE.STRING, FIELD_TYPE.VARCHAR, FIELD_TYPE.VAR_STRING, FIELD_TYPE.BLOB):
        return MysqlType("varbinary" if _is_binary(column) else "varchar")
    return MysqlType(_NAMES.get(kind, f"type {kind}"))


def read_rows(
    data: bytes, columns: Sequence[Any], readers: Sequence[Reader]
) -> Iterator[dict[str, str | None]]:
    """Rows one after the other; of an update, the row before and the row after in turns."""
    names = [column.name for column in columns]
    fields = [
        (1 << place, name, reader) for place, (name, reader) in enumerate(zip(names, readers, strict=True))
    ]
    bitmap = (len(names) + 7) // 8
    at, end = 0, len(data)
    while at < end:
        nulls = int.from_bytes(data[at : at + bitmap], "little")
        at += bitmap
        row: dict[str, str | None] = {}
        for bit, name, read in fields:
            if nulls & bit:
                row[name] = None
            else:
                row[name], at = read(data, at)
        yield row


def reader_of(column: Any) -> Reader:
    if column.type in _INTEGERS:
        return _integer(_INTEGERS[column.type][1], is_signed=not column.unsigned)
    if column.type in _FLOATS:
        return _float(_FLOATS[column.type][1])
    if column.type not in _READERS:
        raise DataError(f"column {column.name} has a type that is not supported in the log: {column.type}")
    return _READERS[column.type](column)


def _integer(size: int, *, is_signed: bool) -> Reader:
    def read(data: bytes, at: int) -> tuple[str, int]:
        end = at + size
        return str(int.from_bytes(data[at:end], "little", signed=is_signed)), end

    return read


def _float(form: str) -> Reader:
    packed = struct.Struct(form)

    def read(data: bytes, at: int) -> tuple[str, int]:
        return repr(packed.unpack_from(data, at)[0]), at + packed.size

    return read


def _string(prefix: int, column: Any, padded: int) -> Reader:
    if _is_binary(column):
        return _bytes(prefix, padded)
    encoding = ENCODINGS.get(column.character_set_name, column.character_set_name)

    def read(data: bytes, at: int) -> tuple[str, int]:
        start = at + prefix
        end = start + int.from_bytes(data[at:start], "little")
        try:
            return data[start:end].decode(encoding), end
        except (UnicodeDecodeError, LookupError) as error:
            raise DataError(f"column {column.name} has a text that cannot be read as {encoding}") from error

    return read


def _bytes(prefix: int, padded: int) -> Reader:
    """In hexadecimal digits; the log has BINARY(n) without the zeros at the end."""

    def read(data: bytes, at: int) -> tuple[str, int]:
        start = at + prefix
        end = start + int.from_bytes(data[at:start], "little")
        return data[start:end].ljust(padded, b"\0").hex().upper(), end

    return read


def _json(prefix: int) -> Reader:
    def read(data: bytes, at: int) -> tuple[str, int]:
        start = at + prefix
        end = start + int.from_bytes(data[at:start], "little")
        return json_text(data[start:end]), end

    return read


def _bits(count: int) -> Reader:
    size = (count + 7) // 8

    def read(data: bytes, at: int) -> tuple[str, int]:
        end = at + size
        return f"{int.from_bytes(data[at:end], 'big'):0{count}b}", end

    return read


def _labels(column: Any, labels: Sequence[str]) -> Sequence[str]:
    """The library leaves out a label that is not in UTF-8."""
    if "" in labels and column.character_set_name not in ("utf8", "ascii"):
        raise DataError(f"column {column.name} has labels that the log does not have in UTF-8")
    return labels


def _enum(size: int, labels: Sequence[str]) -> Reader:
    """0 stands for a value that was refused, which is the empty text."""
    listed = ("", *labels)

    def read(data: bytes, at: int) -> tuple[str, int]:
        end = at + size
        return listed[int.from_bytes(data[at:end], "little")], end

    return read


def _set(size: int, labels: Sequence[str]) -> Reader:
    def read(data: bytes, at: int) -> tuple[str, int]:
        end = at + size
        chosen = int.from_bytes(data[at:end], "little")
        return ",".join(label for place, label in enumerate(labels) if chosen >> place & 1), end

    return read


def _year(data: bytes, at: int) -> tuple[str, int]:
    return str(data[at] + 1900 if data[at] else 0), at + 1


def _date(data: bytes, at: int) -> tuple[str | None, int]:
    """NULL if it has no year, month or day."""
    value = int.from_bytes(data[at : at + 3], "little")
    year, month, day = value >> 9, value >> 5 & 15, value & 31
    return (f"{year:04}-{month:02}-{day:02}" if year and month and day else None), at + 3


def _datetime(fsp: int) -> Reader:
    size = 5 + (fsp + 1) // 2

    def read(data: bytes, at: int) -> tuple[str | None, int]:
        value = int.from_bytes(data[at : at + 5], "big") & 0x7FFFFFFFFF
        year, month = divmod(value >> 22, 13)
        day = value >> 17 & 31
        if not (year and month and day):
            return None, at + size
        clock = f"{value >> 12 & 31:02}:{value >> 6 & 63:02}:{value & 63:02}"
        return f"{year:04}-{month:02}-{day:02} {clock}{_fraction(data, at + 5, fsp)}", at + size

    return read


def _timestamp(fsp: int) -> Reader:
    """Seconds since 1970 in UTC; 0 stands for the zero timestamp."""
    size = 4 + (fsp + 1) // 2

    def read(data: bytes, at: int) -> tuple[str | None, int]:
        seconds = int.from_bytes(data[at : at + 4], "big")
        if not seconds:
            return None, at + size
        days, rest = divmod(seconds, 86_400)
        clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
        return f"{_day(days)} {clock}{_fraction(data, at + 4, fsp)}", at + size

    return read


def _day(since_1970: int) -> str:
    return (date(1970, 1, 1) + timedelta(days=since_1970)).isoformat()


def _fraction(data: bytes, at: int, fsp: int) -> str:
    size = (fsp + 1) // 2
    return f".{int.from_bytes(data[at : at + size], 'big'):0{2 * size}d}"[: fsp + 1] if fsp else ""


def _time(fsp: int) -> Reader:
    """Hours, minutes, seconds and the fraction as one number, to which half of the range is added."""
    size = 3 + (fsp + 1) // 2
    fraction_bits = 8 * (size - 3)
    middle = 1 << (8 * size - 1)

    def read(data: bytes, at: int) -> tuple[str, int]:
        value = int.from_bytes(data[at : at + size], "big") - middle
        sign, value = ("-", -value) if value < 0 else ("", value)
        whole, fraction = value >> fraction_bits, value & ((1 << fraction_bits) - 1)
        clock = f"{whole >> 12 & 1023:02}:{whole >> 6 & 63:02}:{whole & 63:02}"
        return f"{sign}{clock}{_fraction(fraction.to_bytes(size - 3, 'big'), 0, fsp)}", at + size

    return read


_READERS: Mapping[int, Callable[[Any], Reader]] = {
    FIELD_TYPE.NEWDECIMAL: lambda column: read_decimal(column.precision, column.decimals),
    FIELD_TYPE.STRING: lambda column: _string(_prefix(column), column, column.max_length),
    FIELD_TYPE.VARCHAR: lambda column: _string(_prefix(column), column, 0),
    FIELD_TYPE.VAR_STRING: lambda column: _string(_prefix(column), column, 0),
    FIELD_TYPE.BLOB: lambda column: _string(column.length_size, column, 0),
    FIELD_TYPE.JSON: lambda column: _json(column.length_size),
    FIELD_TYPE.GEOMETRY: lambda column: _bytes(column.length_size, 0),
    FIELD_TYPE.BIT: lambda column: _bits(column.bits),
    FIELD_TYPE.ENUM: lambda column: _enum(column.size, _labels(column, column.enum_values[1:])),
    FIELD_TYPE.SET: lambda column: _set(column.size, _labels(column, column.set_values)),
    FIELD_TYPE.YEAR: lambda _: _year,
    FIELD_TYPE.DATE: lambda _: _date,
    FIELD_TYPE.DATETIME2: lambda column: _datetime(column.fsp),
    FIELD_TYPE.TIMESTAMP2: lambda column: _timestamp(column.fsp),
    FIELD_TYPE.TIME2: lambda column: _time(column.fsp),
}


def _prefix(column: Any) -> int:
    """How many bytes the length of a text has."""
    return 2 if column.max_length > 255 else 1


def _is_binary(column: Any) -> bool:
    return bool(column.character_set_name == "binary")
