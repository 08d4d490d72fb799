"""Views as Arrow tables, which SHOW, DESC and information_schema return: a column for each field."""

from __future__ import annotations

import json
import types
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

import pyarrow as pa

T = TypeVar("T")

Milliseconds = Annotated[datetime, "ms"]
"""A timestamp that has no more digits; others have microseconds."""

_SCALARS: tuple[tuple[type, pa.DataType], ...] = (
    (bool, pa.bool_()),
    (int, pa.int64()),
    (float, pa.float64()),
    (str, pa.string()),
    (timedelta, pa.duration("us")),
)


def to_arrow(view: type[T], rows: Iterable[T], zone: ZoneInfo) -> pa.Table:
    """Timestamps are shown in ``zone``, the lake's."""
    schema, listed = pa.schema(_fields(view, zone.key)), list(rows)
    columns = [
        _column([getattr(row, name) for row in listed], schema.field(name).type) for name in schema.names
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _fields(view: Any, zone: str) -> list[pa.Field]:
    hints = get_type_hints(view, include_extras=True)
    return [pa.field(each.name, _type(hints[each.name], zone)) for each in fields(view)]


def _type(hint: Any, zone: str) -> pa.DataType:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return pa.timestamp(arguments[1], tz=zone)
    if origin in (Union, types.UnionType):
        (inner,) = (each for each in arguments if each is not types.NoneType)
        return _type(inner, zone)
    if origin is tuple:
        return pa.list_(_type(arguments[0], zone))
    if origin is Literal or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return pa.string()
    return _class_type(hint, zone)


def _class_type(hint: type[Any], zone: str) -> pa.DataType:
    if is_dataclass(hint):
        return pa.struct(_fields(hint, zone))
    if issubclass(hint, datetime):
        return pa.timestamp("us", tz=zone)
    if issubclass(hint, date):
        return pa.date32()
    return next(arrow for kind, arrow in _SCALARS if issubclass(hint, kind))


def _column(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Numbers and times need no conversion, which most columns are spared."""
    if pa.types.is_nested(kind) or pa.types.is_string(kind):
        values = [_cell(value) for value in values]
    return pa.array(values, kind)


def _cell(value: Any) -> Any:
    """A mapping is JSON text: its keys are no columns."""
    if value is None or type(value) is str:
        return value
    match value:
        case Enum():
            return value.value
        case Mapping():
            return json.dumps(dict(value))
        case tuple():
            return [_cell(item) for item in value]
    if is_dataclass(value):
        return {each.name: _cell(getattr(value, each.name)) for each in fields(value)}
    return value
