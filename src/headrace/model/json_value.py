"""Values as JSON, the one way: rows of results, the server's responses, ``--output json``.

Numbers that JSON does not have and types that it does not know are strings, in the form that OpenAPI and
ISO 8601 have for them, so that none of them loses digits or its time zone.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any

_SAME = frozenset({type(None), bool, int, str})


def json_value(value: Any) -> Any:
    """A dataclass is an object with its fields, in their order."""
    if type(value) in _SAME:
        return value
    if is_dataclass(value):
        return {name: json_value(getattr(value, name)) for name in value.__dataclass_fields__}
    return _converted(value)


def _converted(value: Any) -> Any:
    match value:
        case Enum():
            return value.value
        case int() | str():
            return value
        case float():
            return value if math.isfinite(value) else _special_float(value)
        case Decimal():
            return format(value, "f")
        case datetime():
            return _in_whole_minutes(value).isoformat()
        case date() | time():
            return value.isoformat()
        case timedelta():
            return iso_duration(value)
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(bytes(value)).decode()
        case Mapping():
            return {_key(key): json_value(item) for key, item in value.items()}
        case list() | tuple():
            return [json_value(item) for item in value]
    return str(value)


def iso_duration(value: timedelta) -> str:
    """As ISO 8601 has it: ``P1DT2H3M4.5S``; zero is ``PT0S``."""
    sign, size = ("-", -value) if value < timedelta() else ("", value)
    minutes, seconds = divmod(size.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{size.microseconds:06}".rstrip("0") if size.microseconds else ""
    days = f"{size.days}D" if size.days else ""
    parts = (f"{hours}H" if hours else "", f"{minutes}M" if minutes else "")
    spare = seconds or fraction or not (days or hours or minutes)
    clock = "".join(parts) + (f"{seconds}{fraction}S" if spare else "")
    return f"{sign}P{days}{f'T{clock}' if clock else ''}"


def _in_whole_minutes(value: datetime) -> datetime:
    """The same moment. Local times before time zones have seconds in their offset, which ISO 8601 has not."""
    offset, minute = value.utcoffset(), timedelta(minutes=1)
    if offset is None or not offset % minute:
        return value
    whole = -(-offset // minute) * minute
    return value.replace(tzinfo=timezone(whole)) + (whole - offset)


def _special_float(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _key(key: Any) -> str:
    """Keys of a map in SQL can be of any type."""
    found = json_value(key)
    return found if isinstance(found, str) else json.dumps(found)
