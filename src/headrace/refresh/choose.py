"""Which mode the next refresh has, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from headrace.model.dynamic_table import Definition, RequestedMode
from headrace.model.history import RefreshMode
from headrace.model.names import TableName
from headrace.model.version import TableVersion
from headrace.refresh.record import RefreshRecord


@dataclass(frozen=True)
class SourceState:
    version: TableVersion | None
    """None: the source is not there."""
    changed: bool
    """Whether a row may differ from what the last refresh recorded."""
    note: str | None = None
    """Why it counts as absent."""


@dataclass(frozen=True)
class Decision:
    mode: RefreshMode
    reason: str


def choose(
    definition: Definition,
    requested: RequestedMode,
    record: RefreshRecord | None,
    sources: Mapping[TableName, SourceState],
    today: date,
    *,
    full_demanded: bool,
    as_recorded: bool = True,
) -> Decision:
    """INCREMENTAL where nothing speaks for another mode; whether it is possible is found by trying."""
    absent = [f"{name} {state.note}" for name, state in sources.items() if state.version is None]
    if absent:
        return Decision(RefreshMode.NO_DATA, f"{'; '.join(absent)}: the rows stay as they are")
    if full_demanded:
        return Decision(RefreshMode.FULL, "FULL was asked for")
    if record is None:
        return Decision(RefreshMode.FULL, "first refresh")
    if record.fingerprint != definition.fingerprint:
        return Decision(RefreshMode.FULL, "the definition changed")
    if not as_recorded:
        return Decision(RefreshMode.FULL, "the table did not hold what its last refresh recorded")
    changed = [name for name, state in sources.items() if state.changed]
    if definition.uses_current_date and record.current_date != today:
        return Decision(RefreshMode.FULL, f"current_date is now {today}")
    if not changed:
        return Decision(RefreshMode.NO_DATA, "no source changed")
    moves = ", ".join(
        f"{name} {record.versions.get(name, 'unknown')} -> {sources[name].version}" for name in changed
    )
    if requested is RequestedMode.FULL:
        return Decision(RefreshMode.FULL, f"REFRESH_MODE = FULL: changed since the last refresh: {moves}")
    return Decision(RefreshMode.INCREMENTAL, f"changed since the last refresh: {moves}")
