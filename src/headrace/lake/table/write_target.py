"""A table as whoever writes rows into it needs it, read off its metadata file without the JVM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from headrace.errors import LakeDamaged, NotSupportedError
from headrace.lake.table.metadata_files import content_of
from headrace.lake.table.pin import sql_type
from headrace.model.arrow_rows import FIELD_ID
from headrace.model.client_positions import STREAM_KEY, ClientPositions

_PLAIN: Mapping[str, pa.DataType] = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", tz="UTC"),
    "string": pa.string(),
    "binary": pa.binary(),
}


@dataclass(frozen=True)
class WriteTarget:
    uuid: str
    schema: pa.Schema
    """Each field has the id of its column."""
    identifiers: tuple[int, ...]
    """The columns that identify a row, where the table says so."""
    properties: Mapping[str, str]
    positions: ClientPositions
    """Of the clients whose rows are committed."""


def table_uuid(location: str) -> str | None:
    """None: its metadata cannot be read."""
    content = _content(location)
    return None if content is None else str(content["table-uuid"])


def read_write_target(location: str) -> WriteTarget:
    content = _content(location)
    if content is None:
        raise LakeDamaged(f"the metadata of the table cannot be read: {location}")
    schema = next(each for each in content["schemas"] if each["schema-id"] == content["current-schema-id"])
    return WriteTarget(
        str(content["table-uuid"]),
        pa.schema([_field(each) for each in schema["fields"]]),
        tuple(schema.get("identifier-field-ids", ())),
        dict(content.get("properties", {})),
        ClientPositions.from_json(position_in(content, STREAM_KEY)),
    )


def _content(location: str) -> Mapping[str, Any] | None:
    try:
        return content_of(location)
    except (ValueError, EOFError):
        return None


def position_in(content: Mapping[str, Any], key: str) -> str | None:
    """How far a source was read into the table: the same rule as in ``SourcePosition.java``."""
    snapshots = {each["snapshot-id"]: each for each in content.get("snapshots", ())}
    oldest = None
    at = snapshots.get(content.get("current-snapshot-id"))
    while at is not None:
        if (found := at["summary"].get(key)) is not None:
            return str(found)
        oldest, at = at, snapshots.get(at.get("parent-snapshot-id"))
    if oldest is None or oldest.get("parent-snapshot-id") is None:
        return None
    kept = content.get("properties", {}).get(key)
    if kept is None:
        return None
    sequence, _, position = kept.partition(" ")
    if int(sequence) >= oldest.get("sequence-number", 0):
        raise LakeDamaged("the position of this version of the table is lost")
    return str(position)


def _field(described: Mapping[str, Any]) -> pa.Field:
    return pa.field(
        described["name"],
        _type(described["type"], described["name"]),
        nullable=not described["required"],
        metadata={FIELD_ID: str(described["id"])},
    )


def _type(described: Any, column: str) -> pa.DataType:
    if isinstance(described, str):
        if described in _PLAIN:
            return _PLAIN[described]
        if described.startswith("decimal("):
            precision, scale = described[len("decimal(") : -1].split(",")
            return pa.decimal128(int(precision), int(scale))
        raise NotSupportedError(
            f"column {column} is {sql_type(described)}, which a stream writer cannot write",
            hint="use INSERT",
        )
    match described["type"]:
        case "struct":
            return pa.struct([_field(each) for each in described["fields"]])
        case "list":
            required = described["element-required"]
            return pa.list_(pa.field("element", _type(described["element"], column), nullable=not required))
        case "map":
            value = pa.field(
                "value", _type(described["value"], column), nullable=not described["value-required"]
            )
            return pa.map_(pa.field("key", _type(described["key"], column), nullable=False), value)
    raise LakeDamaged(f"column {column} has the unknown type {described['type']!r}")
