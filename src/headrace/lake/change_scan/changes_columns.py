"""Whether rows of an older schema can be told as rows of the current one."""

from __future__ import annotations

from typing import Any

from headrace.lake.table.pin import Field, IcebergType, sql_type
from headrace.model.names import TableName

_WITHOUT_EFFECT = {
    "doc",
    "required",
    "element-required",
    "value-required",
    "initial-default",
    "write-default",
}
"""Of a nested field: they change no value that was ever written."""


def lost_column(table: TableName, before: tuple[Field, ...], now: tuple[Field, ...]) -> str | None:
    """In words, the first column that was dropped or got another type; added and renamed ones do no harm."""
    current = {field.id: field for field in now}
    for field in before:
        kept = current.get(field.id)
        if kept is None:
            return f"column {field.name} of {table} was dropped"
        if _shape(kept.type) != _shape(field.type):
            change = f"from {sql_type(field.type)} to {sql_type(kept.type)}"
            return f"column {field.name} of {table} changed its type {change}"
    return None


def _shape(described: IcebergType) -> Any:
    match described:
        case dict():
            return {key: _shape(part) for key, part in described.items() if key not in _WITHOUT_EFFECT}
        case list():
            return [_shape(part) for part in described]
    return described
