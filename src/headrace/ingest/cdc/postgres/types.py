"""Types of PostgreSQL in Spark. What Spark has no exact type for is text, as PostgreSQL writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from headrace.errors import DataError
from headrace.ingest.cdc.changes import SourceColumn

_EXACT: Mapping[str, tuple[str, str]] = {
    "bool": ("boolean", "CAST({} AS BOOLEAN)"),
    "int2": ("int", "CAST({} AS INT)"),
    "int4": ("int", "CAST({} AS INT)"),
    "int8": ("bigint", "CAST({} AS BIGINT)"),
    "oid": ("bigint", "CAST({} AS BIGINT)"),
    "float4": ("float", "CAST({} AS FLOAT)"),
    "float8": ("double", "CAST({} AS DOUBLE)"),
    "date": ("date", "CAST({} AS DATE)"),
    "timestamp": ("timestamp_ntz", "CAST({} AS TIMESTAMP_NTZ)"),
    "timestamptz": ("timestamp", "CAST({} AS TIMESTAMP)"),
    "bytea": ("binary", "unhex(substr({}, 3))"),
}
_TEXT = ("string", "{}")
_HEADER = 4
"""What a type modifier is larger by than the length or precision that it means."""
_MOST_DIGITS = 38


@dataclass(frozen=True)
class PostgresType:
    """A row of pg_type."""

    oid: int
    name: str
    kind: str
    """``d``: a domain."""
    category: str
    """``A``: an array."""
    element: int
    base: int
    base_modifier: int


class Types:
    def __init__(self, types: Mapping[int, PostgresType]) -> None:
        self._types = types

    def knows(self, type_oid: int) -> bool:
        return type_oid in self._types

    def column(self, name: str, type_oid: int, modifier: int, *, has_default: bool = False) -> SourceColumn:
        kind, expression = self._spark(type_oid, modifier)
        found = self._types.get(type_oid)
        called = str(type_oid) if found is None else found.name
        return SourceColumn(
            name, kind, expression, called, has_default, array_json if kind.startswith("array<") else None
        )

    def _spark(self, oid: int, modifier: int) -> tuple[str, str]:
        found = self._types.get(oid)
        if found is None:
            return _TEXT
        if found.kind == "d":
            return self._spark(found.base, found.base_modifier if modifier == -1 else modifier)
        if found.category == "A" and found.element:
            return self._array(found.element, modifier)
        if found.name == "numeric":
            return _numeric(modifier)
        return _EXACT.get(found.name, _TEXT)

    def _array(self, element: int, modifier: int) -> tuple[str, str]:
        kind, expression = self._spark(element, modifier)
        values = "from_json({}, 'array<string>')"
        if expression == "{}":
            return f"array<{kind}>", values
        return f"array<{kind}>", f"transform({values}, x -> {expression.format('x')})"


def _numeric(modifier: int) -> tuple[str, str]:
    """Of one without a precision the digits are not known before."""
    precision, scale = (modifier - _HEADER) >> 16 & 0xFFFF, (modifier - _HEADER) & 0x7FF
    is_plain = modifier >= _HEADER and scale <= precision <= _MOST_DIGITS
    kind = f"decimal({precision},{scale})"
    return (kind, f"CAST({{}} AS {kind})") if is_plain else _TEXT


def array_json(text: str) -> str:
    """An array as PostgreSQL writes it, as JSON of texts."""
    return json.dumps(_ArrayText(text).read())


class _ArrayText:
    """``{a,NULL,"b\\"c"}``."""

    def __init__(self, text: str) -> None:
        self._text = text[text.index("{") :]
        """Without the bounds ``[0:2]=``, which an array need not begin at 1 to have."""
        self._at = 1

    def read(self) -> list[str | None]:
        values: list[str | None] = []
        while self._text[self._at] != "}":
            values.append(self._value())
            if self._text[self._at] == ",":
                self._at += 1
        return values

    def _value(self) -> str | None:
        match self._text[self._at]:
            case "{":
                raise DataError(
                    "an array of several dimensions does not fit into an array column",
                    hint="leave the table out of the sync, or make the column jsonb",
                )
            case '"':
                return self._quoted()
        start = self._at
        while self._text[self._at] not in ",}":
            self._at += 1
        value = self._text[start : self._at]
        return None if value == "NULL" else value

    def _quoted(self) -> str:
        self._at += 1
        parts = []
        while (character := self._text[self._at]) != '"':
            if character == "\\":
                self._at += 1
                character = self._text[self._at]
            parts.append(character)
            self._at += 1
        self._at += 1
        return "".join(parts)
