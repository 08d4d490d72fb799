"""What a dynamic table is at, in a word or two."""

from __future__ import annotations

from headrace.lake.tables import Table
from headrace.model.dynamic_table import DynamicTable
from headrace.refresh.look import last_record


def state_of(table: DynamicTable, loaded: Table | None) -> str:
    if table.suspended:
        return "suspended"
    return "never refreshed" if loaded is None or last_record(loaded) is None else "active"
