"""REFRESH DYNAMIC TABLE."""

from __future__ import annotations

from headrace.commands.error_location import pointing_at
from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.features.dynamic_tables.grammar_statements import RefreshDynamicTable
from headrace.features.dynamic_tables.named_partition import named_partition
from headrace.features.dynamic_tables.session_arguments import arguments_here
from headrace.model.dynamic_table import DynamicTable
from headrace.model.partition import Partition
from headrace.refresh.run import Request, refresh_table
from headrace.result import LocalRows, Result
from headrace.views.arrow import to_arrow
from headrace.views.refreshes import RefreshRow


def refresh_dynamic_table(
    statement: RefreshDynamicTable, given: StatementInput, context: StatementContext
) -> Result:
    with pointing_at(given.text, statement.name.span):
        table = context.dynamic_table(statement.name)
    partition = partition_to_refresh(statement, table, given.text, context)
    with context.lake.alone_with(table, partition.key if partition else None):
        current = context.dynamic_table(statement.name)
        if partition is not None and current != table:
            partition = partition_to_refresh(statement, current, given.text, context)
        request = Request(
            full=statement.full,
            tag=context.query_tag,
            arguments=arguments_here(current.definition.expanded, context.session),
            partition=partition,
        )
        row = refresh_table(current, context.refresh_context, request)
    rows = LocalRows(to_arrow(RefreshRow, [RefreshRow.of(row)], context.lake.settings.zone))
    return Result(rows, _notices(current, context))


def _notices(table: DynamicTable, context: StatementContext) -> tuple[str, ...]:
    notices = []
    if table.suspended:
        resume = f"ALTER DYNAMIC TABLE {table.name} RESUME"
        notices.append(f"{table.name} was refreshed manually; its schedule remains suspended until {resume}")
    if not context.lake.compacts:
        notices.append("small files were not compacted: the cluster has the type ANALYTICS")
    return tuple(notices)


def partition_to_refresh(
    statement: RefreshDynamicTable, table: DynamicTable, text: str, context: StatementContext
) -> Partition | None:
    return None if statement.partition is None else named_partition(statement.partition, table, text, context)
