"""What DESC returns: one thing as names and values, both of them text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from headrace.model.json_value import json_value
from headrace.views.arrow import to_arrow


@dataclass(frozen=True)
class InfoRow:
    info_name: str
    info_value: str | None


@dataclass(frozen=True)
class ColumnRow:
    """A column of a table; below the columns, what else is known of it."""

    column_name: str
    data_type: str | None


def info_table(view: Any, zone: ZoneInfo, properties: Mapping[str, str] | None = None) -> pa.Table:
    """The fields of a view, then ``properties``. A field that has its default value is left out."""
    named = [(each.name, getattr(view, each.name), each.default) for each in fields(view)]
    shown = [(name, value) for name, value, default in named if default is MISSING or value != default]
    rows = [InfoRow(name, _text(value, zone)) for name, value in shown]
    return to_arrow(InfoRow, rows + [InfoRow(*each) for each in (properties or {}).items()], zone)


def column_table(pairs: Iterable[tuple[str, str | None]], zone: ZoneInfo) -> pa.Table:
    return to_arrow(ColumnRow, [ColumnRow(name, kind) for name, kind in pairs], zone)


def _text(value: Any, zone: ZoneInfo) -> str | None:
    match value:
        case None:
            return None
        case datetime():
            return str(value.astimezone(zone))
        case timedelta():
            return f"{value.total_seconds():g} seconds"
        case str() | bool() | int() | float():
            return str(value)
    return json.dumps(json_value(value))
