"""The commands that ask for metadata: of each the columns of its answer, and how its rows are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
from google.protobuf.message import Message

from headrace.server.flight import object_tables
from headrace.server.flight.messages import FlightSql_pb2 as sql
from headrace.server.flight.object_tables import ObjectTables
from headrace.server.flight.sql_info import SQL_INFO, sql_info
from headrace.server.flight.type_info import TYPE_INFO, type_info

Answer = Callable[[Any, ObjectTables], pa.Table]


def metadata_schema(command: Message) -> pa.Schema | None:
    """None if it asks for something else."""
    if isinstance(command, sql.CommandGetTables) and command.include_schema:
        return object_tables.TABLES_WITH_COLUMNS
    found = _COMMANDS.get(type(command))
    return None if found is None else found[0]


def metadata_rows(command: Message, tables: ObjectTables) -> pa.Table | None:
    found = _COMMANDS.get(type(command))
    return None if found is None else found[1](command, tables)


def _nothing(schema: pa.Schema) -> tuple[pa.Schema, Answer]:
    """Tables have no keys."""
    return schema, lambda _, __: schema.empty_table()


_COMMANDS: Mapping[type[Message], tuple[pa.Schema, Answer]] = {
    sql.CommandGetCatalogs: (object_tables.CATALOGS, lambda _, tables: tables.catalogs()),
    sql.CommandGetDbSchemas: (object_tables.SCHEMAS, lambda asked, tables: tables.schemas(asked)),
    sql.CommandGetTables: (object_tables.TABLES, lambda asked, tables: tables.tables(asked)),
    sql.CommandGetTableTypes: (object_tables.TYPES, lambda _, tables: tables.types()),
    sql.CommandGetPrimaryKeys: _nothing(object_tables.PRIMARY_KEYS),
    sql.CommandGetImportedKeys: _nothing(object_tables.FOREIGN_KEYS),
    sql.CommandGetExportedKeys: _nothing(object_tables.FOREIGN_KEYS),
    sql.CommandGetCrossReference: _nothing(object_tables.FOREIGN_KEYS),
    sql.CommandGetSqlInfo: (SQL_INFO, lambda asked, _: sql_info(asked.info)),
    sql.CommandGetXdbcTypeInfo: (TYPE_INFO, lambda asked, _: type_info(asked)),
}
