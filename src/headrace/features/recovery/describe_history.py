"""DESC HISTORY: the versions of a table."""

from __future__ import annotations

from headrace.commands.error_location import pointing_at
from headrace.commands.local_view import selected
from headrace.commands.statement_context import StatementContext, Tables
from headrace.commands.statement_input import StatementInput
from headrace.features.recovery.grammar import DescribeHistory
from headrace.lake.table.tables import Table
from headrace.model.names import TableName
from headrace.result import Result
from headrace.views.arrow import to_arrow
from headrace.views.versions import RefreshedVersionRow, VersionRow


def describe_history(statement: DescribeHistory, given: StatementInput, context: StatementContext) -> Result:
    with pointing_at(given.text, statement.name.span):
        name = context.resolve(statement.name)
        table = table_with_versions(name, context)
        is_dynamic = context.lake.store.definitions.find(name) is not None
    view = RefreshedVersionRow if is_dynamic else VersionRow
    rows = to_arrow(view, map(view.of, table.versions().kept), context.lake.settings.zone)
    return selected(rows, statement.where, statement.limit, given, context)


def table_with_versions(name: TableName, tables: Tables) -> Table:
    return tables.table(name, view_is=", which has no versions", hint="use one of the tables that it reads")
