"""Which options CREATE OR REPLACE DYNAMIC TABLE leaves as they are, and which ones it changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from headrace.features.dynamic_tables.grammar_clauses import show_interval
from headrace.features.dynamic_tables.grammar_statements import CreateDynamicTable
from headrace.features.dynamic_tables.options import property_key
from headrace.model.dynamic_table import DynamicTable
from headrace.model.quoting import quote_string


def with_options_of(
    existing: DynamicTable, wanted: DynamicTable, statement: CreateDynamicTable
) -> DynamicTable:
    """Properties, comment, cluster and mode stay unless the statement names them.

    A schedule that is left out is no schedule: there is no other way to take one away.
    """
    named = {property_key(key): value for key, value in statement.properties.items()}
    return replace(
        wanted,
        properties={**existing.properties, **named},
        comment=existing.comment if statement.comment is None else statement.comment,
        cluster=existing.cluster if statement.cluster is None else wanted.cluster,
        mode=wanted.mode if "REFRESH_MODE" in statement.places else existing.mode,
    )


def option_notices(existing: DynamicTable, wanted: DynamicTable) -> tuple[str, ...]:
    return tuple(
        f"{option} of {existing.name} changes from {before} to {after}"
        for option, before, after in _options(existing, wanted)
        if before != after
    )


def _options(existing: DynamicTable, wanted: DynamicTable) -> Iterator[tuple[str, str, str]]:
    before, after = existing.schedule, wanted.schedule
    yield "the refresh interval", _interval(before.interval_seconds), _interval(after.interval_seconds)
    yield "the start of the schedule", str(before.start_at or "none"), str(after.start_at or "none")
    yield "the virtual cluster", existing.cluster, wanted.cluster
    yield "the refresh mode", str(existing.mode), str(wanted.mode)
    yield "the comment", _text(existing.comment), _text(wanted.comment)
    for key in sorted(existing.properties.keys() | wanted.properties.keys()):
        yield f"the property {key}", _text(existing.properties.get(key)), _text(wanted.properties.get(key))


def _text(value: str | None) -> str:
    return "none" if value is None else quote_string(value)


def _interval(seconds: int | None) -> str:
    return "none" if seconds is None else show_interval(seconds)
