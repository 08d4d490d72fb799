"""How a refresh ends that did not come through: by what the table says."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from headrace.catalog.refresh_history import RefreshHistory
from headrace.errors import Cancelled, Error, RefreshFailed
from headrace.lake.table.tables import TableCatalog
from headrace.model.dynamic_table import DynamicTable
from headrace.model.history import Refresh, RefreshState
from headrace.model.partition import Partition
from headrace.refresh.context import RefreshContext
from headrace.refresh.full import stats_of
from headrace.refresh.record import REFRESH_ID


def settle(
    row: Refresh, catalog: TableCatalog, refreshes: RefreshHistory, now: datetime, error_message: str
) -> bool:
    """Ends the history row of a refresh that stopped short, by what the table says; True if it landed."""
    ended = replace(row, end_time=max(to_milliseconds(now), row.start_time))
    try:
        table = catalog.table(row.table)
        snapshot = table.marked_with(REFRESH_ID, row.job_id) if table is not None else None
    except Error as error:
        snapshot, error_message = None, f"{error_message}; {error.message}"
    if snapshot is not None:
        refreshes.record(replace(ended, state=RefreshState.SUCCEED, stats=stats_of(snapshot)))
        return True
    refreshes.record(replace(ended, state=RefreshState.FAILED, error_message=error_message))
    return False


def settle_left_over(
    table: DynamicTable, context: RefreshContext, partition: Partition | None, job_id: str | None
) -> None:
    """Whoever refreshes a table or a partition is alone with it: what is unended was not written so far."""
    for left in context.store.refreshes.unended_of(table.id):
        if left.state is not RefreshState.RUNNING or left.job_id == job_id:
            continue
        same = left.partition is not None and partition is not None and left.partition.key == partition.key
        if partition is None or same:
            settle(
                left,
                context.catalog,
                context.store.refreshes,
                context.clock(),
                "its end could not be recorded",
            )


def settled(row: Refresh, context: RefreshContext, error_message: str) -> bool:
    try:
        return settle(row, context.catalog, context.store.refreshes, context.clock(), error_message)
    except Error:
        return False


def words_of(error: BaseException) -> str:
    return error.message if isinstance(error, Error) else f"{type(error).__name__}: {error}"


def refresh_failed(table: DynamicTable, error: BaseException) -> BaseException:
    match error:
        case RefreshFailed():
            return error
        case Cancelled():
            return Cancelled(f"the refresh of {table.name} was cancelled, its rows are unchanged")
        case Error():
            where = f", in its query at {error.place}" if error.place else ""
            return RefreshFailed(
                f"refresh of {table.name} failed, its rows are unchanged: {error.message}{where}",
                hint=error.hint,
            )
    return error


def to_milliseconds(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
