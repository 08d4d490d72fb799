"""Dynamic tables that exist on paper alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from headrace.model.dynamic_table import Definition, DynamicTable, Schedule, Source
from headrace.model.names import TableName

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)


def named(name: str) -> TableName:
    return TableName("lake", "public", name)


def dynamic(
    name: str,
    *sources: str,
    interval: int | None = 60,
    start_at: datetime | None = None,
    suspended: bool = False,
    created: datetime = NOON,
) -> DynamicTable:
    reads = tuple(Source(named(source), ("a",)) for source in sources)
    query = f"SELECT a FROM {', '.join(sources) or 'nothing'}"
    return DynamicTable(
        id=f"id-{name}",
        name=named(name),
        definition=Definition(query, query, query, reads),
        columns=(),
        creator="someone",
        created_at=created,
        modified_at=created,
        schedule=Schedule(interval, start_at),
        suspended=suspended,
    )


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)
