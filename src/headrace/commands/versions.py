"""DESC HISTORY: the versions of a table."""

from __future__ import annotations

from headrace.commands.local_view import selected
from headrace.commands.pointing import pointing_at
from headrace.commands.workbench import Workbench
from headrace.lake.session import Parameters
from headrace.lake.tables import Table
from headrace.model.names import TableName
from headrace.result import Result
from headrace.sql.statements import DescribeHistory
from headrace.views.arrow import to_arrow
from headrace.views.versions import RefreshedVersionRow, VersionRow


def describe_history(
    statement: DescribeHistory, text: str, parameters: Parameters | None, bench: Workbench
) -> Result:
    with pointing_at(text, statement.name.span):
        name = bench.resolve(statement.name)
        table = table_with_versions(name, bench)
        is_dynamic = bench.lake.store.find(name) is not None
    view = RefreshedVersionRow if is_dynamic else VersionRow
    rows = to_arrow(view, map(view.of, table.versions().kept), bench.lake.settings.zone)
    return selected(rows, statement.where, statement.limit, text, parameters, bench)


def table_with_versions(name: TableName, bench: Workbench) -> Table:
    return bench.table(name, view_is=", which has no versions", hint="use one of the tables that it reads")
