"""SET, RESET and SHOW of arguments, and which of them a table takes."""

from __future__ import annotations

import pyarrow as pa

from headrace.commands.statement_context import StatementContext
from headrace.commands.statement_input import StatementInput
from headrace.errors import Place, Refused
from headrace.features.dynamic_tables.grammar_statements import ResetArgument, SetArgument, ShowArgument
from headrace.lake.session import LakeSession
from headrace.model.dynamic_table import DynamicTable
from headrace.refresh.arguments import default_of
from headrace.result import LocalRows, Result
from headrace.sql.query_parameters import argument_key, parameter_names

_UNDEFINED = "<undefined>"


def set_argument(statement: SetArgument, given: StatementInput, context: StatementContext) -> Result:
    context.session.change_setting(argument_key(statement.name.text), statement.value.text)
    return _setting(statement.name.text, context.session)


def reset_argument(statement: ResetArgument, given: StatementInput, context: StatementContext) -> Result:
    context.session.change_setting(argument_key(statement.name.text), None)
    return Result(LocalRows(pa.table({"key": pa.array([], pa.string())})))


def show_argument(statement: ShowArgument, given: StatementInput, context: StatementContext) -> Result:
    return _setting(statement.name.text, context.session)


def _setting(name: str, session: LakeSession) -> Result:
    """As Spark answers for settings of its own."""
    key = argument_key(name)
    value = session.setting(key)
    return Result(LocalRows(pa.table({"key": [key], "value": [_UNDEFINED if value is None else value]})))


def arguments_here(query: str, session: LakeSession) -> dict[str, str]:
    """What the session has for the parameters of a query."""
    found = {name: session.setting(argument_key(name)) for name in parameter_names(query)}
    return {name: value for name, value in found.items() if value is not None}


def check_defaults(table: DynamicTable, place: Place | None) -> None:
    """What is refreshed on schedule has nobody to give it values."""
    if table.schedule.interval_seconds is None:
        return
    for name in parameter_names(table.definition.expanded):
        if default_of(table, name) is None:
            raise Refused(
                f"parameter {name} requires a default because the table has a refresh interval",
                hint=f"set it with PROPERTIES('{argument_key(name)}'='...')",
                place=place,
            )
