"""Values as text, as JSON, and rows as the table a terminal shows."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from rich.cells import cell_len


def text_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Columns and rows between lines of ``+---+``; empty when there are no columns."""
    if not columns:
        return ""
    header = [on_one_line(column) for column in columns]
    cells = [[on_one_line(show_value(value)) for value in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(header, *cells, strict=True)]
    border = table_border(widths)
    body = (table_line(row, widths) for row in cells)
    return "\n".join([border, table_line(header, widths), border, *body, border])


def show_value(value: Any) -> str:
    """A value as a person reads it; strings stay as they are."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return _show_float(value)
        case Decimal():
            return format(value, "f")
        case datetime():
            return _show_datetime(value)
        case timedelta():
            return _show_timedelta(value)
        case bytes() | bytearray() | memoryview():
            return bytes(value).hex()
        case list() | tuple() | dict():
            return _show_nested(value)
        case _:
            return str(value)


def _show_float(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(value)


def _show_datetime(value: datetime) -> str:
    match value.microsecond:
        case 0:
            precision = "seconds"
        case whole if whole % 1000 == 0:
            precision = "milliseconds"
        case _:
            precision = "microseconds"
    return value.replace(tzinfo=None).isoformat(" ", precision)


def _show_timedelta(value: timedelta) -> str:
    sign, size = ("-", -value) if value < timedelta() else ("", value)
    minutes, seconds = divmod(size.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{size.days} {hours:02}:{minutes:02}:{seconds:02}.{size.microseconds * 1000:09}"


def _show_nested(value: Any) -> str:
    match value:
        case dict():
            items = (f"{_quoted(show_value(key))}:{_show_nested(item)}" for key, item in value.items())
            return "{" + ",".join(items) + "}"
        case list() | tuple():
            return "[" + ",".join(map(_show_nested, value)) + "]"
        case None | bool() | int() | float() | Decimal():
            return show_value(value)
        case _:
            return _quoted(show_value(value))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


_BREAKS_THE_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def on_one_line(text: str) -> str:
    """Control characters, line breaks among them, as escapes."""
    return _BREAKS_THE_LINE.sub(_escape, text)


def lines_of(text: str, *, keep_tabs: bool = False) -> list[str]:
    """At least one; other control characters than line breaks are escaped."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if keep_tabs:
        return ["\t".join(map(on_one_line, line.split("\t"))) for line in lines]
    return [on_one_line(line) for line in lines]


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    return _SHORT_ESCAPES.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def table_border(widths: Sequence[int]) -> str:
    return "+" + "+".join("-" * (width + 2) for width in widths) + "+"


def table_line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (width - cell_len(cell)) for cell, width in zip(cells, widths, strict=True))
    return "| " + " | ".join(padded) + " |"
