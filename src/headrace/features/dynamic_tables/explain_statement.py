"""EXPLAIN REFRESH DYNAMIC TABLE and EXPLAIN CREATE DYNAMIC TABLE."""

from __future__ import annotations

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.features.dynamic_tables.create import (
    LeftAlone,
    check_create,
    layout_for,
    mode_place,
    possible_layout,
    sources_of,
)
from headrace.features.dynamic_tables.grammar_statements import (
    CreateDynamicTable,
    Explain,
    RefreshDynamicTable,
)
from headrace.features.dynamic_tables.refresh_statement import partition_to_refresh
from headrace.features.dynamic_tables.session_arguments import arguments_here
from headrace.refresh.analysis import accepted
from headrace.refresh.describe_stages import Line
from headrace.refresh.explain import explain_definition, explain_refresh
from headrace.result import LocalRows, Result
from headrace.views.arrow import to_arrow
from headrace.views.statement_results import ExplainRow


def explain(statement: Explain, given: StatementInput, context: StatementContext) -> Result:
    match statement.statement:
        case RefreshDynamicTable() as refresh:
            return _explain_refresh(refresh, given.text, context)
        case CreateDynamicTable() as create:
            return _explain_create(create, given.text, context)


def _explain_refresh(statement: RefreshDynamicTable, text: str, context: StatementContext) -> Result:
    with pointing_at(text, statement.name.span):
        table = context.dynamic_table(statement.name)
    partition = partition_to_refresh(statement, table, text, context)
    with pointing_at(text, statement.name.span):
        given = arguments_here(table.definition.expanded, context.session)
        lines = explain_refresh(table, context.refresh_context, given, partition, full=statement.full)
    return _answer(lines, context)


def _explain_create(statement: CreateDynamicTable, text: str, context: StatementContext) -> Result:
    checked = check_create(statement, text, context)
    if isinstance(checked, LeftAlone):
        return _answer([("action", f"none: {checked.name} already exists")], context)
    table = checked.table
    if checked.existing is None:
        action, layout = f"create {table.name}", layout_for(table, mode_place(statement, text), context, {})
    else:
        effect = ", which takes effect with the next change in a source" if checked.waits else ""
        action, layout = f"replace {table.name}{effect}", possible_layout(table, context, {})
    today = context.now().astimezone(context.lake.settings.zone).date()
    sources = sources_of(table, context.session)
    with context.lake.borrow_session() as session:
        layout = accepted(layout, sources, session)
    lines = explain_definition(table, layout, sources, today)
    return _answer([("action", action), *lines], context, checked.notices)


def _answer(lines: list[Line], context: StatementContext, notices: tuple[str, ...] = ()) -> Result:
    rows = to_arrow(ExplainRow, [ExplainRow(*line) for line in lines], context.lake.settings.zone)
    return Result(LocalRows(rows), notices)
