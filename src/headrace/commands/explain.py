"""EXPLAIN REFRESH DYNAMIC TABLE and EXPLAIN CREATE DYNAMIC TABLE."""

from __future__ import annotations

from headrace.commands.arguments import arguments_here
from headrace.commands.create import (
    LeftAlone,
    check_create,
    layout_for,
    mode_place,
    possible_layout,
    sources_of,
)
from headrace.commands.pointing import pointing_at
from headrace.commands.refresh import partition_to_refresh
from headrace.commands.workbench import Workbench
from headrace.refresh.analysis import accepted
from headrace.refresh.describe_stages import Line
from headrace.refresh.explain import explain_definition, explain_refresh
from headrace.result import LocalRows, Result
from headrace.sql.statements import CreateDynamicTable, Explain, RefreshDynamicTable
from headrace.views.arrow import to_arrow
from headrace.views.statement_results import ExplainRow


def explain(statement: Explain, text: str, bench: Workbench) -> Result:
    match statement.statement:
        case RefreshDynamicTable() as refresh:
            return _explain_refresh(refresh, text, bench)
        case CreateDynamicTable() as create:
            return _explain_create(create, text, bench)


def _explain_refresh(statement: RefreshDynamicTable, text: str, bench: Workbench) -> Result:
    with pointing_at(text, statement.name.span):
        table = bench.dynamic_table(statement.name)
    partition = partition_to_refresh(statement, table, text, bench)
    with pointing_at(text, statement.name.span):
        given = arguments_here(table.definition.expanded, bench)
        lines = explain_refresh(table, bench.refresh_context, given, partition, full=statement.full)
    return _answer(lines, bench)


def _explain_create(statement: CreateDynamicTable, text: str, bench: Workbench) -> Result:
    checked = check_create(statement, text, bench)
    if isinstance(checked, LeftAlone):
        return _answer([("action", f"none: {checked.name} already exists")], bench)
    table = checked.table
    if checked.existing is None:
        action, layout = f"create {table.name}", layout_for(table, mode_place(statement, text), bench, {})
    else:
        effect = ", which takes effect with the next change in a source" if checked.waits else ""
        action, layout = f"replace {table.name}{effect}", possible_layout(table, bench, {})
    today = bench.now().astimezone(bench.lake.settings.zone).date()
    sources = sources_of(table, bench)
    with bench.lake.borrow_session() as session:
        layout = accepted(layout, sources, session)
    lines = explain_definition(table, layout, sources, today)
    return _answer([("action", action), *lines], bench, checked.notices)


def _answer(lines: list[Line], bench: Workbench, notices: tuple[str, ...] = ()) -> Result:
    rows = to_arrow(ExplainRow, [ExplainRow(*line) for line in lines], bench.lake.settings.zone)
    return Result(LocalRows(rows), notices)
