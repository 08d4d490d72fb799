"""Brings an Iceberg table in line with the dynamic table whose rows it holds, in one commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headrace.lake.session import LakeSession
from headrace.lake.spark.spark_errors import spark_errors
from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import Column, DynamicTable
from headrace.sql.parsing.properties import RETENTION
from headrace.sql.queries.hiding import is_hidden

QUERY = "headrace.query"
"""Table property that shows other engines the query."""
_COMMENT = "comment"
_ICEBERG_PREFIXES = ("write.", "read.", "commit.")
"""Of properties that steer Iceberg; the others are the user's own notes."""


def iceberg_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """Those that the Iceberg table has, too."""
    return {
        key: value
        for key, value in properties.items()
        if key == RETENTION or key.startswith(_ICEBERG_PREFIXES)
    }


def bring_in_line(table: DynamicTable, session: LakeSession) -> None:
    """Columns come, read NULL and stand as in the definition; others go, except hidden ones.

    Done again, it changes nothing.
    """
    with spark_errors():
        changes = _changes(table, session)
        if not changes:
            return
        spark: Any = session.spark
        catalog = spark._jsparkSession.sessionState().catalogManager().catalog(table.name.workspace)
        schema = _strings(session, table.name.schema)
        identifier = spark._jvm.org.apache.spark.sql.connector.catalog.Identifier.of(schema, table.name.table)
        catalog.alterTable(identifier, _array(session, _table_change(session), changes))


def is_in_line(table: DynamicTable, session: LakeSession) -> bool:
    with spark_errors():
        return not _changes(table, session)


def _changes(table: DynamicTable, session: LakeSession) -> list[Any]:
    stored = session.catalog.existing_table(table.name)
    return [
        *_columns(table, stored, session),
        *_comments(table, stored, session),
        *_properties(table, stored, session),
    ]


def _added(table: DynamicTable, stored: Table) -> list[Column]:
    present = {name.lower() for name in stored.columns}
    return [column for column in table.columns if column.name.lower() not in present]


def _removed(table: DynamicTable, stored: Table) -> list[str]:
    wanted = {column.name.lower() for column in table.columns}
    return [name for name in stored.columns if name.lower() not in wanted and not is_hidden(name)]


def _columns(table: DynamicTable, stored: Table, session: LakeSession) -> Iterator[Any]:
    change = _table_change(session)
    positions = change.ColumnPosition
    parser: Any = session.spark._jsparkSession.sessionState().sqlParser()
    names = [column.name for column in table.columns]
    for column in _added(table, stored):
        place = names.index(column.name)
        position = positions.after(names[place - 1]) if place else positions.first()
        kind = parser.parseDataType(column.type)
        yield change.addColumn(_strings(session, column.name), kind, True, column.comment, position, None)
    for name in _removed(table, stored):
        yield change.deleteColumn(_strings(session, name), True)


def _comments(table: DynamicTable, stored: Table, session: LakeSession) -> Iterator[Any]:
    schema = stored.java.schema()
    for column in table.columns:
        field = schema.caseInsensitiveFindField(column.name)
        if field is not None and (field.doc() or "") != (column.comment or ""):
            names = _strings(session, field.name())
            yield _table_change(session).updateColumnComment(names, column.comment or "")


def _properties(table: DynamicTable, stored: Table, session: LakeSession) -> Iterator[Any]:
    wanted = iceberg_properties(table.properties) | {
        _COMMENT: table.comment or "",
        QUERY: table.definition.query,
    }
    for key, value in wanted.items():
        if stored.properties.get(key, "" if key == _COMMENT else None) != value:
            yield _table_change(session).setProperty(key, value)


def _table_change(session: LakeSession) -> Any:
    jvm: Any = session.spark._jvm
    return jvm.org.apache.spark.sql.connector.catalog.TableChange


def _strings(session: LakeSession, *words: str) -> Any:
    jvm: Any = session.spark._jvm
    return _array(session, jvm.java.lang.String, words)


def _array(session: LakeSession, kind: Any, values: Iterable[Any]) -> Any:
    given = list(values)
    gateway: Any = session.spark.sparkContext._gateway
    array = gateway.new_array(kind, len(given))
    for place, value in enumerate(given):
        array[place] = value
    return array
