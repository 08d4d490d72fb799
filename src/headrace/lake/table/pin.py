"""A source at one version, as SQL.

``VERSION AS OF`` reads with the schema of that snapshot, and ALTER makes no snapshot; a query was written
against the columns its sources had then. So a source whose columns moved on is read through a projection by
field id, and columns added after the query was written stay out of its ``SELECT *``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import Any

from headrace.model.names import TableName
from headrace.model.quoting import quote_identifier, quote_string

IcebergType = Any
"""A type as Iceberg writes it in JSON: a string, or an object for structs, lists and maps."""


@dataclass(frozen=True)
class Field:
    id: int
    name: str
    type: IcebergType
    initial_default: object = None
    comment: str | None = attribute(default=None, compare=False)
    is_required: bool = attribute(default=False, compare=False)


def read_fields(struct_json: str) -> tuple[Field, ...]:
    """The top-level fields of an Iceberg schema in JSON."""
    return _fields(json.loads(struct_json)["fields"])


def _fields(described: Iterable[dict[str, Any]]) -> tuple[Field, ...]:
    return tuple(
        Field(f["id"], f["name"], f["type"], f.get("initial-default"), f.get("doc"), f.get("required", False))
        for f in described
    )


def pinned(
    name: TableName,
    snapshot_id: int | None,
    written: tuple[Field, ...],
    current: tuple[Field, ...],
    wanted: Sequence[str],
    metadata: Sequence[str] = (),
) -> str:
    """SQL of the table at a snapshot: a name with a version where that is exact, else a subquery.

    ``written`` is the schema that reading it gives, ``current`` the one the table had when the query saw it,
    ``wanted`` the columns the query knows; ``metadata`` are numbers of Iceberg's own that can be read, too.
    """
    kept = [field for column in wanted for field in current if field.name.lower() == column.lower()]
    if snapshot_id is None and written != current:
        typed = [*((field.name, sql_type(field.type)) for field in kept), *((m, "bigint") for m in metadata)]
        columns = ", ".join(f"CAST(NULL AS {kind}) AS {quote_identifier(column)}" for column, kind in typed)
        return f"(SELECT {columns} WHERE false)"
    if snapshot_id is None:
        columns = ", ".join([*(quote_identifier(field.name) for field in kept), *metadata])
        return f"(SELECT {columns} FROM {name.sql} WHERE false)"
    at_version = f"{name.sql} VERSION AS OF {snapshot_id}"
    if written == current and [field.name for field in current] == [field.name for field in kept]:
        return at_version
    old = {field.id: field for field in written}
    carried = [f"{_carried(field, old)} AS {quote_identifier(field.name)}" for field in kept]
    columns = ", ".join([*carried, *metadata])
    return f"(SELECT {columns} FROM {at_version})"


def is_subquery(pinned_sql: str) -> bool:
    return pinned_sql.startswith("(")


def lost_columns(current: tuple[Field, ...], wanted: Sequence[str]) -> list[str]:
    """Those that the query knows and the table no longer has under that name."""
    present = {field.name.lower() for field in current}
    return [column for column in wanted if column.lower() not in present]


def _carried(field: Field, old: dict[int, Field]) -> str:
    if field.id not in old:
        return f"CAST({_literal(field)} AS {sql_type(field.type)})"
    before = old[field.id]
    return _converted(quote_identifier(before.name), before.type, field.type)


def _converted(expression: str, before: IcebergType, after: IcebergType) -> str:
    """``expression`` of type ``before`` as type ``after``, struct fields followed by their ids."""
    if before == after:
        return expression
    match after:
        case {"type": "struct"}:
            return f"IF({expression} IS NULL, NULL, {_rebuilt_struct(expression, before, after)})"
        case {"type": "list"}:
            element = _converted("x", before["element"], after["element"])
            return f"transform({expression}, x -> {element})"
        case {"type": "map"}:
            key = _converted("k", before["key"], after["key"])
            value = _converted("v", before["value"], after["value"])
            return f"transform_keys(transform_values({expression}, (k, v) -> {value}), (k, v) -> {key})"
    return f"CAST({expression} AS {sql_type(after)})"


def _rebuilt_struct(expression: str, before: IcebergType, after: IcebergType) -> str:
    old = {field.id: field for field in _fields(before["fields"])}
    parts = []
    for field in _fields(after["fields"]):
        if field.id in old:
            inner = f"{expression}.{quote_identifier(old[field.id].name)}"
            value = _converted(inner, old[field.id].type, field.type)
        else:
            value = f"CAST({_literal(field)} AS {sql_type(field.type)})"
        parts.append(f"{quote_string(field.name)}, {value}")
    return f"named_struct({', '.join(parts)})"


def _literal(field: Field) -> str:
    match field.initial_default:
        case None:
            return "NULL"
        case bool() as flag:
            return str(flag).lower()
        case int() | float() as number:
            return str(number)
        case str() as digits if str(field.type).startswith(("binary", "fixed")):
            return f"X'{digits}'"
        case value:
            return quote_string(str(value))


_SPARK_NAMES = {
    "long": "bigint",
    "timestamptz": "timestamp",
    "timestamp": "timestamp_ntz",
    "uuid": "string",
}


def sql_type(described: IcebergType) -> str:
    """The Spark SQL name of an Iceberg type."""
    match described:
        case {"type": "struct", "fields": fields}:
            inner = ", ".join(f"{quote_identifier(f['name'])}: {sql_type(f['type'])}" for f in fields)
            return f"struct<{inner}>"
        case {"type": "list", "element": element}:
            return f"array<{sql_type(element)}>"
        case {"type": "map", "key": key, "value": value}:
            return f"map<{sql_type(key)}, {sql_type(value)}>"
        case str() as name if name.startswith("fixed"):
            return "binary"
        case str() as name:
            return _SPARK_NAMES.get(name, name.replace(" ", ""))
    raise ValueError(f"not an Iceberg type: {described!r}")
