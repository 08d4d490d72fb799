"""What state a dynamic table is in, and why. Pure: from definitions, histories and outcomes of refreshes.

This is the one place that decides it: for SHOW DYNAMIC TABLES, DESC, the API, metrics, the graph and alerts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from headrace.errors import OperationalError
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import Outcome
from headrace.model.names import TableName
from headrace.model.table_history import TableHistory
from headrace.refresh.choose import WAITS
from headrace.refresh.lag import HistoryOf, Lags, record_in
from headrace.refresh.record import contains_refresh


class TableState(StrEnum):
    ACTIVE = "active"
    FAILING = "failing"
    SUSPENDED = "suspended"
    WAITING_FOR_SOURCE = "waiting for a source"
    WAITING_FOR_DATA = "waiting for data"
    NEVER_REFRESHED = "never refreshed"
    UNREADABLE = "unreadable"


_BEHIND = (
    TableState.FAILING,
    TableState.SUSPENDED,
    TableState.WAITING_FOR_SOURCE,
    TableState.NEVER_REFRESHED,
    TableState.UNREADABLE,
)
"""States in which a table does not follow its sources."""


@dataclass(frozen=True)
class Condition:
    state: TableState
    reason: str | None
    """Why it is in that state; of an active one, which table upstream does not follow its sources."""
    consecutive_failures: int
    last_success: datetime | None
    lag: timedelta | None
    """Age of the oldest change upstream that it does not contain; None where that is not known."""


@dataclass(frozen=True)
class LakeState:
    tables: Mapping[TableName, DynamicTable]
    """All dynamic tables of the lake."""
    outcomes: Mapping[str, Outcome]
    """By the table's id."""
    exists: Callable[[TableName], bool]
    history_of: HistoryOf


def conditions(
    lake: LakeState, now: datetime, wanted: Iterable[TableName] | None = None
) -> dict[TableName, Condition]:
    """Of the wanted tables; without any given, of all."""
    found = _Conditions(lake, now)
    return {name: found.of(name) for name in (lake.tables if wanted is None else wanted)}


class _Conditions:
    def __init__(self, lake: LakeState, now: datetime) -> None:
        self._lake = lake
        self._now = now
        self._lags = Lags(lake.tables, lake.history_of)
        self._found: dict[TableName, Condition] = {}

    def of(self, name: TableName) -> Condition:
        """A table that cannot be read keeps none of the others from being shown."""
        if name not in self._found:
            table = self._lake.tables[name]
            try:
                self._found[name] = self._condition(table)
            except OperationalError as error:
                self._found[name] = _unreadable(self._outcome(table), error.message)
        return self._found[name]

    def _outcome(self, table: DynamicTable) -> Outcome:
        return self._lake.outcomes.get(table.id, Outcome())

    def _condition(self, table: DynamicTable) -> Condition:
        outcome = self._outcome(table)
        history = self._lake.history_of(table.name)
        state, reason = self._state(table, outcome, history)
        return Condition(
            state,
            reason,
            outcome.consecutive_failures,
            outcome.last_success or _last_commit(history),
            self._lags.lag(table, self._now),
        )

    def _state(
        self, table: DynamicTable, outcome: Outcome, history: TableHistory | None
    ) -> tuple[TableState, str | None]:
        if not self._lake.exists(table.name):
            return TableState.UNREADABLE, "its Iceberg table does not exist: drop it and create it again"
        if table.suspended:
            return TableState.SUSPENDED, _why_suspended(outcome)
        if absent := [
            why for source in table.definition.sources if (why := self._absent(source.name, history))
        ]:
            return TableState.WAITING_FOR_SOURCE, "; ".join(absent)
        if outcome.last_failure is not None:
            return TableState.FAILING, _first_line(outcome.last_failure.error_message)
        if _never_refreshed(history, outcome):
            return TableState.NEVER_REFRESHED, "no refresh has succeeded yet"
        if history is not None and not contains_refresh(history.newest_bookkeeping):
            return TableState.ACTIVE, "another program has written to it: the next refresh recomputes it"
        if history is not None and self._waits_for_data(table, history):
            return TableState.WAITING_FOR_DATA, f"the new definition {WAITS}"
        return TableState.ACTIVE, self._stale_source(table)

    def _absent(self, name: TableName, reader: TableHistory | None) -> str | None:
        """Why a source counts as absent; one that was created anew does until it is refreshed."""
        if not self._lake.exists(name):
            return f"{name} does not exist"
        record = record_in(reader, reader.version) if reader is not None else None
        recorded = record.versions.get(name) if record is not None else None
        source = self._lake.history_of(name) if name in self._lake.tables else None
        if recorded is None or source is None or source.version.uuid == recorded.uuid:
            return None
        is_refreshed = contains_refresh(source.newest_bookkeeping)
        return None if is_refreshed else f"{name} was recreated and has not been refreshed yet"

    def _waits_for_data(self, table: DynamicTable, history: TableHistory) -> bool:
        """Whether the rows are those of an older definition and nothing has changed since."""
        record = record_in(history, history.version)
        if record is None:
            return False
        is_older = record.fingerprint != table.definition.fingerprint or _is_reshaped(table, history)
        sources = {source.name: self._lake.history_of(source.name) for source in table.definition.sources}
        changes = (
            each.first_change_after(record.versions.get(name)) for name, each in sources.items() if each
        )
        return is_older and not any(changes)

    def _stale_source(self, table: DynamicTable) -> str | None:
        for source in table.definition.sources:
            if source.name in self._lake.tables:
                found = self.of(source.name)
                if found.state in _BEHIND:
                    return f"its source {source.name} is {found.state}"
                if found.state is TableState.ACTIVE and found.reason is not None:
                    return found.reason
        return None


def _unreadable(outcome: Outcome, reason: str) -> Condition:
    return Condition(
        TableState.UNREADABLE, reason, outcome.consecutive_failures, outcome.last_success, lag=None
    )


def _never_refreshed(history: TableHistory | None, outcome: Outcome) -> bool:
    """Of a table whose versions cannot be read from here, by the refresh history."""
    if history is None:
        return outcome.last_success is None
    return not any(map(contains_refresh, history.bookkeeping.values()))


def _why_suspended(outcome: Outcome) -> str:
    failure = outcome.last_failure
    if failure is not None and failure.suspended_reason is not None:
        return f"{failure.suspended_reason}: {_first_line(failure.error_message)}"
    return "resume its schedule with ALTER DYNAMIC TABLE ... RESUME"


def _is_reshaped(table: DynamicTable, history: TableHistory) -> bool:
    """Whether a column came or went since the last refresh; one that went and came again is another one."""
    names = {column.name for column in table.columns}
    present = {field_id for name, field_id in history.columns.items() if name in names}
    return not present <= history.refreshed_columns <= set(history.columns.values())


def _last_commit(history: TableHistory | None) -> datetime | None:
    """Of the last refresh that made a version, where the refresh history does not reach back to it."""
    if history is None or history.newest_bookkeeping is None or not history.commits:
        return None
    return history.commits[-1].at


def _first_line(text: str | None) -> str:
    return next(iter((text or "").splitlines()), "")
