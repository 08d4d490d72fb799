"""What the lake holds, as Flight SQL's metadata commands answer it: without Spark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from headrace.lake.table.object_metadata import MetadataColumn
from headrace.model.names import TableName
from headrace.server.flight.arrow_types import arrow_type
from headrace.server.flight.messages import FlightSql_pb2 as sql
from headrace.views.objects import ObjectType, SchemaView

TABLE_TYPES: Mapping[ObjectType, str] = {"table": "TABLE", "dynamic table": "DYNAMIC TABLE", "view": "VIEW"}
CATALOGS = pa.schema([pa.field("catalog_name", pa.string(), nullable=False)])
SCHEMAS = pa.schema(
    [pa.field("catalog_name", pa.string()), pa.field("db_schema_name", pa.string(), nullable=False)]
)
TYPES = pa.schema([pa.field("table_type", pa.string(), nullable=False)])
TABLES = pa.schema(
    [
        pa.field("catalog_name", pa.string()),
        pa.field("db_schema_name", pa.string()),
        pa.field("table_name", pa.string(), nullable=False),
        pa.field("table_type", pa.string(), nullable=False),
    ]
)
TABLES_WITH_COLUMNS = TABLES.append(pa.field("table_schema", pa.binary(), nullable=False))
PRIMARY_KEYS = pa.schema(
    [
        pa.field("catalog_name", pa.string()),
        pa.field("db_schema_name", pa.string()),
        pa.field("table_name", pa.string(), nullable=False),
        pa.field("column_name", pa.string(), nullable=False),
        pa.field("key_name", pa.string()),
        pa.field("key_sequence", pa.int32(), nullable=False),
    ]
)
FOREIGN_KEYS = pa.schema(
    [
        pa.field("pk_catalog_name", pa.string()),
        pa.field("pk_db_schema_name", pa.string()),
        pa.field("pk_table_name", pa.string(), nullable=False),
        pa.field("pk_column_name", pa.string(), nullable=False),
        pa.field("fk_catalog_name", pa.string()),
        pa.field("fk_db_schema_name", pa.string()),
        pa.field("fk_table_name", pa.string(), nullable=False),
        pa.field("fk_column_name", pa.string(), nullable=False),
        pa.field("key_sequence", pa.int32(), nullable=False),
        pa.field("fk_key_name", pa.string()),
        pa.field("pk_key_name", pa.string()),
        pa.field("update_rule", pa.uint8(), nullable=False),
        pa.field("delete_rule", pa.uint8(), nullable=False),
    ]
)
_OF_COLUMN = "ARROW:FLIGHT:SQL:"


class LakeObjects(Protocol):
    def schemas(self) -> list[SchemaView]: ...
    def objects(self) -> dict[TableName, ObjectType]: ...


@dataclass(frozen=True)
class ObjectTables:
    objects: LakeObjects
    columns: Callable[[], Mapping[TableName, Sequence[MetadataColumn]]]

    def catalogs(self) -> pa.Table:
        found = sorted({each.workspace for each in self.objects.schemas()})
        return pa.table([found], schema=CATALOGS)

    def schemas(self, command: sql.CommandGetDbSchemas) -> pa.Table:
        in_catalog = _exact(command, "catalog")
        is_wanted = _matching(command, "db_schema_filter_pattern")
        found = [
            {"catalog_name": each.workspace, "db_schema_name": each.schema}
            for each in sorted(self.objects.schemas(), key=lambda each: (each.workspace, each.schema))
            if in_catalog(each.workspace) and is_wanted(each.schema)
        ]
        return pa.Table.from_pylist(found, schema=SCHEMAS)

    def types(self) -> pa.Table:
        return pa.table([list(TABLE_TYPES.values())], schema=TYPES)

    def tables(self, command: sql.CommandGetTables) -> pa.Table:
        """By type and name, as clients expect them."""
        in_catalog = _exact(command, "catalog")
        is_schema = _matching(command, "db_schema_filter_pattern")
        is_table = _matching(command, "table_name_filter_pattern")
        found = sorted(
            (TABLE_TYPES[kind], name)
            for name, kind in self.objects.objects().items()
            if in_catalog(name.workspace) and is_schema(name.schema) and is_table(name.table)
        )
        wanted = [each for each in found if not command.table_types or each[0] in command.table_types]
        if not command.include_schema:
            return pa.Table.from_pylist([_row(*each) for each in wanted], schema=TABLES)
        columns = self.columns()
        rows = [
            {**_row(kind, name), "table_schema": bytes(_schema(name, columns.get(name, ())).serialize())}
            for kind, name in wanted
        ]
        return pa.Table.from_pylist(rows, schema=TABLES_WITH_COLUMNS)


def _row(kind: str, name: TableName) -> dict[str, Any]:
    return {
        "catalog_name": name.workspace,
        "db_schema_name": name.schema,
        "table_name": name.table,
        "table_type": kind,
    }


def _schema(name: TableName, columns: Iterable[MetadataColumn]) -> pa.Schema:
    return pa.schema([_field(name, column) for column in columns])


def _field(name: TableName, column: MetadataColumn) -> pa.Field:
    kind = arrow_type(column.type)
    facts = {
        "CATALOG_NAME": name.workspace,
        "SCHEMA_NAME": name.schema,
        "TABLE_NAME": name.table,
        "TYPE_NAME": column.type.upper(),
        "IS_AUTO_INCREMENT": "0",
        "IS_CASE_SENSITIVE": "0",
        "IS_SEARCHABLE": "1",
    }
    if column.comment:
        facts["REMARKS"] = column.comment
    if pa.types.is_decimal(kind):
        facts |= {"PRECISION": str(kind.precision), "SCALE": str(kind.scale)}
    metadata = {f"{_OF_COLUMN}{key}": value for key, value in facts.items()}
    return pa.field(column.name, kind, nullable=not column.is_required, metadata=metadata)


def _exact(command: Any, field: str) -> Callable[[str], bool]:
    """Of a field that is not given everything; the empty text is that of objects without a catalog."""
    if not command.HasField(field):
        return lambda _: True
    wanted = getattr(command, field)
    return lambda name: name == wanted


def _matching(command: Any, field: str) -> Callable[[str], bool]:
    """The pattern of LIKE: ``%`` and ``_``, each itself after a backslash."""
    if not command.HasField(field):
        return lambda _: True
    pattern = re.compile(_as_regex(getattr(command, field)), re.DOTALL | re.IGNORECASE)
    return lambda name: pattern.fullmatch(name) is not None


def _as_regex(like: str) -> str:
    parts = re.findall(r"\\.|.", like, re.DOTALL)
    wild = {"%": ".*", "_": "."}
    return "".join(wild.get(part) or re.escape(part[-1]) for part in parts)
