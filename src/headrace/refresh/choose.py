"""Which mode the next refresh has, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from headrace.model.dynamic_table import Definition, RequestedMode
from headrace.model.history import RefreshMode
from headrace.model.names import TableName
from headrace.model.partition import Partition
from headrace.model.quoting import quote_string
from headrace.model.version import TableVersion, version_change
from headrace.refresh.record import RefreshRecord

WAITS = "waits for the next change in a source, or for REFRESH DYNAMIC TABLE ... FULL"
"""What a definition does that is newer than the rows."""


@dataclass(frozen=True)
class SourceState:
    version: TableVersion | None
    """None: the source is not there."""
    changed: bool
    """Whether a row may differ from what the last refresh recorded."""
    note: str | None = None
    """Why it counts as absent."""
    only_altered: bool = False
    """It counts as changed for its columns alone."""


@dataclass(frozen=True)
class Decision:
    mode: RefreshMode
    reason: str
    waits: bool = False
    """Whether a new definition has not taken effect yet."""


def choose(
    definition: Definition,
    requested: RequestedMode,
    record: RefreshRecord | None,
    sources: Mapping[TableName, SourceState],
    today: date,
    *,
    full_demanded: bool,
    as_recorded: bool = True,
    reshaped: bool = False,
    arguments: Mapping[str, str] | None = None,
    partition: Partition | None = None,
) -> Decision:
    """INCREMENTAL where nothing speaks for another mode; whether it is possible is found by trying.

    ``reshaped`` is a table whose columns were replaced after what the record says. ``partition`` is what is
    to be refreshed, and what the record is about; None for the whole table.
    """
    absent = [f"{name} {state.note}" for name, state in sources.items() if state.version is None]
    if absent:
        return Decision(RefreshMode.NO_DATA, f"{'; '.join(absent)}: the rows stay as they are")
    if full_demanded:
        return Decision(RefreshMode.FULL, "FULL was requested")
    if record is None:
        of = "" if partition is None else f" of partition ({partition})"
        return Decision(RefreshMode.FULL, f"first refresh{of}")
    if record.partition is not None and partition is None:
        reason = f"the last refresh covered only partition ({record.partition})"
        return Decision(RefreshMode.FULL, reason)
    if record.fingerprint != definition.fingerprint or reshaped:
        return _redefined(definition, record, sources, today, as_recorded=as_recorded)
    if not as_recorded:
        return Decision(RefreshMode.FULL, "the table did not match the record of its last refresh")
    if differing := _differing(record.arguments, arguments or {}):
        return Decision(RefreshMode.FULL, differing)
    changed = [name for name, state in sources.items() if state.changed]
    if definition.uses_current_date and record.current_date != today:
        return Decision(RefreshMode.FULL, f"current_date is now {today}")
    if not changed:
        return Decision(RefreshMode.NO_DATA, "no source changed")
    moves = ", ".join(
        f"{name} {version_change(record.versions.get(name), sources[name].version)}" for name in changed
    )
    if requested is RequestedMode.FULL:
        return Decision(RefreshMode.FULL, f"REFRESH_MODE = FULL: changed since the last refresh: {moves}")
    return Decision(RefreshMode.INCREMENTAL, f"changed since the last refresh: {moves}")


def _differing(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Which arguments are others than at the last refresh."""
    return "; ".join(
        f"parameter {name} changed from {quote_string(before[name])} to {quote_string(value)}"
        if name in before
        else f"parameter {name} was added with the value {quote_string(value)}"
        for name, value in now.items()
        if before.get(name) != value
    )


def _redefined(
    definition: Definition,
    record: RefreshRecord,
    sources: Mapping[TableName, SourceState],
    today: date,
    *,
    as_recorded: bool,
) -> Decision:
    """A new definition takes effect when there is something to refresh."""
    has_changed = any(state.changed and not state.only_altered for state in sources.values())
    has_new_date = definition.uses_current_date and record.current_date not in (None, today)
    if has_changed or has_new_date or not as_recorded:
        return Decision(RefreshMode.FULL, "the definition changed")
    return Decision(RefreshMode.NO_DATA, f"the new definition {WAITS}", waits=True)
