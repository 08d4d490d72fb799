"""The dynamic table of a task: deployed with it, suspended with it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.features.dynamic_tables.create import create_dynamic_table
from headrace.features.dynamic_tables.grammar_statements import CreateDynamicTable
from headrace.features.tasks.task_body import table_of, table_statement
from headrace.model.task import IntervalSchedule, Task, TaskState, interval_moment, is_table_scheduled
from headrace.model.vcluster import DEFAULT_VCLUSTER
from headrace.sql.parsed import ParsedStatement


def deploy_table(task: Task, context: StatementContext) -> tuple[str, ...]:
    """Creates the table, or replaces what an earlier deployment made; its schedule goes on."""
    result = create_dynamic_table(
        _statement(task, context.now(), context.lake.settings.zone),
        StatementInput(ParsedStatement(task.body)),
        context,
    )
    set_table_suspended(task, context, suspended=False)
    return result.notices


def set_table_suspended(task: Task, context: StatementContext, *, suspended: bool) -> None:
    store = context.lake.store
    table = store.definitions.find(table_of(task))
    if table is not None and table.suspended is not suspended:
        with context.lake.alone_with(table):
            store.definitions.set_suspended(table.id, suspended, context.now())


def _statement(task: Task, now: datetime, zone: ZoneInfo) -> CreateDynamicTable:
    statement = table_statement(task)
    if task.state is not TaskState.DRAFT:
        statement = replace(statement, or_replace=True, if_not_exists=False)
    if task.cluster != DEFAULT_VCLUSTER and statement.cluster is None:
        places = {**statement.places, "VCLUSTER": statement.name.span}
        statement = replace(statement, cluster=task.cluster, places=places)
    if not is_table_scheduled(task):
        return replace(statement, interval_seconds=None, start_at=None)
    if not isinstance(task.schedule, IntervalSchedule):
        return statement
    return replace(
        statement,
        interval_seconds=task.schedule.seconds,
        start_at=_start(task.schedule, now, zone).isoformat(),
        places={**statement.places, "INTERVAL": statement.name.span, "START WITH": statement.name.span},
    )


def _start(schedule: IntervalSchedule, now: datetime, zone: ZoneInfo) -> datetime:
    """The next moment of the schedule, which all tasks with the same interval share."""
    before = interval_moment(schedule, now, zone)
    if schedule.start_at is not None or before is None:
        return schedule.start_at or now
    return before + timedelta(seconds=schedule.seconds)
