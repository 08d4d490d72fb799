"""REFRESH DYNAMIC TABLE."""

from __future__ import annotations

from headrace.commands.history_rows import history_rows
from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.errors import NotSupportedError
from headrace.model.dynamic_table import DynamicTable
from headrace.refresh.run import Request, refresh_table
from headrace.result import LocalRows, Result
from headrace.sql.statements import RefreshDynamicTable


def refresh_dynamic_table(statement: RefreshDynamicTable, text: str, bench: Workbench) -> Result:
    table = table_to_refresh(statement, text, bench)
    with bench.lake.alone_with(table):
        current = bench.dynamic_table(statement.name)
        row = refresh_table(current, bench.refresh_tools, Request(full=statement.full, tag=bench.query_tag))
    rows = LocalRows(history_rows([row], bench.lake.settings.zone))
    return Result(rows, _notices(current, bench))


def _notices(table: DynamicTable, bench: Workbench) -> tuple[str, ...]:
    notices = []
    if table.suspended:
        resume = f"ALTER DYNAMIC TABLE {table.name} RESUME"
        notices.append(f"{table.name} was refreshed by hand; its schedule is suspended until {resume}")
    if not bench.lake.compacts:
        notices.append("small files were not compacted: the cluster is for ANALYTICS")
    return tuple(notices)


def table_to_refresh(statement: RefreshDynamicTable, text: str, bench: Workbench) -> DynamicTable:
    with pointing_at(text, statement.name.span):
        if statement.partition is not None:
            raise NotSupportedError("REFRESH ... PARTITION is not available in this version")
        return bench.dynamic_table(statement.name)
