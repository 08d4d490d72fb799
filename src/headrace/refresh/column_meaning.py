"""Whether the names in a query mean the same columns as at the last refresh.

A query means columns by name, and the change scan follows them by field id. ALTER TABLE ... RENAME COLUMN and
ADD COLUMN can give a name to another field without writing a row. The rows of the table were computed by the
old meaning, so their change cannot be computed by the new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from headrace.lake.table.pin import Field
from headrace.lake.table.tables import Table
from headrace.model.dynamic_table import Definition
from headrace.model.names import TableName
from headrace.model.version import TableVersion
from headrace.sql.queries.column_use import reads_column

Fields = tuple[Field, ...]


def changed_meaning(
    definition: Definition, before: Mapping[TableName, TableVersion], tables: Mapping[TableName, Table]
) -> str | None:
    """In words, the first column that the query reads and whose name means another field by now."""
    fields = {name: table.fields for name, table in tables.items()}
    recorded = {name: fields_before(tables[name], before.get(name)) or now for name, now in fields.items()}
    return reassigned_column(definition, recorded, fields)


def fields_before(table: Table, version: TableVersion | None) -> Fields | None:
    """None where the recorded schema is of another table, or no longer known."""
    if version is None or version.uuid != table.version.uuid:
        return None
    is_current = version.schema_id == table.version.schema_id
    return table.fields if is_current else table.fields_of(version.schema_id)


def reassigned_column(
    definition: Definition, before: Mapping[TableName, Fields], now: Mapping[TableName, Fields]
) -> str | None:
    """A name that has come or gone counts where the query reads it under one of the two schemas."""
    found = [
        (source.name, column)
        for source in definition.sources
        for column in reassigned(source.columns, before[source.name], now[source.name])
    ]
    schemas = [_known(definition, fields) for fields in (before, now)] if found else []
    for name, column in found:
        if any(reads_column(definition.expanded, schema, name, column) for schema in schemas):
            return (
                f"column {column} of {name} is another column than at the last refresh: "
                "columns were renamed, or a new one has the old name"
            )
    return None


def reassigned(columns: Iterable[str], before: Fields, now: Fields) -> list[str]:
    """Of the given names those that mean another field, or that one of the two schemas does not have."""
    if before == now:
        return []
    then, present = ({field.name.lower(): field.id for field in fields} for fields in (before, now))
    return [column for column in columns if then.get(column.lower()) != present.get(column.lower())]


def _known(definition: Definition, fields_of: Mapping[TableName, Fields]) -> dict[TableName, tuple[str, ...]]:
    """The columns that the query knows and that its sources have."""
    present = {name: {field.name.lower() for field in fields} for name, fields in fields_of.items()}
    return {
        source.name: tuple(c for c in source.columns if c.lower() in present[source.name])
        for source in definition.sources
    }
