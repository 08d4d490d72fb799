"""Which value of staged rows does not fit its column: Spark's error names neither column nor row."""

from __future__ import annotations

from headrace.errors import DataError
from headrace.ingest.cdc.changes import SourceColumn, SourceTable
from headrace.ingest.cdc.write_sql import read_expression
from headrace.lake.session import LakeSession
from headrace.model.quoting import quote_identifier

_SHOWN = 100
"""Characters of a value in a message."""


def naming_value(error: DataError, view: str, table: SourceTable, session: LakeSession) -> DataError:
    """The error, with the column and the value if one is found."""
    for column in table.columns:
        value = _unfitting(column, view, session)
        if value is not None:
            return DataError(
                f"column {column.name} of {table.full_name} has the value {value[:_SHOWN]!r},"
                f" which {column.type} cannot represent"
            )
    return error


def _unfitting(column: SourceColumn, view: str, session: LakeSession) -> str | None:
    if not column.expression.startswith("CAST("):
        return None
    name, tried = quote_identifier(column.name), f"TRY_{read_expression(column)}"
    query = f"SELECT {name} AS value FROM {view} WHERE {name} IS NOT NULL AND {tried} IS NULL LIMIT 1"
    found = session.run(query).arrow().to_pylist()
    return str(found[0]["value"]) if found else None
