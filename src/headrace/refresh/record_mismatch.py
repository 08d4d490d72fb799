"""A table that does not hold what its last refresh recorded: a merge finds out, recomputation puts it right.

The table itself remembers it, by the id of that refresh, until another refresh is recorded.
"""

from __future__ import annotations

from headrace.errors import Error, LakeDamaged
from headrace.lake.table.tables import Table
from headrace.refresh.record import RefreshRecord

PREFIX = "headrace: "
"""Of what a merge says when a row is not as it must be."""
NOT_AS_RECORDED = "headrace.not-as-recorded"


def mismatch_error(error: Error) -> LakeDamaged | None:
    """What to tell the user where ``error`` comes from a merge that did not find what it must find."""
    if not error.message.startswith(PREFIX):
        return None
    found = error.message.removeprefix(PREFIX)
    return LakeDamaged(
        f"the table did not match the record of its last refresh: {found}",
        hint="the next refresh recomputes it",
    )


def remember_mismatch(table: Table, record: RefreshRecord) -> None:
    table.set_property(NOT_AS_RECORDED, record.refresh_id)


def has_mismatch(table: Table, record: RefreshRecord | None) -> bool:
    return record is not None and table.properties.get(NOT_AS_RECORDED) == record.refresh_id
