"""REFRESH DYNAMIC TABLE."""

from __future__ import annotations

from headrace.commands.arguments import arguments_here
from headrace.commands.partition import named_partition
from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.model.dynamic_table import DynamicTable
from headrace.model.partition import Partition
from headrace.refresh.run import Request, refresh_table
from headrace.result import LocalRows, Result
from headrace.sql.statements import RefreshDynamicTable
from headrace.views.arrow import to_arrow
from headrace.views.refreshes import RefreshRow


def refresh_dynamic_table(statement: RefreshDynamicTable, text: str, bench: Workbench) -> Result:
    with pointing_at(text, statement.name.span):
        table = bench.dynamic_table(statement.name)
    partition = partition_to_refresh(statement, table, text, bench)
    with bench.lake.alone_with(table, partition.key if partition else None):
        current = bench.dynamic_table(statement.name)
        if partition is not None and current != table:
            partition = partition_to_refresh(statement, current, text, bench)
        request = Request(
            full=statement.full,
            tag=bench.query_tag,
            arguments=arguments_here(current.definition.expanded, bench),
            partition=partition,
        )
        row = refresh_table(current, bench.refresh_context, request)
    rows = LocalRows(to_arrow(RefreshRow, [RefreshRow.of(row)], bench.lake.settings.zone))
    return Result(rows, _notices(current, bench))


def _notices(table: DynamicTable, bench: Workbench) -> tuple[str, ...]:
    notices = []
    if table.suspended:
        resume = f"ALTER DYNAMIC TABLE {table.name} RESUME"
        notices.append(f"{table.name} was refreshed manually; its schedule remains suspended until {resume}")
    if not bench.lake.compacts:
        notices.append("small files were not compacted: the cluster has the type ANALYTICS")
    return tuple(notices)


def partition_to_refresh(
    statement: RefreshDynamicTable, table: DynamicTable, text: str, bench: Workbench
) -> Partition | None:
    return None if statement.partition is None else named_partition(statement.partition, table, text, bench)
