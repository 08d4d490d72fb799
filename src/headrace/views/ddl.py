"""Statements that create what exists."""

from __future__ import annotations

from collections.abc import Mapping

from headrace.lake.table.object_metadata import MetadataColumn, TableMetadata, ViewMetadata
from headrace.lake.table_defaults import TABLE_DEFAULTS
from headrace.model.dynamic_table import DynamicTable, RequestedMode
from headrace.model.names import TableName
from headrace.model.quoting import quote_string, show_identifier

_RESERVED = frozenset({"comment", "owner", "location", "provider", "format", "uuid"})
"""What is not given as a property."""
_ADDED = ("headrace.", "spark.", "write.parquet.compression-codec", "queryColumnNames", "engine_version")
"""First words of properties that Headrace, Spark and Iceberg add."""


def create_statement(table: DynamicTable, query: str) -> str:
    """A statement that creates a dynamic table again."""
    lines = [f"CREATE DYNAMIC TABLE {table.name}", f"({_named_columns(table)})"]
    if table.partitioned_by:
        lines.append(f"PARTITIONED BY ({', '.join(table.partitioned_by)})")
    if table.clustered_by:
        lines.append(f"CLUSTERED BY ({', '.join(table.clustered_by)})")
    if table.comment is not None:
        lines.append(f"COMMENT {quote_string(table.comment)}")
    if table.properties:
        lines.append(f"PROPERTIES ({_listed(table.properties)})")
    lines += _refresh_clause(table)
    if table.mode is not RequestedMode.AUTO:
        lines.append(f"REFRESH_MODE = {table.mode}")
    return "\n".join([*lines, "AS", query])


def create_table_statement(name: TableName, table: TableMetadata) -> str:
    columns = ",\n  ".join(map(_column, table.columns))
    lines = [f"CREATE TABLE {name} (\n  {columns}\n)"]
    if table.partitioned_by:
        lines.append(f"PARTITIONED BY ({', '.join(table.partitioned_by)})")
    if "comment" in table.properties:
        lines.append(f"COMMENT {quote_string(table.properties['comment'])}")
    if own := user_properties(table.properties):
        lines.append(f"TBLPROPERTIES ({_listed(own)})")
    return "\n".join(lines)


def create_view_statement(name: TableName, view: ViewMetadata) -> str:
    return f"CREATE VIEW {name} AS\n{view.sql}"


def user_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """Without those that every table has."""
    return {
        key: value
        for key, value in properties.items()
        if key not in _RESERVED and not key.startswith(_ADDED) and TABLE_DEFAULTS.get(key) != value
    }


def _column(column: MetadataColumn) -> str:
    required = " NOT NULL" if column.is_required else ""
    comment = "" if column.comment is None else f" COMMENT {quote_string(column.comment)}"
    return f"{show_identifier(column.name)} {column.type}{required}{comment}"


def _listed(properties: Mapping[str, str]) -> str:
    return ", ".join(
        f"{quote_string(key)} = {quote_string(value)}" for key, value in sorted(properties.items())
    )


def _named_columns(table: DynamicTable) -> str:
    return ", ".join(
        show_identifier(column.name)
        + ("" if column.comment is None else f" COMMENT {quote_string(column.comment)}")
        for column in table.columns
    )


def _refresh_clause(table: DynamicTable) -> list[str]:
    schedule = table.schedule
    words = []
    if schedule.start_at is not None:
        words.append(f"START WITH TIMESTAMP '{schedule.start_at.isoformat(sep=' ')}'")
    if schedule.interval_seconds is not None:
        words.append(f"INTERVAL {_interval(schedule.interval_seconds)}")
    return [" ".join(["REFRESH", *words, f"VCLUSTER {show_identifier(table.cluster)}"])]


def _interval(seconds: int) -> str:
    for unit, length in (("DAY", 86_400), ("HOUR", 3_600), ("MINUTE", 60)):
        if seconds % length == 0:
            return f"{seconds // length} {unit}"
    return f"{seconds} SECOND"
