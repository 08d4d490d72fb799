"""The dynamic table of a task: deployed with it, suspended with it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from headrace.commands.create import create_dynamic_table
from headrace.commands.task_changes import table_statement
from headrace.commands.task_script import table_of
from headrace.commands.workbench import Workbench
from headrace.model.task import IntervalSchedule, Task, TaskState, interval_moment, is_table_scheduled
from headrace.model.vcluster import DEFAULT_VCLUSTER
from headrace.sql.statements import CreateDynamicTable


def deploy_table(task: Task, bench: Workbench) -> tuple[str, ...]:
    """Creates the table, or replaces what an earlier deployment made; its schedule goes on."""
    result = create_dynamic_table(_statement(task, bench), task.body, bench)
    set_table_suspended(task, bench, suspended=False)
    return result.notices


def set_table_suspended(task: Task, bench: Workbench, *, suspended: bool) -> None:
    store = bench.lake.store
    table = store.definitions.find(table_of(task))
    if table is not None and table.suspended is not suspended:
        with bench.lake.alone_with(table):
            store.definitions.set_suspended(table.id, suspended, bench.now())


def _statement(task: Task, bench: Workbench) -> CreateDynamicTable:
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
        start_at=_start(task.schedule, bench).isoformat(),
        places={**statement.places, "INTERVAL": statement.name.span, "START WITH": statement.name.span},
    )


def _start(schedule: IntervalSchedule, bench: Workbench) -> datetime:
    """The next moment of the schedule, which all tasks with the same interval share."""
    before = interval_moment(schedule, bench.now(), bench.lake.settings.zone)
    if schedule.start_at is not None or before is None:
        return schedule.start_at or bench.now()
    return before + timedelta(seconds=schedule.seconds)
