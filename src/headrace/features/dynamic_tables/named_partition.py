"""The partition that ``PARTITION (column = value, ...)`` names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.errors import DataError, Error, NotFound, Refused
from headrace.features.dynamic_tables.grammar_statements import PartitionValue
from headrace.lake.session import LakeSession
from headrace.model.dynamic_table import Column, DynamicTable
from headrace.model.partition import Partition
from headrace.model.quoting import show_identifier
from headrace.refresh.observe import load_target
from headrace.result import Result
from headrace.sql.tokens.positions import place_of

_NAMED = re.compile(r"tinyint|smallint|int|bigint|string|date|boolean|decimal\(\d+,\d+\)")
"""Types whose values can be told as text and compared exactly."""
_IDENTITY = "identity"


def named_partition(
    given: tuple[PartitionValue, ...], table: DynamicTable, text: str, context: StatementContext
) -> Partition:
    by = load_target(table, context.session.catalog).partition_columns
    columns = {column.name.lower(): column for column in table.columns}
    values: dict[str, str | None] = {}
    for each in given:
        with pointing_at(text, each.column.span):
            column = _partition_column(each, table, columns, by)
        values[column.name] = _value(each, column, text, context.lake.catalog_session)
    wanted = [name for name, transform in _in_order(table, by) if transform == _IDENTITY]
    missing = [show_identifier(name) for name in wanted if name not in values]
    if missing:
        raise Refused(
            f"PARTITION does not specify {', '.join(missing)}",
            hint=f"specify all of {', '.join(map(show_identifier, wanted))}",
            place=place_of(text, given[0].column.span.to(given[-1].literal.span)),
        )
    return Partition(tuple((name, values[name]) for name in wanted))


def _in_order(table: DynamicTable, by: Mapping[str, str]) -> list[tuple[str, str]]:
    """In that of the table's columns, which does not depend on how partitioning is written."""
    return [(column.name, by[column.name]) for column in table.columns if column.name in by]


def _partition_column(
    given: PartitionValue, table: DynamicTable, columns: Mapping[str, Column], by: Mapping[str, str]
) -> Column:
    name = show_identifier(given.column.text)
    column = columns.get(given.column.text.lower())
    if column is None:
        raise NotFound(f"{table.name} has no column {name}", hint=_partitioned(table))
    transform = by.get(column.name)
    if transform is None:
        raise Refused(f"{table.name} is not partitioned by {name}", hint=_partitioned(table))
    if transform != _IDENTITY:
        raise Refused(
            f"{table.name} is partitioned by {transform} of {name}, not by {name} itself",
            hint="PARTITION accepts only columns by which the table is partitioned without a transform",
        )
    if not _NAMED.fullmatch(column.type):
        raise Refused(
            f"partitions by {name} of type {column.type.upper()} cannot be refreshed individually",
            hint="partition by a date, a string, a whole number, a decimal or a boolean",
        )
    return column


def _partitioned(table: DynamicTable) -> str:
    if table.partitioned_by:
        return f"it is partitioned by {', '.join(table.partitioned_by)}"
    return f"it is not partitioned; REFRESH DYNAMIC TABLE {table.name} refreshes all of it"


def _value(given: PartitionValue, column: Column, text: str, session: LakeSession) -> str | None:
    """As Spark writes a value of the column's type."""
    if given.value is None:
        return None
    try:
        query = f"SELECT CAST(CAST({given.literal.text} AS {column.type}) AS STRING)"
        ((value,),) = Result(session.run(query)).fetchall()
    except Error:
        value = None
    if value is None:
        raise DataError(
            f"{given.literal.text} is not a valid {column.type.upper()}, the type of column {column.name}",
            hint="write the value as in a condition on that column",
            place=place_of(text, given.literal.span),
        )
    return str(value)
