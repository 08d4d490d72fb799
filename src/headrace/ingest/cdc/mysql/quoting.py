"""Names and texts in statements of MySQL."""

from __future__ import annotations

from headrace.ingest.cdc.changes import SourceTable


def quote_name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def quote_table(table: SourceTable) -> str:
    return f"{quote_name(table.schema)}.{quote_name(table.name)}"
